#include "app/outputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/app.hpp"
#include "support/files.hpp"
#include "upsweep/app/anchors.hpp"
#include "upsweep/app/calibrate.hpp"
#include "upsweep/app/import.hpp"
#include "upsweep/app/plot.hpp"
#include "upsweep/app/report.hpp"
#include "upsweep/app/trace.hpp"
#include "upsweep/app/train.hpp"
#include "upsweep/app/validate.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/own_file.hpp"

// What a command writes never takes the place of what it reads, nor of what somebody else wrote.

namespace upsweep::testing::app_outputs_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A request whose output is `path`; every field that a command needs before it looks at the output.
template <class Request>
Request with_output(const std::string& path);
template <>
CalibrateRequest with_output(const std::string& path) {
  CalibrateRequest request;
  request.out = path;
  return request;
}
template <>
ReportRequest with_output(const std::string& path) {
  return {"runs.sqlite", path};
}
template <>
TraceRequest with_output(const std::string& path) {
  return {"runs.sqlite", 1, path};
}
template <>
PlotRequest with_output(const std::string& path) {
  PlotRequest request{"runs.sqlite", "op-flops", path};
  request.run = 1;
  return request;
}
template <>
ImportRequest with_output(const std::string& path) {
  ImportRequest request;
  request.model = "net.onnx";
  request.out = path;
  return request;
}
template <>
ValidateRequest with_output(const std::string& path) {
  ValidateRequest request;
  request.model = "net.yaml";
  request.gradient = path;
  return request;
}

template <>
AnchorsRequest with_output(const std::string& path) {
  AnchorsRequest request;
  request.files = {"times.csv"};
  request.machines = {"gpu.yaml"};
  request.fit_out = path;
  return request;
}

/// Refuses a foreign file without work, and passes that question with `force`.
template <class Request>
void expect_keeps_foreign(const std::string& ending, const std::string& field) {
  const TemporaryFolder folder;
  const std::string path = folder.write("mine" + ending, "precious");
  auto request = with_output<Request>(path);
  EXPECT_THAT(refusal<RequestError>(request), HasSubstr("a file that upsweep did not write")) << ending;
  EXPECT_EQ(wrong_field(request), field);
  EXPECT_EQ(read_file(path), "precious");
}

TEST(Outputs, EveryCommandKeepsAFileThatUpsweepDidNotWrite) {
  expect_keeps_foreign<CalibrateRequest>(".yaml", "out");
  expect_keeps_foreign<ReportRequest>(".html", "out");
  expect_keeps_foreign<TraceRequest>(".json", "out");
  expect_keeps_foreign<PlotRequest>(".svg", "out");
  expect_keeps_foreign<ImportRequest>(".yaml", "out");
  expect_keeps_foreign<ValidateRequest>(".npy", "gradient");
  expect_keeps_foreign<AnchorsRequest>(".yaml", "fit_out");
}

TEST(Outputs, AFileThatHoldsNothingMayBeReplaced) {
  const TemporaryFolder folder;
  const auto request = with_output<ReportRequest>(folder.write("made-by-mktemp.html", ""));
  EXPECT_THAT(refusal<InputError>(request), HasSubstr("no such database")) << "the next question";
}

TEST(Outputs, ImportKeepsWeightsBesideTheModelFileThatItDidNotWrite) {
  const TemporaryFolder folder;
  folder.write("net.safetensors", "weights of somebody");
  EXPECT_THAT(refusal<RequestError>(with_output<ImportRequest>(folder.path("net.yaml"))),
              HasSubstr("net.safetensors, a file that upsweep did not write"));
}

TEST(Outputs, ValidateDoesNotReplaceTheArraysOfItsModel) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path("masks"));
  const std::string mask = folder.write("masks/conv1.npy", "a mask");
  const std::string inputs = folder.write("inputs.npy", "inputs");
  ValidateRequest request;
  request.model = folder.write("net.yaml",
                               "name: net\ninput: [1, 8, 8]\nweights: {masks: masks}\nsample: {inputs: inputs.npy}\n"
                               "operators:\n  - conv2d: {name: conv1, out_channels: 1, kernel: 3}\n");
  request.force = true;
  request.gradient = inputs;
  EXPECT_THAT(refusal<RequestError>(request), HasSubstr("the same file as `model` " + inputs));
  request.gradient = mask;
  EXPECT_THAT(refusal<RequestError>(request), HasSubstr("inside `model` "));
  EXPECT_EQ(read_file(mask), "a mask");
  request.gradient = folder.path("gradient.npy");
  EXPECT_THAT(refusal<InputError>(request), HasSubstr("conv1.npy")) << "another file may be written: the mask is next";
}

TEST(Outputs, CalibrateDoesNotReplaceTheDatabaseThatKeepsTheMachine) {
  const TemporaryFolder folder;
  CalibrateRequest request;
  request.out = folder.path("runs.sqlite");
  request.db = request.out;
  request.force = true;
  EXPECT_THAT(refusal<RequestError>(request), HasSubstr("the same file as `db`")) << "neither is there yet";
  EXPECT_FALSE(fs::exists(request.out));
}

TEST(Outputs, TrainDoesNotReplaceItsFileModelOrDatabaseWhateverTheirNames) {
  const TemporaryFolder folder;
  folder.write("net.yaml",
               "name: net\nrecurrent: {cell: rnn, input_size: 1, hidden_size: 4, steps: 12, batch: 4}\n"
               "head: {out_features: 3}\n");
  TrainRequest request;
  request.file = folder.write("t.yaml",
                              "name: x\nmodel: net.yaml\ntrain:\n  data: {bitstream: {samples: 20, seed: 7}}\n"
                              "  optimizer: {sgd: {learning_rate: 0.1, momentum: 0.9}}\n  iterations: 5\n"
                              "  backward: [bptt, blelloch]\n");
  request.db = folder.path("runs.sqlite");
  request.force = true;
  fs::create_symlink(request.file, folder.path("link.svg"));
  fs::create_hard_link(request.file, folder.path("hard.svg"));
  for (const std::string& svg : {request.file, folder.path("link.svg"), folder.path("hard.svg"),
                                 folder.path("net.yaml"), folder.path("./runs.sqlite")}) {
    request.svg = svg;
    EXPECT_THAT(refusal<RequestError>(request), HasSubstr("the same file as")) << svg;
  }
  EXPECT_THAT(read_file(request.file), HasSubstr("name: x"));
}

TEST(Outputs, ReplaceWhatThisProgramWroteAndWithForceAnything) {
  const TemporaryFolder folder;
  const std::string own = folder.write("own.yaml", std::string(kMachineMark) + "name: m\n");
  EXPECT_NO_THROW(check_output({"out", own, kMachineMark}, {}, false));
  EXPECT_NO_THROW(check_output({"out", folder.path("new.yaml"), kMachineMark}, {}, false));
  const std::string foreign = folder.write("net.yaml", "name: net\n");
  EXPECT_THROW(check_output({"out", foreign, kMachineMark}, {}, false), RequestError);
  EXPECT_NO_THROW(check_output({"out", foreign, kMachineMark}, {}, true));
}

TEST(Outputs, ThatAreReadOnlyAreRefusedBeforeWork) {
  const TemporaryFolder folder;
  const std::string page = folder.write("page.html", std::string(kPageMark));
  fs::permissions(page, fs::perms::owner_read);
  auto request = with_output<ReportRequest>(page);
  request.force = true;
  EXPECT_THAT(refusal<InputError>(request), HasSubstr("is read-only"));
}

}  // namespace
}  // namespace upsweep::testing::app_outputs_test

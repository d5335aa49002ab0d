#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "support/command_line.hpp"
#include "support/files.hpp"
#include "upsweep/figure/svg.hpp"

namespace upsweep::testing::cli_train_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kModel =
    "name: net\nrecurrent: {cell: rnn, input_size: 1, hidden_size: 4, steps: 12, batch: 4}\nhead: {out_features: 3}\n";
const std::string kFile =
    "name: x\n"
    "model: net.yaml\n"
    "train:\n"
    "  data: {bitstream: {samples: 20, seed: 7}}\n"
    "  optimizer: {sgd: {learning_rate: 0.1, momentum: 0.9}}\n"
    "  iterations: 5\n"
    "  backward: [bptt, blelloch]\n";

struct Files {
  TemporaryFolder folder;
  std::string path;

  explicit Files(const std::string& text = kFile) : path(folder.write("t.yaml", text)) {
    folder.write("net.yaml", kModel);
  }
};

std::string with(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(Train, PutsCurvesOnTopOfEachOther) {
  const Files files;
  const Json result = json_of({"train", files.path});
  EXPECT_TRUE(has_keys(result, {"name", "model", "data", "optimizer", "batch", "steps", "iterations", "backend",
                                "device", "workers", "curves"}));
  ASSERT_EQ(result["curves"].size(), 2U);
  EXPECT_EQ(result["curves"][0]["loss"].size(), 5U);
  EXPECT_LT(result["curves"][1]["difference"]["largest_relative"], 1e-5);
  EXPECT_TRUE(has_keys(result["curves"][1], {"backward", "accuracy", "seconds", "pass_seconds", "speedup"}));
  const Json again = json_of({"train", files.path, "--workers", "1"});
  EXPECT_EQ(again["curves"][0]["loss"], result["curves"][0]["loss"]) << "whatever the number of threads";
  EXPECT_EQ(again["workers"], 1);
  EXPECT_THAT(upsweep({"train", files.path}).out, StartsWith("x: rnn (tanh) of 1 input, 4 hidden elements"));
  EXPECT_THAT(upsweep({"train", files.path, "--format", "csv"}).out, StartsWith("iteration,bptt,blelloch\r\n1,"));
}

TEST(Train, OptionsReplaceTheFile) {
  const Files files;
  const Json result = json_of({"train", files.path, "--backward", "blocked:3,linear,bptt", "--iterations", "2",
                               "--batch", "5", "--steps", "7"});
  EXPECT_EQ(result["batch"], 5);
  EXPECT_EQ(result["steps"], 7);
  EXPECT_EQ(result["iterations"], 2);
  EXPECT_EQ(result["curves"][0]["backward"], "blocked:3");
  EXPECT_EQ(result["curves"].size(), 3U);
}

TEST(Train, DrawsTheCurvesOrSaysBeforehandThatItCannot) {
  const Files files;
  const std::string svg = files.folder.path("curves.svg");
  const std::vector<std::string> arguments = {"train", files.path, "--svg", svg};
  if (has_charts()) {
    EXPECT_EQ(upsweep(arguments).exit_code, 0);
    EXPECT_THAT(read_file(svg), AllOf(StartsWith("<svg "), HasSubstr(">blelloch</text>")));
  }
  const std::string path = std::getenv("PATH");
  ASSERT_EQ(setenv("PATH", files.folder.path("none").c_str(), 1), 0);
  const Finished run = upsweep(arguments);
  ASSERT_EQ(setenv("PATH", path.c_str(), 1), 0);
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr(has_charts() ? "accepted is Node.js on the PATH" : "without the charting library"));
  EXPECT_EQ(run.out, "");
}

TEST(Train, EveryFileOfTheProjectRuns) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(UPSWEEP_SOURCE_DIR) + "/configs/training")) {
    const std::string path = entry.path().string();
    const std::string text = read_file(path);
    // Networks of images take longer and have tests of their own.
    if (text.find("\ntrain:") == std::string::npos || text.find("images:") != std::string::npos) continue;
    const Json result = json_of({"train", path, "--iterations", "1", "--steps", "20"});
    EXPECT_EQ(result["name"], entry.path().stem().string());
    ++count;
  }
  EXPECT_GE(count, 5U);
}

TEST(Train, RefusesWrongUsage) {
  const Files files;
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"train"}, "FILE is required, accepted is upsweep train FILE"},
      {{"train", files.path, "--iterations", "0"}, "--iterations is '0'"},
      {{"train", files.path, "--backward", "bptt,fast"}, "--backward: 'fast' is no backward method"},
      {{"train", files.path, "--backward", "bptt,bptt"}, "--backward has 'bptt' twice"},
      {{"train", files.path, "--backward", ""}, "--backward"},
      {{"train", files.path, "--backward", "linear,bptt,hybrid:0"}, "--backward has 'linear' twice"},
      {{"train", files.path, "--backward", "bp"}, "--backward: 'bp' is no backward method"},
      {{"train", "none.yaml", "--backward", "fast"}, "--backward: 'fast' is no backward method"},
      {{"train", "none.yaml", "--backend", "fast"},
       "'fast' is no backend for the training of a recurrent model, accepted are reference, cpu, cuda"},
      {{"train", "none.yaml", "--steps", "549755813889"}, "accepted are at most 549755813888"},
      {{"train", "none.yaml", "--batch", "1000001"}, "accepted are at most 1000000"},
      {{"train", "none.yaml", "--iterations", "10000001"}, "accepted are at most 10000000"},
      {{"train", "none.yaml", "--workers", "0"}, "--workers is '0'"},
      {{"train", "none.yaml", "--svg", "-"}, "--svg is '-', accepted is the name of a file"},
      {{"train", files.path, "--backend", "cudnn"}, "'cudnn' is no backend for the training"},
      {{"train", files.path, "--format", "xml"}, "--format"}};
  for (const auto& [arguments, message] : wrong) {
    const Finished run = upsweep(arguments);
    EXPECT_EQ(run.exit_code, 2) << message << ": " << run.err;
    EXPECT_THAT(run.err, HasSubstr(message));
    EXPECT_EQ(run.out, "") << message;
  }
}

TEST(Train, RefusesBadFilesInOneLine) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {with(kFile, "blelloch", "blellock"), "t.yaml:7: backward of train: 'blellock'"},
      {with(kFile, "samples: 20", "samples: 3"),
       "t.yaml:4: data has 3 samples, accepted are at least the 4 of a batch"},
      {with(kFile, "net.yaml", "none.yaml"), "t.yaml:2: model of a train file: "},
      {with(kFile, "iterations: 5", "iterations: 5\n  backend: reference"), "reference has no blelloch"},
      {with(kFile, "{bitstream: {samples: 20, seed: 7}}", "{features: {inputs: x.npy, labels: y.npy}}"), "t.yaml:4: "},
      {with(kFile, "sgd: {learning_rate: 0.1, momentum: 0.9}", "adam: {learning_rate: 0.1, epsilon: 1.0e-60}"),
       "t.yaml:5: optimizer of train: epsilon is 1e-60, which is 0 in fp32"},
      {kModel, "has no key 'train'"}};
  for (const auto& [text, message] : wrong) {
    const Files files(text);
    const Finished run = upsweep({"train", files.path});
    EXPECT_EQ(run.exit_code, 3) << run.err;
    EXPECT_EQ(lines(run.err), 1) << run.err;
    EXPECT_THAT(run.err, HasSubstr(message));
    EXPECT_EQ(run.out, "");
  }
}

TEST(Train, RefusesBeforeItTrainsWhatItCannotWriteAfterwards) {
  const Files files;
  for (const auto& [path, message] : {std::pair{"none/x.svg", "there is no folder"}, {"", "no regular file"}}) {
    const Finished run = upsweep({"train", files.path, "--svg", files.folder.path(path)});
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_EQ(run.out, "") << message;
    EXPECT_THAT(run.err, HasSubstr(message));
  }
}

TEST(Train, KeepsWhatItHasWhereItDiverges) {
  // The first update makes the weights so large that the states of the second iteration are infinite.
  const Files files(with(kFile, "learning_rate: 0.1", "learning_rate: 1.0e+38"));
  files.folder.write("net.yaml", with(kModel, "cell: rnn", "cell: rnn, nonlinearity: relu"));
  const std::string svg = files.folder.path("curves.svg");
  std::vector<std::string> arguments = {"train", files.path, "--format", "json"};
  if (has_charts()) arguments.insert(arguments.end(), {"--svg", svg});
  const Finished run = upsweep(arguments);
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("t.yaml: training by bptt, iteration "));
  EXPECT_THAT(run.err, HasSubstr("(and 1 more of 2 trainings)"));
  const Json result = Json::parse(run.out);
  ASSERT_EQ(result["curves"].size(), 2U);
  for (const Json& curve : result["curves"]) {
    EXPECT_THAT(curve["failed"].get<std::string>(), HasSubstr("is not finite"));
    EXPECT_GE(curve["loss"].size(), 1U);
    EXPECT_LT(curve["loss"].size(), 5U);
    EXPECT_TRUE(curve["difference"].is_null());
  }
  if (has_charts()) {
    EXPECT_THAT(read_file(svg), HasSubstr(">bptt, ended at "));
  }
}

TEST(Train, PointsToTheOtherCommandWhereAFileIsForThat) {
  const Files files;
  const Finished run = upsweep({"training", files.path});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("t.yaml:4: a key 'train' as in train files, which `upsweep train` runs"));
}

}  // namespace
}  // namespace upsweep::testing::cli_train_test

#include "upsweep/report/device_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "support/rendered.hpp"

namespace upsweep::device_report_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

DevicePhase phase(Bound bound, double seconds, std::uint64_t flops = 0) {
  DevicePhase made;
  made.parts_s[static_cast<std::size_t>(Bound::launch)] = seconds / 4;
  made.parts_s[static_cast<std::size_t>(bound)] += seconds - seconds / 4;
  made.kernels = 3;
  made.flops = flops;
  made.bytes = 1024;
  return made;
}

/// 4 s forward, 16 s by the baseline, 1 + 2 + 0 + 1 s by the scan, 2 s of parameter gradients.
DevicePrediction prediction() {
  DevicePrediction made;
  made.forward = phase(Bound::launch, 4);
  made.sequential = phase(Bound::launch, 16, 70);
  made.jacobians = phase(Bound::memory, 1, 10);
  made.up = phase(Bound::shared_memory, 2, 20);
  made.down = phase(Bound::workers, 1, 30);
  made.parameter_gradients = phase(Bound::arithmetic, 2);
  made.levels = {{Phase::up, 2, 5, 4, phase(Bound::shared_memory, 2)}, {Phase::down, 1, 5, 1, {}}};
  made.memory_bytes = 4096;
  return made;
}

struct Files {
  RecurrentModel model;
  Machine machine;
  DeviceAssumptions assumptions;

  Files() {
    model.name = "net";
    model.shape = {CellKind::rnn, Nonlinearity::tanh, 1, 20, 10};
    model.steps = 1000;
    model.batch = 16;
    machine.name = "toy";
    machine.kind = MachineKind::gpu;
  }
};

Json profile_json(const DevicePrediction& made) {
  const Files files;
  return to_json(DeviceProfileReport{files.model, files.machine, "blelloch", files.assumptions, made});
}

void add(DeviceSearchResult& result, const char* name, const DevicePrediction& made, const std::string& reason = "") {
  add_pass(result, {parse_backward_method(name), made}, reason);
}

/// The baseline, a scan of 4 s, which is best, and blocks that do not fit.
DeviceSearchResult search() {
  DevicePrediction sequential;
  sequential.sequential = sequential.down = prediction().sequential;
  sequential.forward = prediction().forward;
  sequential.parameter_gradients = prediction().parameter_gradients;
  DeviceSearchResult made;
  static const Machine machine = [] {
    Machine toy;
    toy.name = "toy";
    toy.kind = MachineKind::gpu;
    return toy;
  }();
  made.options.machine = &machine;
  made.options.batch = 16;
  made.options.execution = Execution::level;
  add(made, "bptt", sequential);
  add(made, "hybrid:3", prediction());
  add(made, "blocked:8", prediction(), "4096 bytes exceed 100, \"all\"");
  finish_search(made);
  return made;
}

DeviceSearchReport report_of(const Files& files, const DeviceSearchResult& result) {
  return {files.model,         files.machine, files.assumptions, result, {DeviceOvertaking{17, "hybrid:2"}, 17},
          {std::nullopt, 4096}};
}

/// Visits every number of an object.
void each_number(const Json& json, const std::function<void(double)>& visit) {
  if (json.is_number()) visit(json.get<double>());
  if (!json.is_structured()) return;
  for (const Json& part : json) each_number(part, visit);
}

bool is_finite(const Json& json) {
  bool finite = true;
  each_number(json, [&finite](double value) { finite = finite && std::isfinite(value); });
  return finite;
}

long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST(DeviceReport, GivesSecondsAndWhatTheyWaitFor) {
  const Json json = profile_json(prediction());
  EXPECT_EQ(json["machine"], "toy");
  EXPECT_EQ(json["method"], "blelloch");
  EXPECT_EQ(json["hidden_s"], 4);
  EXPECT_EQ(json["memory_bytes"], 4096);
  EXPECT_EQ(json["up"]["seconds"], 2);
  EXPECT_EQ(json["up"]["bound"], "shared memory");
  EXPECT_EQ(json["up"]["parts_s"]["shared memory"], 1.5);
  EXPECT_EQ(json["up"]["parts_s"]["launch"], 0.5);
  EXPECT_EQ(json["up"]["kernels"], 3);
  EXPECT_EQ(json["up"]["flops"], 20);
  EXPECT_EQ(json["up"]["bytes"], 1024);
  EXPECT_EQ(json["middle"]["seconds"], 0);
  EXPECT_TRUE(json["middle"]["bound"].is_null()) << "it waits for nothing";
  ASSERT_EQ(json["levels"].size(), 2U);
  EXPECT_EQ(json["levels"][0]["phase"], "up");
  EXPECT_EQ(json["levels"][0]["repeat"], 2);
  EXPECT_EQ(json["levels"][0]["products"], 5);
  EXPECT_EQ(json["levels"][0]["waves"], 4);
  EXPECT_EQ(json["levels"][0]["bound"], "shared memory");
  EXPECT_TRUE(json["levels"][1]["bound"].is_null());
}

TEST(DeviceReport, GivesSpeedUpsWithTheirParts) {
  const Json speedup = profile_json(prediction())["speedup"];
  EXPECT_DOUBLE_EQ(speedup["backward"], (16.0 + 2) / (4 + 2));
  EXPECT_DOUBLE_EQ(speedup["backward_without_jacobians"], (16.0 + 2) / (3 + 2));
  EXPECT_DOUBLE_EQ(speedup["overall"], (4.0 + 16 + 2) / (4 + 4 + 2));
  const Files files;
  const DevicePrediction made = prediction();
  const std::string text =
      to_text(DeviceProfileReport{files.model, files.machine, "blelloch", files.assumptions, made});
  EXPECT_THAT(text, HasSubstr("Speed-up 3.00x of the backward pass (3.60x without forming Jacobians), 2.20x with the"));
  EXPECT_THAT(text, HasSubstr("1000 steps of 16 sequences, one Jacobian per step, on toy"));
  EXPECT_THAT(text,
              HasSubstr("Hidden gradients by blelloch take 4.000 s, by the sequential pass 16.00 s; memory 4.000 KiB"));
  EXPECT_THAT(text, Not(HasSubstr("scan: middle"))) << "no kernels, no row";
  EXPECT_THAT(text, HasSubstr("Assumed: 2 kernels per step forward and 2 backward"));
}

TEST(DeviceReport, AssumptionsOfAPramAreLeftOut) {
  Files files;
  files.machine.kind = MachineKind::pram;
  const DevicePrediction made = prediction();
  EXPECT_THAT(to_text(DeviceProfileReport{files.model, files.machine, "linear", files.assumptions, made}),
              Not(HasSubstr("Assumed")));
}

TEST(DeviceReport, TablesForProgramsHaveARowPerPhaseOrCandidate) {
  const Files files;
  const DevicePrediction made = prediction();
  const std::string phases = to_csv(DeviceProfileReport{files.model, files.machine, "x", files.assumptions, made});
  EXPECT_THAT(phases, StartsWith("phase,seconds,bound,kernels,flops,bytes\r\nforward,4,launch,3,0,1024\r\n"));
  EXPECT_THAT(phases, HasSubstr("\nmiddle,0,,0,0,0\r\n"));
  EXPECT_EQ(lines(phases), 1 + 7);
  const DeviceSearchResult result = search();
  const std::string candidates = to_csv(report_of(files, result));
  EXPECT_EQ(lines(candidates), 1 + 3);
  EXPECT_THAT(candidates, StartsWith("schedule,depth,feasible,reason,score,levels,ops,flops,"));
  EXPECT_THAT(candidates, HasSubstr("\nhybrid:3,3,true,,4,,,60,"));
  EXPECT_THAT(candidates, HasSubstr(",shared memory,1,2,0,1,3,3.6,2.2,0.25,counted,true,,,,,,,,,\r\n"));
  EXPECT_THAT(candidates, HasSubstr("\nblocked:8,,false,\"4096 bytes exceed 100, \"\"all\"\"\",4,"));
}

TEST(DeviceReport, SearchNamesTheBestAndWhatWasLeftOut) {
  const Files files;
  const DeviceSearchResult result = search();
  const DeviceSearchReport report = report_of(files, result);
  const Json json = to_json(report);
  EXPECT_EQ(json["best"]["schedule"], "hybrid:3");
  EXPECT_EQ(json["best"]["depth"], 3);
  EXPECT_EQ(json["best"]["score"], 4);
  EXPECT_EQ(json["best"]["flops"], 60);
  EXPECT_EQ(json["best"]["bound"], "shared memory");
  EXPECT_EQ(json["best"]["ratio_to_sequential"], 0.25);
  EXPECT_EQ(json["margin"], 3);
  EXPECT_TRUE(json["scan_pays"]);
  EXPECT_TRUE(json["candidates"][0]["depth"].is_null());
  EXPECT_TRUE(json["candidates"][1]["reason"].is_null());
  EXPECT_EQ(json["candidates"][2]["reason"], result.candidates[2].reason);
  EXPECT_FALSE(json["candidates"][2]["feasible"]);
  const std::string text = to_text(report);
  EXPECT_THAT(search_verdict(report).sentences,
              Contains("On toy, 16 sequences, level execution, kernels in a graph, guaranteed pattern: hybrid:3 is "
                       "4.000x faster than the sequential pass: the "
                       "scan pays; bandwidth binds."));
  EXPECT_THAT(text, HasSubstr("left out: 4096 bytes exceed 100"));
}

TEST(DeviceReport, SaysFromWhereAScanWinsOrHowFarWasLooked) {
  const Files files;
  const DeviceSearchResult result = search();
  const DeviceSearchReport report = report_of(files, result);
  const Json json = to_json(report);
  EXPECT_EQ(json["overtaking"], (Json{{"steps", 17}, {"schedule", "hybrid:2"}}));
  EXPECT_EQ(json["overtaking_looked_up_to"], 17);
  EXPECT_TRUE(json["overtaking_one_kernel"].is_null());
  EXPECT_EQ(json["overtaking_one_kernel_looked_up_to"], 4096);
  const Verdict verdict = search_verdict(report);
  EXPECT_THAT(verdict.sentences, Contains("A scan first overtakes the sequential pass at 17 steps (hybrid:2)."));
  EXPECT_THAT(verdict.sentences, Contains("With no number of steps up to 4096, where looking ended, does a scan "
                                          "overtake the sequential pass in one kernel (blocked:1)."));
}

TEST(DeviceReport, WithoutABestSaysSo) {
  const Files files;
  DeviceSearchResult result = search();
  result.best.reset();
  result.margin.reset();
  const Json json = to_json(report_of(files, result));
  EXPECT_TRUE(json["best"].is_null());
  EXPECT_TRUE(json["margin"].is_null());
  EXPECT_FALSE(json["scan_pays"]);
  EXPECT_EQ(search_verdict(report_of(files, result)).sentences.front(), "No way fits into the memory limit.");
}

TEST(DeviceReport, HasNoNumbersThatAreNone) {
  const Files files;
  EXPECT_FALSE(is_finite(Json{{"a", {1, std::numeric_limits<double>::quiet_NaN()}}})) << "the check can fail";
  EXPECT_TRUE(is_finite(profile_json(prediction())));
  // A machine on which nothing takes time: 0 / 0.
  const DevicePrediction nothing;
  const Json json = profile_json(nothing);
  EXPECT_TRUE(is_finite(json)) << json;
  EXPECT_TRUE(json["speedup"]["backward"].is_null());
  DeviceSearchResult result;
  add(result, "bptt", nothing);
  add(result, "linear", nothing);
  result.best = 0;
  const DeviceSearchReport report = report_of(files, result);
  const Json found = to_json(report);
  EXPECT_TRUE(is_finite(found)) << found;
  EXPECT_TRUE(found["best"]["ratio_to_sequential"].is_null());
  EXPECT_TRUE(found["best"]["bound"].is_null());
  EXPECT_THAT(to_csv(report), HasSubstr("\nlinear,0,true,,0,"));
  for (const std::string& text : {to_text(report), to_csv(report)}) {
    EXPECT_THAT(text, Not(HasSubstr("nan")));
    EXPECT_THAT(text, Not(HasSubstr("inf")));
  }
}

}  // namespace
}  // namespace upsweep::device_report_test

#include <gmock/gmock.h>

#include <algorithm>

#include "support/command_line.hpp"
#include "support/files.hpp"

namespace upsweep::testing::cli_stacked_test {
namespace {

using ::testing::HasSubstr;

const std::string kModel = std::string(UPSWEEP_SOURCE_DIR) + "/models/rnn-stacked.yaml";

std::string file_with(const std::string& recurrent, const std::string& rest = "") {
  return "name: stack\nrecurrent: {cell: rnn, input_size: 1, hidden_size: 20, steps: 1000, " + recurrent +
         "}\nhead: {out_features: 10}\n" + rest;
}

Json method_of(const Json& report, const std::string& name) {
  for (const Json& method : report["methods"]) {
    if (method["name"] == name) return method;
  }
  ADD_FAILURE() << "no " << name << " in " << report["methods"].size() << " methods";
  return {};
}

TEST(Stack, ProfileCountsEveryWay) {
  const Json profile = json_of({"profile", kModel});
  EXPECT_EQ(profile["model"]["recurrent"]["layers"], 4);
  EXPECT_EQ(profile["layers"], 4);
  EXPECT_EQ(profile["steps"], 1000);
  ASSERT_EQ(profile["methods"].size(), 1 + 3 * 2);
  for (const Json& method : profile["methods"]) {
    EXPECT_TRUE(has_keys(method, {"name", "levels", "addition_levels", "ops", "flops", "addition_flops",
                                  "per_step_flops", "critical_path_flops", "makespan", "ratio_to_wavefront",
                                  "memory_bytes", "predicted", "levels_detail"}));
    std::uint64_t levels = 0;
    for (const Json& stage : method["levels_detail"]) levels += stage["repeat"].get<std::uint64_t>();
    EXPECT_EQ(levels, method["levels"]) << method["name"];
    EXPECT_LE(method["levels"], method["predicted"]["levels"]);
    EXPECT_EQ(method["makespan"]["flops"], method["critical_path_flops"]) << "as many workers as operations";
  }
  const Json wavefront = method_of(profile, "wavefront");
  EXPECT_EQ(wavefront["levels"], 4 + 1000 - 2);
  EXPECT_EQ(wavefront["flops"], (3 * 1000 + 4 * 999) * 2 * 20 * 20);
  EXPECT_EQ(wavefront["addition_flops"], 3 * 999 * 20);
  EXPECT_EQ(profile["chain_build"]["values"], (3 * 1000 + 4 * 999) * 20 * 20);
  const Json scan = method_of(profile, "layers-then-time/kogge-stone");
  EXPECT_EQ(scan["levels"], 2 + 10);
  EXPECT_EQ(scan["addition_levels"], 2 * 10);
  EXPECT_EQ(method_of(profile, "products-ahead/hybrid:9")["mm_ops"],
            method_of(profile, "layer-by-layer/hybrid:9")["mm_ops"]);
}

TEST(Stack, ProfileTakesADepth) {
  const Json linear = json_of({"profile", kModel, "--schedule", "linear"});
  EXPECT_EQ(linear["methods"].size(), 6) << "products-ahead needs products";
  EXPECT_EQ(method_of(linear, "layers-then-time/linear")["levels"], 2 + 999);
  EXPECT_EQ(method_of(json_of({"profile", kModel, "--schedule", "hybrid:3"}), "layer-by-layer/hybrid:3")["feasible"],
            true);
}

TEST(Stack, SearchSaysWhichWayAndFromHowManyWorkersOn) {
  const Json search = json_of({"search", kModel});
  EXPECT_EQ(search["model"], "rnn-stacked");
  EXPECT_EQ(search["methods"].size(), 1 + (10 + 1) + (10 + 1) + (9 + 1));
  EXPECT_TRUE(search["scan_pays"]);
  for (const Json& method : search["methods"]) EXPECT_GE(method["score"], search["best"]["score"]);
  const std::uint64_t workers = search["overtaking"]["workers"];
  const auto best_with = [&](std::uint64_t count) {
    return json_of({"search", kModel, "--workers", std::to_string(count)})["best"]["name"];
  };
  EXPECT_EQ(best_with(1), "wavefront");
  EXPECT_EQ(best_with(workers - 1), "wavefront");
  EXPECT_EQ(best_with(workers), search["overtaking"]["method"]);
  EXPECT_EQ(json_of({"search", kModel, "--objective", "work-flops"})["best"]["name"], "wavefront");
  const Json tight = json_of({"search", kModel, "--memory", "1"});
  EXPECT_TRUE(tight["best"].is_null());
  EXPECT_THAT(tight["methods"][0]["reason"], HasSubstr("more than the limit of 1 bytes"));
}

TEST(Stack, CountsAnyNumberOfStepsAndAGru) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("long.yaml",
                   "name: long\nrecurrent: {cell: gru, layers: 3, input_size: 1, hidden_size: 20, steps: 100000000}\n"
                   "head: {out_features: 10}\n");
  const Json search = json_of({"search", file, "--workers", "4096"});
  EXPECT_EQ(method_of(search, "wavefront")["levels"], 100'000'001);
  EXPECT_EQ(method_of(search, "layers-then-time/kogge-stone")["levels"], 2 + 27);
  const Json shorter = json_of({"profile", file, "--steps", "7", "--hidden", "3"});
  EXPECT_EQ(shorter["steps"], 7);
  EXPECT_EQ(shorter["hidden"], 3);
}

TEST(Stack, ReportsForPeopleAndTables) {
  const Finished text = upsweep({"search", kModel});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("4 layers of rnn of 20 hidden elements, 1000 steps"));
  EXPECT_THAT(text.out, HasSubstr("<- best"));
  EXPECT_THAT(text.out, HasSubstr("Fewest steps: layers-then-time/"));
  EXPECT_THAT(text.out, HasSubstr(" with ops that workers share: the scan pays;"));
  EXPECT_THAT(text.out, HasSubstr("scans overtake the wavefront from "));
  EXPECT_THAT(upsweep({"search", kModel, "--workers", "1"}).out,
              HasSubstr(" with ops that workers share: the scan does not pay"));
  EXPECT_EQ(lines(upsweep({"search", kModel, "--format", "csv"}).out), 1 + 33);
  EXPECT_EQ(lines(upsweep({"profile", kModel, "--format", "csv"}).out), 1 + 7);
}

TEST(Stack, OneLayerIsReportedAsBefore) {
  const TemporaryFolder folder;
  const Json with = json_of({"profile", folder.write("one.yaml", file_with("layers: 1"))});
  const Json without = json_of({"profile", folder.write("none.yaml", file_with("batch: 1"))});
  EXPECT_EQ(with, without);
}

TEST(Stack, IsStoredWithEveryWay) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  for (const char* command : {"profile", "search"}) EXPECT_EQ(upsweep({command, kModel, "--db", db}).exit_code, 0);
  EXPECT_EQ(json_of({"runs", "--db", db}).size(), 2U);
  const Json run = json_of({"runs", "show", "2", "--db", db});
  EXPECT_EQ(run["passes"].size(), 33U);
  EXPECT_EQ(run["passes"][0]["method"], "wavefront");
}

TEST(Stack, RefusesWhatIsWrong) {
  const TemporaryFolder folder;
  struct Refusal {
    const char* command;
    std::string text;
    const char* error;
  };
  const std::string huge =
      "name: stack\nrecurrent: {cell: rnn, layers: 1024, input_size: 1, hidden_size: 65536, steps: "
      "500000000000}\nhead: {out_features: 10}\n";
  const std::vector<Refusal> cases = {
      {"profile", file_with("layers: 0"), "net.yaml:2: layers of recurrent is '0', accepted is"},
      {"profile", file_with("layers: 1025"), "net.yaml:2: layers of recurrent is '1025'"},
      {"search", file_with("layers: [2, 3]"), "net.yaml:2: layers of recurrent is a list of 2"},
      {"search", file_with("layers: two"), "net.yaml:2: layers of recurrent is 'two'"},
      {"profile", file_with("layers: 2, fused: false"), "layers of recurrent is 2 with fused: false"},
      {"profile", file_with("layers: 2", "weights: {values: w}\n"), "values of weights of a stack of layers"},
      {"search", huge, "net.yaml: a count exceeds 64 bits"},
      {"validate", file_with("layers: 2"), "net.yaml:2: layers of recurrent is 2, accepted is 1"},
  };
  for (const Refusal& refusal : cases) {
    const Finished run = upsweep({refusal.command, folder.write("net.yaml", refusal.text)});
    EXPECT_EQ(run.exit_code, 3) << refusal.text;
    EXPECT_THAT(run.err, HasSubstr(refusal.error));
    EXPECT_EQ(lines(run.err), 1);
  }
}

TEST(Stack, SaysWhichOptionsDoNotGo) {
  const std::string machine = std::string(UPSWEEP_SOURCE_DIR) + "/configs/machines/rtx-2070.yaml";
  const Finished with_machine = upsweep({"profile", kModel, "--machine", machine});
  EXPECT_EQ(with_machine.exit_code, 3);
  EXPECT_THAT(with_machine.err, HasSubstr("--machine with a stack of layers, accepted is none"));
  const Finished dag = upsweep({"search", kModel, "--execution", "dag"});
  EXPECT_EQ(dag.exit_code, 3);
  EXPECT_THAT(dag.err, HasSubstr("--execution dag with a stack of layers, accepted is level"));
  EXPECT_EQ(upsweep({"search", kModel, "--execution", "level"}).exit_code, 0);
  EXPECT_EQ(upsweep({"search", kModel, "--workers", "0"}).exit_code, 2);
}

TEST(Stack, TrainRefusesIt) {
  const TemporaryFolder folder;
  static_cast<void>(folder.write("net.yaml", file_with("layers: 2")));
  const std::string train =
      folder.write("train.yaml",
                   "name: stack\nmodel: net.yaml\ntrain: {data: {bitstream: {samples: 32, seed: 1}}, optimizer: {adam: "
                   "{learning_rate: 0.1}}, batch: 4, iterations: 1, backward: [bptt]}\n");
  const Finished run = upsweep({"train", train});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("layers of recurrent is 2, accepted is 1"));
}

}  // namespace
}  // namespace upsweep::testing::cli_stacked_test

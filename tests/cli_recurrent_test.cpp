#include <gmock/gmock.h>

#include "support/command_line.hpp"
#include "support/files.hpp"

namespace upsweep::testing::cli_recurrent_test {
namespace {

using ::testing::HasSubstr;

const std::string kModels = std::string(UPSWEEP_SOURCE_DIR) + "/models/";

TEST(Recurrent, ProfilesAnySequenceLength) {
  const TemporaryFolder folder;
  const std::string file = folder.write("long.yaml",
                                        "name: long\nrecurrent: {cell: rnn, input_size: 1, hidden_size: 20, steps: "
                                        "100000000}\nhead: {out_features: 10}\n");
  const Json linear = json_of({"profile", file, "--schedule", "linear"});
  EXPECT_EQ(linear["totals"]["all"]["ops"], 99'999'999);
  EXPECT_EQ(linear["linear"]["flops"], 99'999'999ULL * 2 * 20 * 20);
  const Json scan = json_of({"profile", file});
  EXPECT_EQ(scan["schedule"]["length"], 100'000'001);
  std::uint64_t levels = 0;
  for (const Json& run : scan["levels"]) levels += run["repeat"].get<std::uint64_t>();
  EXPECT_EQ(levels, scan["schedule"]["levels"]);
  EXPECT_EQ(scan["pram"]["makespan"]["level"]["unit"], scan["pram"]["steps"]);
}

TEST(Recurrent, ValidatesTheSmallestCell) {
  const TemporaryFolder folder;
  const std::string model = folder.write("m.yaml",
                                         "name: one\nrecurrent: {cell: rnn, input_size: 1, hidden_size: 1, steps: 2, "
                                         "batch: 1}\nhead: {out_features: 1}\n");
  const Finished run = upsweep({"validate", model, "--backend", "reference", "--no-prediction"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST(Recurrent, SearchSaysFromHowManyWorkersOnAScanWins) {
  for (const char* model : {"rnn-bitstream.yaml", "rnn-bitstream-unfused.yaml", "gru-irmas-s.yaml"}) {
    const Json search = json_of({"search", kModels + model, "--schemes", "hybrid"});
    EXPECT_TRUE(search["scan_pays"]) << model << ": with a worker for every op";
    const std::uint64_t workers = search["overtaking"]["workers"];
    const auto best_with = [&](std::uint64_t count) {
      return json_of(
          {"search", kModels + model, "--schemes", "hybrid", "--workers", std::to_string(count)})["best"]["depth"];
    };
    EXPECT_EQ(best_with(workers - 1), 0) << model;
    EXPECT_GT(best_with(workers), 0) << model;
  }
  const Finished text = upsweep({"search", kModels + "rnn-bitstream.yaml"});
  EXPECT_THAT(text.out, HasSubstr("Where each op runs on one worker, scans overtake plain BP from "));
  EXPECT_EQ(lines(upsweep({"search", kModels + "rnn-bitstream.yaml", "--format", "csv", "--schemes", "hybrid"}).out),
            1 + 10);
}

TEST(Recurrent, RefusesWhatClosedFormsDoNotSay) {
  const Finished run = upsweep({"profile", kModels + "rnn-bitstream.yaml", "--pattern", "sample"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("--pattern sample"));
}

TEST(Recurrent, ValidateProvesAllGradientsOfEveryMethod) {
  for (const char* model : {"rnn-bitstream.yaml", "rnn-bitstream-unfused.yaml", "gru-irmas-s.yaml"}) {
    const Json json = json_of({"validate", kModels + model, "--steps", "21", "--batch", "2", "--hidden", "4",
                               "--all-depths", "--no-prediction"});
    EXPECT_TRUE(json["valid"]) << model;
    EXPECT_EQ(json["model"]["recurrent"]["steps"], 21);
    const bool is_fused = json["model"]["recurrent"]["fused"];
    EXPECT_EQ(json["passes"].size(), is_fused ? 1 + 5 + 3 : 1 + 6) << model << ": the baseline, depths, blocks";
    for (const Json& pass : json["passes"]) {
      EXPECT_TRUE(pass["failed"].is_null()) << pass;
      EXPECT_EQ(pass["hidden_gradients"]["elements"], 22 * 2 * 4) << "every hidden gradient was compared";
      EXPECT_LE(pass["hidden_gradients"]["worst_share_of_bound"], 1);
      EXPECT_GT(pass["parameter_gradients"]["elements"], 4 * 4);
      EXPECT_GT(pass["measured_s"], 0);
      EXPECT_TRUE(pass["predicted_s"].is_null());
    }
  }
}

TEST(Recurrent, ValidateRefusesWhatItCannotRun) {
  const std::string model = kModels + "rnn-bitstream.yaml";
  struct Refusal {
    std::vector<std::string> options;
    int exit_code;
    const char* text;
  };
  const std::vector<Refusal> cases = {
      {{"--schedule", "diagonal"}, 2, "--schedule: 'diagonal' is no backward method"},
      {{"--backend", "eigen"},
       2,
       "--backend: 'eigen' is no backend of recurrent passes, accepted are reference, cpu, cuda, cudnn"},
      {{"--machine", "x.yaml"}, 3, "--machine, accepted is none"},
      {{"--force"}, 3, "--force, accepted is none"},
      {{"--backend", "reference", "--all-depths"}, 2, "which has bptt only"},
      {{"--backend", "reference", "--schedule", "blelloch", "--steps", "5"}, 4, "reference has no blelloch"},
      {{"--execution", "dag"}, 3, "--execution dag, accepted is level"},
      {{"--label", "3"}, 3, "accepted is --loss-seed"},
      {{"--steps", "1"}, 2, "--steps is '1', accepted is an integer from 2"},
      {{"--workers", "100000"}, 4, "--workers is 100000"},
      {{"--steps", "0"}, 2, "--steps is '0', accepted is an integer from 2"},
      {{"--steps", "1000000000000"}, 2, "--steps"},
      {{"--steps", "2000000", "--schedule", "linear"}, 4, "and linear 47.68 GiB"},
      {{"--steps", "100000000000"}, 4, "fewer --steps or a smaller --batch lower all of it"},
  };
  for (const Refusal& refusal : cases) {
    std::vector<std::string> command = {"validate", model};
    command.insert(command.end(), refusal.options.begin(), refusal.options.end());
    const Finished run = upsweep(command);
    EXPECT_EQ(run.exit_code, refusal.exit_code) << run.err;
    EXPECT_THAT(run.err, HasSubstr(refusal.text));
  }
  const Finished other = upsweep({"validate", kModels + "lenet5.yaml", "--backend", "cudnn"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("is no backend of networks of operators, accepted are reference, cpu"));
}

TEST(Recurrent, ExplodingGradientsAreReportedWithTheirStep) {
  const TemporaryFolder folder;
  const std::string head = npy<float>("<f4", "(2, 1)", {1, -1});
  static_cast<void>(folder.write("w/weight_ih_l0.npy", npy<float>("<f4", "(1, 1)", {0})));
  static_cast<void>(folder.write("w/weight_hh_l0.npy", npy<float>("<f4", "(1, 1)", {1e15F})));
  static_cast<void>(folder.write("w/head.npy", head));
  const std::string model = folder.write("net.yaml",
                                         "name: net\nrecurrent: {cell: rnn, input_size: 1, hidden_size: 1, steps: 6}\n"
                                         "head: {out_features: 2}\nweights: {values: w}\n");
  const Finished run = upsweep({"validate", model, "--no-prediction"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("the gradient explodes: it is infinite from h_3 on"));
}

TEST(Recurrent, EveryCommandStoresItsRuns) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  const std::string model = kModels + "rnn-bitstream.yaml";
  const std::string gpu = std::string(UPSWEEP_SOURCE_DIR) + "/configs/machines/rtx-2070.yaml";
  const std::string train = std::string(UPSWEEP_SOURCE_DIR) + "/configs/training/rnn-bitstream.yaml";
  const std::vector<std::vector<std::string>> commands = {
      {"profile", model},
      {"search", model},
      {"profile", model, "--machine", gpu},
      {"search", model, "--machine", gpu},
      {"validate", model, "--steps", "20", "--batch", "1", "--hidden", "4", "--no-prediction"},
      {"train", train, "--iterations", "3", "--steps", "10", "--batch", "2", "--backward", "bptt,blelloch"}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.end(), {"--db", db});
    const Finished run = upsweep(command);
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }
  const Json runs = json_of({"runs", "--db", db});
  ASSERT_EQ(runs.size(), commands.size());
  for (const Json& run : runs) EXPECT_FALSE(run["schedule"].is_null()) << run;
  const Json validated = json_of({"runs", "show", "5", "--db", db});
  EXPECT_EQ(validated["passes"][0]["method"], "bptt");
  EXPECT_GT(validated["passes"][1]["measured_s"], 0);
  EXPECT_EQ(json_of({"runs", "show", "6", "--db", db})["losses"].size(), 2 * 3);
  EXPECT_THAT(upsweep({"runs", "show", "4", "--db", db}).out, HasSubstr("predicted"));
  EXPECT_EQ(upsweep({"runs", "delete", "6", "--db", db}).exit_code, 0);
}

const std::string kMachines = std::string(UPSWEEP_SOURCE_DIR) + "/configs/machines/";

TEST(Recurrent, PredictsSecondsOnAMachine) {
  const std::string model = kModels + "rnn-bitstream.yaml";
  const Json json = json_of({"profile", model, "--machine", kMachines + "rtx-2070.yaml"});
  const Json& predicted = json["predicted"];
  EXPECT_TRUE(json.contains("totals")) << "counts stay";
  for (const char* phase : {"forward", "sequential", "jacobians", "up", "middle", "down", "parameter_gradients"}) {
    EXPECT_TRUE(has_keys(predicted[phase], {"seconds", "bound", "parts_s", "kernels", "flops", "bytes"})) << phase;
  }
  EXPECT_EQ(predicted["machine"], "nvidia-rtx-2070");
  EXPECT_EQ(predicted["assumptions"]["backward_kernels"], 2);
  EXPECT_EQ(predicted["sequential"]["kernels"], 2000);
  const double more = json_of({"profile", model, "--machine", kMachines + "rtx-2070.yaml", "--backward-kernels", "3",
                               "--host-launch-us", "2"})["predicted"]["sequential"]["seconds"];
  EXPECT_GT(more, 1.5 * predicted["sequential"]["seconds"].get<double>());
  const Json blocked = json_of({"profile", model, "--machine", kMachines + "rtx-2070.yaml", "--schedule", "blocked:8"});
  EXPECT_EQ(blocked["predicted"]["method"], "blocked:8");
  EXPECT_EQ(blocked["predicted"]["up"]["kernels"], 2);
  const std::string csv =
      upsweep({"profile", model, "--machine", kMachines + "h200-sxm-141gb.yaml", "--format", "csv"}).out;
  EXPECT_EQ(lines(csv), 1 + 7);
  const Finished text = upsweep({"profile", model, "--machine", kMachines + "rtx-2070.yaml"});
  EXPECT_THAT(text.out, HasSubstr("Speed-up "));
  EXPECT_THAT(text.out, HasSubstr("Assumed: 2 kernels per step forward and 2 backward"));
}

TEST(Recurrent, SearchRanksPassesByPredictedSeconds) {
  const std::string model = kModels + "gru-irmas-s.yaml";
  const std::vector<std::string> command = {"search", model, "--machine", kMachines + "rtx-2080-ti.yaml"};
  const Json search = json_of(command);
  EXPECT_TRUE(has_keys(search, {"objective", "candidates", "best", "margin", "scan_pays", "overtaking",
                                "overtaking_one_kernel", "sequential", "assumptions"}));
  EXPECT_EQ(search["candidates"][0]["schedule"], "bptt");
  EXPECT_EQ(search["candidates"][0]["predicted"]["speedup"]["backward"], 1);
  for (const Json& candidate : search["candidates"]) EXPECT_GE(candidate["score"], search["best"]["score"]);
  EXPECT_GE(search["overtaking"]["steps"], 2);
  std::vector<std::string> csv = command;
  csv.insert(csv.end(), {"--format", "csv"});
  EXPECT_EQ(lines(upsweep(csv).out), 1 + static_cast<long>(search["candidates"].size()));
  const Finished text = upsweep(command);
  EXPECT_THAT(text.out, HasSubstr("<- best"));
  EXPECT_THAT(text.out, HasSubstr("in one kernel (blocked:1)"));
}

TEST(Recurrent, OverridesTheSizesOfTheFile) {
  const std::string model = kModels + "rnn-bitstream.yaml";
  const Json profile = json_of({"profile", model, "--steps", "77", "--hidden", "5", "--batch", "3"});
  EXPECT_EQ(profile["schedule"]["length"], 78);
  EXPECT_EQ(profile["linear"]["flops"], 76 * 2 * 5 * 5);
  EXPECT_EQ(profile["model"]["recurrent"]["batch"], 3);
  const Json search = json_of({"search", model, "--steps", "100000000", "--machine", kMachines + "pram-unit.yaml"});
  EXPECT_EQ(search["steps"], 100'000'000);
  EXPECT_TRUE(search["scan_pays"]);
}

TEST(Recurrent, SaysWhyAnOptionDoesNotGo) {
  const std::string model = kModels + "rnn-bitstream.yaml";
  const std::string gpu = kMachines + "rtx-2070.yaml";
  struct Refusal {
    std::vector<std::string> command;
    int exit_code;
    std::string text;
  };
  const std::vector<Refusal> cases = {
      {{"profile", kModels + "lenet5.yaml", "--steps", "4"}, 2, "--steps is for recurrent models"},
      {{"search", kModels + "lenet5.yaml", "--host-launch-us", "4", "--machine", gpu}, 2, "--host-launch-us is for"},
      {{"search", model, "--steps", "1"}, 2, "--steps is '1', accepted is an integer from 2 to"},
      {{"search", model, "--hidden", "0"}, 2, "--hidden is '0', accepted is"},
      {{"search", model, "--batch", "1000001"}, 2, "--batch is '1000001', accepted is an integer from 1 to 1000000"},
      {{"search", model, "--forward-kernels", "2"},
       2,
       "--forward-kernels is an assumption of predictions, accepted is"},
      {{"search", model, "--machine", gpu, "--host-launch-us", "-1"}, 2, "--host-launch-us is '-1', accepted is"},
      {{"search", model, "--machine", gpu, "--live"}, 2, "accepted is time of all ops"},
      {{"profile", model, "--schedule", "blocked:4"}, 2, "predicted on a machine, accepted is with --machine"},
      {{"profile", model, "--schedule", "blocked:0", "--machine", gpu},
       2,
       "--schedule is 'blocked:0', accepted are blocked:P"},
      {{"profile", kModels + "lenet5.yaml", "--schedule", "blocked:4:2"}, 2, "'blocked:4:2', accepted are"},
      {{"profile", model, "--schedule", "kogge-stone"},
       2,
       "accepted of a recurrent model are linear, blelloch, hybrid"},
      {{"validate", model, "--schedule", "sklansky"}, 2, "'sklansky' is no backward method, accepted are bptt, linear"},
      {{"validate", model, "--all-schedules"}, 3, "--all-schedules, accepted is --all-depths with a recurrent model"},
      {{"search", model, "--schemes", "all", "--machine", gpu}, 2, "--schemes with --machine and a recurrent model"},
      {{"search", kModels + "rnn-stacked.yaml", "--schemes", "all"}, 2, "--schemes with a stack of layers"},
  };
  for (const Refusal& refusal : cases) {
    const Finished run = upsweep(refusal.command);
    EXPECT_EQ(run.exit_code, refusal.exit_code) << refusal.text;
    EXPECT_THAT(run.err, HasSubstr(refusal.text));
  }
}

TEST(Recurrent, SaysWhatAMachineLacks) {
  const TemporaryFolder folder;
  const std::string rates =
      "provenance: {origin: datasheet}\nrates:\n  - workers: 1\n    op_latency_us: 1\n    level_latency_us: 2\n"
      "    bandwidth_GBps: 9\n    fp32: {compute_TFLOPps: 2}\n    fp64: {compute_TFLOPps: 1}\n";
  const std::string model = kModels + "rnn-bitstream.yaml";
  const std::string gpu = folder.write("gpu.yaml", "name: x\nkind: gpu\nfill_teams: 8\n" + rates);
  const Finished bare = upsweep({"search", model, "--machine", gpu});
  EXPECT_EQ(bare.exit_code, 3);
  EXPECT_THAT(bare.err, HasSubstr(gpu + ": it has no small_products, accepted is a mapping with multiprocessors"));
  const Finished half =
      upsweep({"search", model, "--machine",
               folder.write("half.yaml",
                            "name: x\nkind: gpu\nfill_teams: 8\nsmall_products:\n  multiprocessors: 4\n" + rates)});
  EXPECT_EQ(half.exit_code, 3);
  EXPECT_THAT(half.err, HasSubstr("half.yaml:5: clock of small_products is missing"));
  const Finished cpu =
      upsweep({"profile", model, "--machine", folder.write("cpu.yaml", "name: x\nkind: cpu\n" + rates)});
  EXPECT_EQ(cpu.exit_code, 3);
  EXPECT_THAT(cpu.err, HasSubstr("it is of kind cpu, accepted are gpu and pram; validate measures"));
}

}  // namespace
}  // namespace upsweep::testing::cli_recurrent_test

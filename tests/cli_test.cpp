#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>

#include <algorithm>

#include "support/command_line.hpp"
#include "support/files.hpp"
#include "upsweep/devices/registry.hpp"

namespace upsweep::testing::cli_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kModels = std::string(UPSWEEP_SOURCE_DIR) + "/models/";
const std::string kUnitPram = std::string(UPSWEEP_SOURCE_DIR) + "/configs/machines/pram-unit.yaml";

std::string query(const std::string& file, const std::string& sql) {
  const Finished run = run_program({"/usr/bin/sqlite3", file, sql});
  return run.exit_code == 0 ? run.out : "error: " + run.err;
}

TEST(Profile, PrintsTheObjectOfTheContract) {
  const Json profile = json_of({"profile", kModels + "lenet5.yaml", "--schedule", "hybrid:9"});
  EXPECT_TRUE(has_keys(profile, {"model", "pattern", "schedule", "ops", "levels", "totals", "baseline", "linear",
                                 "chain_build", "pram"}));
  EXPECT_EQ(profile["schedule"],
            (Json{{"name", "hybrid:3"}, {"requested", "hybrid:9"}, {"depth", 3}, {"length", 12}, {"levels", 5}}));
  EXPECT_EQ(profile["model"]["input"], (Json{1, 28, 28}));
  const Json& conv = profile["model"]["operators"][0];
  EXPECT_EQ(conv["index"], 1);
  EXPECT_TRUE(has_keys(conv, {"name", "kind", "in_shape", "out_shape", "jacobian", "baseline_flops"}));
  EXPECT_TRUE(has_keys(conv["jacobian"], {"rows", "cols", "nnz", "sparsity", "bytes"}));
  EXPECT_TRUE(profile["model"]["operators"][6]["jacobian"].is_null()) << "flatten is a view";
  EXPECT_TRUE(has_keys(profile["ops"][0], {"id", "phase", "level", "left", "right", "target", "kind", "dead", "m", "k",
                                           "n", "left_nnz", "right_nnz", "nnz", "flops", "bytes"}));
  EXPECT_TRUE(has_keys(profile["levels"][0], {"level", "phase", "ops", "flops_sum", "flops_max"}));
  for (const char* scope : {"all", "live"}) {
    EXPECT_TRUE(has_keys(profile["totals"][scope], {"ops", "flops", "critical_path_flops"}));
    EXPECT_TRUE(has_keys(profile["totals"][scope]["critical_path_flops"], {"level", "dag"}));
  }
  EXPECT_TRUE(has_keys(profile["pram"], {"workers", "steps", "work", "per_step_flops", "makespan", "peak_live_bytes"}));
  EXPECT_TRUE(profile["pram"]["makespan"]["dag"]["flops"].is_number_integer()) << "integral counts have no fraction";
}

TEST(Profile, DefaultsToBlellochAndTheWidestLevel) {
  const Json profile = json_of({"profile", kModels + "mlp-mnist.yaml"});
  EXPECT_EQ(profile["schedule"]["requested"], "blelloch");
  EXPECT_EQ(profile["schedule"]["name"], "hybrid:2");
  EXPECT_EQ(profile["pram"]["workers"], 3);
}

TEST(Profile, SaysWhereAScheduleHasNoMoreLevels) {
  const auto notes = [](const std::string& model, const std::string& schedule) {
    const Finished run = upsweep({"profile", kModels + model, "--schedule", schedule});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.err;
  };
  EXPECT_EQ(notes("lenet5.yaml", "hybrid:9"), "upsweep: hybrid:9 over 12 elements is hybrid:3\n");
  EXPECT_EQ(notes("lenet5.yaml", "blocked:99"), "upsweep: blocked:99 over 12 elements is blocked:11\n");
  EXPECT_EQ(notes("rnn-bitstream.yaml", "hybrid:90"), "upsweep: hybrid:90 over 1001 elements is hybrid:9\n");
  for (const char* schedule : {"hybrid:3", "hybrid:0", "blelloch", "kogge-stone"})
    EXPECT_EQ(notes("lenet5.yaml", schedule), "") << schedule << " is what was asked for";
}

TEST(Search, IgnoresNothingThatWasAskedFor) {
  const Finished setup = upsweep({"search", kModels + "lenet5.yaml", "--setup", "3"});
  EXPECT_EQ(setup.exit_code, 2);
  EXPECT_THAT(setup.err, HasSubstr("--setup is paid back by seconds that a scan saves, accepted is with --machine"));
  const Finished estimate = upsweep({"search", kModels + "lenet5.yaml", "--estimate", "2%"});
  EXPECT_EQ(estimate.err, "upsweep: nothing needed estimating: every schedule was counted\n");
}

TEST(CommandLine, ErrorsOfItsSyntaxSayWhatIsAccepted) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"profile", "m.yaml", "--machien", "x"},
       "--machien is no option of upsweep profile: did you mean --machine?, accepted are those that 'upsweep profile "
       "--help' lists"},
      {{"search", "m.yaml", "extra", "words"}, "'extra' is one argument too many, accepted is upsweep search MODEL"},
      {{"runs", "show", "1", "2"}, "'2' is one argument too many, accepted is upsweep runs"},
      {{"profile"}, "MODEL is required, accepted is upsweep profile MODEL"},
      {{"profile", "m.yaml", "--workers"}, "--workers has no value, accepted is --workers P"},
      {{"search", "m.yaml", "--format", "csv", "--format", "json"}, "--format is given 2 times, accepted is once"},
      {{"search", "m.yaml", "--pattern", "a: b"}, "--pattern is 'a: b', accepted are guaranteed, sample"},
      {{}, "no command is named, accepted are profile, search"},
      {{"runs", "show"}, "no run and no study is given, accepted is either ID of a run or --study N"}};
  for (const auto& [arguments, message] : wrong) {
    const Finished run = upsweep(arguments);
    EXPECT_EQ(run.exit_code, 2) << message;
    EXPECT_THAT(run.err, StartsWith("upsweep: error: " + message));
    EXPECT_EQ(lines(run.err), 2) << "the error, and how the command is called: " << run.err;
    EXPECT_EQ(run.out, "") << message;
  }
}

TEST(Profile, OfASingleOperatorHasNoOps) {
  const TemporaryFolder folder;
  const Json profile = json_of({"profile", folder.write("m.yaml", "input: [3]\noperators: [relu]\n")});
  EXPECT_TRUE(profile["ops"].empty());
  EXPECT_EQ(profile["schedule"]["name"], "linear");
  EXPECT_EQ(profile["pram"]["workers"], 1);
  EXPECT_EQ(profile["pram"]["peak_live_bytes"], 12);
  EXPECT_EQ(upsweep({"search", folder.path("m.yaml")}).exit_code, 0);
}

TEST(Profile, WritesTablesAndCsv) {
  const Finished table = upsweep({"profile", kModels + "lenet5.yaml"});
  EXPECT_EQ(table.exit_code, 0);
  EXPECT_THAT(table.out, HasSubstr("Jacobian^T"));
  EXPECT_THAT(table.out, HasSubstr("live, without dead ops"));
  EXPECT_EQ(table.err, "") << "no progress where nobody watches";
  const Finished csv = upsweep({"profile", kModels + "lenet5.yaml", "--format", "csv"});
  EXPECT_THAT(
      csv.out,
      StartsWith("id,phase,level,left,right,target,kind,dead,m,k,n,left_nnz,right_nnz,nnz,products,flops,bytes,span,"
                 "exact,interval_low,interval_high,nnz_interval_low,nnz_interval_high\r\n"));
  EXPECT_EQ(lines(csv.out), 1 + 17);
}

TEST(Search, NamesTheBestDepthAndTheReferences) {
  const Json search = json_of({"search", kModels + "vgg11-quarter-pruned90.yaml", "--pattern", "sample", "--objective",
                               "critical-flops", "--schemes", "hybrid"});
  EXPECT_TRUE(
      has_keys(search, {"objective", "execution", "workers", "candidates", "best", "margin", "linear", "baseline"}));
  EXPECT_EQ(search["best"]["depth"], 1);
  EXPECT_EQ(search["best"]["score"], 2445006);
  EXPECT_EQ(search["linear"]["flops"], 3194605.5);
  EXPECT_NEAR(search["best"]["ratio_to_linear"].get<double>(), 2445006 / 3194605.5, 1e-12);
  EXPECT_NEAR(search["best"]["speedup_over_linear"].get<double>(), 3194605.5 / 2445006, 1e-12) << "more is better";
  EXPECT_NEAR(search["verdict"]["baselines"][0]["speedup"].get<double>(), 3194605.5 / 2445006, 1e-12);
  EXPECT_EQ(search["candidates"].size(), 5U);
  EXPECT_EQ(search["candidates"][4]["same_as"], 3);
  EXPECT_TRUE(has_keys(search["candidates"][0],
                       {"schedule", "depth", "feasible", "reason", "score", "flops", "critical_path_flops", "makespan",
                        "peak_live_bytes", "ratio_to_linear", "ratio_to_baseline"}));
  EXPECT_NEAR(search["margin"].get<double>(), 3194605.5 / 2445006 - 1, 1e-12);
}

TEST(Search, HasNoBestWhereNothingFits) {
  const Json search = json_of({"search", kModels + "lenet5.yaml", "--memory", "1KiB"});
  EXPECT_TRUE(search["best"].is_null());
  EXPECT_TRUE(search["margin"].is_null());
  EXPECT_THAT(search["candidates"][0]["reason"].get<std::string>(), HasSubstr("more than the limit of 1024 bytes"));
  EXPECT_THAT(upsweep({"search", kModels + "lenet5.yaml", "--memory", "1KiB"}).out,
              HasSubstr("No depth fits into the memory limit"));
}

TEST(Search, SaysThatACheaperDepthDoesNotFit) {
  const Finished run = upsweep({"search", kModels + "vgg11-quarter-pruned90.yaml", "--pattern", "sample", "--workers",
                                "16", "--memory", "20MiB"});
  EXPECT_THAT(run.out,
              HasSubstr("Depth 1 would be 1.307x faster than plain BP, but does not fit into the memory limit."));
  EXPECT_THAT(run.out, HasSubstr("On 16 workers, one input, dag execution, sample pattern, within 20.00 MiB: blocked:4 "
                                 "is 0.4373x as fast as plain BP "));
  EXPECT_THAT(run.out, HasSubstr(": the scan does not pay; "));
  EXPECT_EQ(
      upsweep({"search", kModels + "lenet5.yaml", "--pattern", "sample", "--memory", "4611686018427387904"}).exit_code,
      0);
}

TEST(Search, StoresTheFiguresOfAllOpsWhateverItsScope) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  ASSERT_EQ(upsweep({"search", kModels + "lenet5.yaml", "--workers", "2", "--db", db}).exit_code, 0);
  ASSERT_EQ(upsweep({"search", kModels + "lenet5.yaml", "--workers", "2", "--live", "--db", db}).exit_code, 0);
  EXPECT_EQ(query(db,
                  "select count(distinct makespan_dag_flops), count(distinct ops), count(distinct score) from "
                  "run_summary where depth = 2"),
            "1|1|2\n");
  EXPECT_EQ(query(db, "select distinct scope from run_summary"), "all\nlive\n");
}

TEST(Profile, ShowsTextThatIsNotUtf8AsReplaced) {
  const TemporaryFolder folder;
  const std::string file = folder.write("bad\xff.yaml", "input: [3]\noperators: [relu, tanh]\n");
  const std::string db = folder.path("runs.sqlite");
  EXPECT_EQ(upsweep({"profile", file, "--format", "json", "--db", db}).exit_code, 0);
  EXPECT_EQ(upsweep({"runs", "--db", db, "--format", "json"}).exit_code, 0);
}

TEST(Search, PrintsOneCsvTableOfCandidates) {
  const Finished csv = upsweep({"search", kModels + "lenet5.yaml", "--schemes", "hybrid", "--format", "csv"});
  EXPECT_THAT(csv.out, StartsWith("schedule,depth,feasible,reason,score,"));
  EXPECT_EQ(lines(csv.out), 1 + 4);
}

/// Validates LeNet-5 on the cpu backend against the unit PRAM, so that nothing has to be calibrated.
std::vector<std::string> validate_lenet(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"validate", kModels + "lenet5.yaml", "--machine", kUnitPram};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(Validate, ProvesEveryDepthOfLenetRight) {
  const Json report = json_of(validate_lenet({"--backend", "cpu", "--all-depths"}));
  EXPECT_TRUE(has_keys(report, {"model", "pattern", "input", "loss", "dtype", "backend", "device", "driver", "workers",
                                "execution", "machine", "schedules", "chain_build", "errors", "rank_agreement",
                                "regret", "predicted_best", "measured_best", "valid"}));
  EXPECT_EQ(report["valid"], true);
  EXPECT_EQ(report["model"], "lenet5");
  EXPECT_EQ(report["machine"], "pram-unit");
  EXPECT_EQ(report["backend"], "cpu");
  EXPECT_EQ(report["dtype"], "fp32");
  ASSERT_EQ(report["schedules"].size(), 4U);
  for (std::size_t depth = 0; depth < 4; ++depth) {
    const Json& one = report["schedules"][depth];
    EXPECT_TRUE(has_keys(one, {"schedule", "depth", "flops", "skipped", "failed", "predicted_s", "measured_s", "error",
                               "fastest_s", "repetitions", "plan", "value_bytes", "workspace_bytes", "mismatch",
                               "mismatch_op", "values", "levels", "ops", "notes"}));
    EXPECT_EQ(one["depth"], depth);
    EXPECT_TRUE(one["skipped"].is_null());
    EXPECT_TRUE(one["mismatch"].is_null());
    EXPECT_GT(one["values"]["elements"], 0);
    EXPECT_LE(one["values"]["worst_share_of_bound"], 1);
    EXPECT_GE(one["repetitions"], 3);
    EXPECT_GT(one["measured_s"], 0);
    double sum = 0;
    for (const Json& level : one["levels"]) {
      EXPECT_TRUE(has_keys(level, {"level", "phase", "ops", "flops_sum", "predicted_s", "measured_s", "error"}));
      sum += level["predicted_s"].get<double>();
    }
    EXPECT_EQ(sum, one["predicted_s"].get<double>());
    EXPECT_TRUE(has_keys(one["ops"][0], {"id", "nnz", "products", "flops", "predicted_alone_s", "measured_busy_s"}));
    const Json profile = json_of({"profile", kModels + "lenet5.yaml", "--schedule", "hybrid:" + std::to_string(depth),
                                  "--workers", std::to_string(report["workers"].get<std::size_t>())});
    EXPECT_EQ(one["predicted_s"], profile["pram"]["makespan"]["level"]["unit"]);
    ASSERT_EQ(one["ops"].size(), profile["ops"].size());
    for (std::size_t id = 0; id < one["ops"].size(); ++id) {
      EXPECT_EQ(one["ops"][id]["nnz"], profile["ops"][id]["nnz"]) << "counted by the backend and by the profile";
      EXPECT_EQ(one["ops"][id]["flops"], profile["ops"][id]["flops"]);
    }
  }
  EXPECT_EQ(report["errors"]["end_to_end"]["points"], 4);
}

TEST(Validate, WritesTablesAndCsv) {
  const Finished table = upsweep(validate_lenet({"--schedule", "hybrid:1", "--label", "3"}));
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("softmax cross-entropy of label 3"));
  EXPECT_THAT(table.out, HasSubstr("1 schedule ran: structure, nnz and products of every op are exactly as counted"));
  EXPECT_EQ(table.err, "") << "no progress where nobody watches";
  const Finished csv = upsweep(validate_lenet({"--schedule", "linear", "--format", "csv"}));
  EXPECT_THAT(csv.out, StartsWith("schedule,level,phase,ops,flops_sum,predicted_s,measured_s,error\r\n"));
  EXPECT_EQ(lines(csv.out), 1 + 10) << "a line per level";
}

TEST(Validate, RunsEveryPatternExecutionAndSequentialBackend) {
  for (const char* backend : {"cpu", "reference", "eigen"}) {
    const Json report = json_of(validate_lenet(
        {"--backend", backend, "--pattern", "sample", "--execution", "dag", "--input", "3", "--loss-seed", "9"}));
    EXPECT_EQ(report["valid"], true);
    EXPECT_EQ(report["input"], 3);
    EXPECT_EQ(report["execution"], "dag");
    EXPECT_EQ(report["pattern"], "sample");
    EXPECT_TRUE(report["schedules"][0]["levels"].empty()) << "levels have no times without barriers";
  }
}

TEST(Validate, StoresWhatItMeasured) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  const Finished run = upsweep(validate_lenet({"--all-depths", "--db", db}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("stored in " + db + " as runs 1, 2, 3, 4"));
  ASSERT_EQ(upsweep(validate_lenet({"--schedule", "linear", "--backend", "reference", "--db", db})).exit_code, 0);
  EXPECT_EQ(query(db, "select run_id, backend, execution, value_bytes, mismatch is null from measurements"),
            "1|cpu|level|4|1\n2|cpu|level|4|1\n3|cpu|level|4|1\n4|cpu|level|4|1\n5|reference|level|4|1\n");
  EXPECT_EQ(query(db, "select count(*) from machines"), "1\n");
  EXPECT_EQ(query(db, "select distinct machine, command from run_summary"), "pram-unit|validate\n");
  EXPECT_EQ(query(db,
                  "select count(*) from runs r join measurements m on m.run_id = r.id where (select count(*) from "
                  "measured_ops where measurement_id = m.id) != r.ops or (select count(*) from measured_levels where "
                  "measurement_id = m.id) != r.levels"),
            "0\n");
  EXPECT_EQ(query(db, "select count(*) from prediction_vs_measurement where level is null and error is not null"),
            "5\n");
  EXPECT_EQ(query(db,
                  "select count(*) from measured_ops p join measurements m on m.id = p.measurement_id join ops o on "
                  "o.run_id = m.run_id and o.id = p.op where o.nnz != p.nnz or o.products != p.products"),
            "0\n")
      << "what the backend counted and what the profile did";
}

TEST(Validate, SkipsWhatIsTooLargeAndSaysHowLarge) {
  const Json report =
      json_of({"validate", kModels + "vgg11-cifar10-pruned97.yaml", "--schedule", "hybrid:3", "--machine", kUnitPram});
  EXPECT_TRUE(report["valid"].is_null()) << "nothing ran, so nothing was proved";
  const Json& one = report["schedules"][0];
  EXPECT_EQ(one["schedule"], "hybrid:3");
  ASSERT_TRUE(one["skipped"].is_string());
  EXPECT_THAT(one["skipped"].get<std::string>(),
              HasSubstr(std::to_string(one["flops"].get<std::uint64_t>()) + " FLOPs, more than 20000000000"));
  EXPECT_TRUE(one["predicted_s"].is_number());
  EXPECT_FALSE(one.contains("measured_s"));
}

/// Exit code and message of a command that must fail with one line and no output.
std::pair<int, std::string> failure(const std::vector<std::string>& arguments) {
  const Finished run = upsweep(arguments);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(lines(run.err), 1) << run.err;
  EXPECT_THAT(run.err, StartsWith("upsweep: error: "));
  return {run.exit_code, run.err};
}

TEST(Validate, EndsWithCodeFourWhereTheBackendCannotRunAndSaysWhy) {
  bool all = true;
  for (const std::string& name : backend_names(Ability::networks)) {
    const Availability availability = make_backend(name)->availability();
    if (availability.available) continue;
    all = false;
    const auto [code, message] = failure(validate_lenet({"--backend", name}));
    EXPECT_EQ(code, 4) << name;
    EXPECT_THAT(message, HasSubstr(name + ": " + availability.reason));
  }
  if (all) GTEST_SKIP() << "every backend is available here";
}

TEST(Validate, EndsWithCodeFourForMoreWorkersThanTheMachineHas) {
  const auto [code, message] = failure(validate_lenet({"--workers", "100000"}));
  EXPECT_EQ(code, 4);
  EXPECT_THAT(message, HasSubstr("cpu: --workers is 100000, accepted are 1 to "));
}

TEST(Validate, EndsWithCodeThreeForAMachineWithFewerWorkersThanTheRun) {
  const std::string processors = std::to_string(make_backend("cpu")->facts().workers);
  if (processors == "1") GTEST_SKIP() << "one processor has no more workers than any machine";
  const TemporaryFolder folder;
  const std::string single = folder.write("single.yaml",
                                          "name: x\nkind: pram\nprovenance: {origin: definition}\nrates:\n"
                                          "  - workers: 1\n    op_latency_s: 1\n");
  const auto [code, message] = failure({"validate", kModels + "lenet5.yaml", "--machine", single});
  EXPECT_EQ(code, 3);
  EXPECT_THAT(message, HasSubstr(single + ": it has 1 workers, accepted is a machine with at least the " + processors));
  EXPECT_EQ(failure({"profile", kModels + "lenet5.yaml", "--machine", single, "--workers", "2"}).first, 3);
}

TEST(Validate, EndsWithCodeThreeForAnInputOrALabelThatTheModelDoesNotHave) {
  const auto [input_code, input] = failure(validate_lenet({"--input", "99"}));
  EXPECT_EQ(input_code, 3);
  EXPECT_THAT(input, HasSubstr("--input is 99, accepted are 0 to 3, the inputs of its sample"));
  const auto [label_code, label] = failure(validate_lenet({"--label", "10"}));
  EXPECT_EQ(label_code, 3);
  EXPECT_THAT(label, HasSubstr("--label is 10, accepted are 0 to 9"));
}

TEST(Machine, PredictsSecondsInProfileAndSearch) {
  const Json profile = json_of({"profile", kModels + "lenet5.yaml", "--machine", kUnitPram, "--workers", "2"});
  const Json& times = profile["time"];
  ASSERT_TRUE(times.is_object());
  EXPECT_EQ(times["machine"], "pram-unit");
  EXPECT_EQ(times["seconds"]["level"], profile["pram"]["makespan"]["level"]["unit"]);
  EXPECT_EQ(times["seconds"]["dag"], profile["pram"]["makespan"]["dag"]["unit"]);
  EXPECT_TRUE(times["build_seconds"].is_null());
  const Json search = json_of({"search", kModels + "lenet5.yaml", "--machine", kUnitPram, "--workers", "2"});
  EXPECT_EQ(search["machine"], "pram-unit");
  ASSERT_EQ(search["candidates"].size(), 4U);
  for (const Json& candidate : search["candidates"]) {
    EXPECT_EQ(candidate["seconds"]["level"], candidate["steps"]);
    EXPECT_EQ(candidate["score"], candidate["seconds"]["dag"]) << "scores are seconds of the machine";
  }
  EXPECT_THAT(upsweep({"search", kModels + "lenet5.yaml", "--machine", kUnitPram}).out,
              HasSubstr("predicted for one iteration on pram-unit"));
  EXPECT_THAT(upsweep({"profile", kModels + "lenet5.yaml", "--machine", kUnitPram}).out,
              HasSubstr("Predicted on pram-unit"));
}

TEST(Machine, ThatIsWrongIsBadInputForEveryCommand) {
  const TemporaryFolder folder;
  const std::string negative = folder.write("negative.yaml",
                                            "name: x\nkind: pram\nprovenance: {origin: definition}\nrates:\n"
                                            "  - workers: 1\n    op_latency_s: -1\n    level_latency_s: 0\n");
  for (const char* command : {"profile", "search", "validate"}) {
    for (const std::string& machine : {negative, folder.path("missing.yaml"), folder.path()}) {
      const auto [code, message] = failure({command, kModels + "lenet5.yaml", "--machine", machine});
      EXPECT_EQ(code, 3) << command << ", " << machine;
      EXPECT_THAT(message, HasSubstr(machine)) << command;
    }
    EXPECT_THAT(failure({command, kModels + "lenet5.yaml", "--machine", negative}).second, HasSubstr(negative + ":6: "))
        << "the line of the rate";
  }
}

TEST(CommandLine, RefusesWrongUsageBeforeOpeningAnyFile) {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"frobnicate"},
      {"profile"},
      {"profile", "/nonexistent.yaml", "--schedule", "hybrid"},
      {"profile", "/nonexistent.yaml", "--schedule", "hybrid:-1"},
      {"profile", "/nonexistent.yaml", "--workers", "0"},
      {"profile", "/nonexistent.yaml", "--workers", "two"},
      {"profile", "/nonexistent.yaml", "--pattern", "dense"},
      {"profile", "/nonexistent.yaml", "--format", "xml"},
      {"validate", "/nonexistent.yaml", "--backend", "tpu"},
      {"validate", "/nonexistent.yaml", "--all-depths", "--schedule", "linear"},
      {"validate", "/nonexistent.yaml", "--input", "-1"},
      {"validate", "/nonexistent.yaml", "--label", "cat"},
      {"validate", "/nonexistent.yaml", "--label", "1", "--loss-seed", "2"},
      {"calibrate"},
      {"calibrate", "--out", "x", "--backend", "eigen"},
      {"profile", "/nonexistent.yaml", "extra"},
      {"search", "/nonexistent.yaml", "--memory", "-5"},
      {"search", "/nonexistent.yaml", "--memory", "3 gb"},
      {"search", "/nonexistent.yaml", "--objective", "money"},
      {"search", "/nonexistent.yaml", "--execution", "both"},
      {"runs", "show"},
      {"runs", "show", "x"},
      {"runs", "burn"},
  };
  for (const auto& arguments : wrong) {
    const Finished run = upsweep(arguments);
    const std::string shown = arguments.empty() ? "(nothing)" : arguments.back();
    EXPECT_EQ(run.exit_code, 2) << shown << ": " << run.err;
    EXPECT_EQ(run.out, "") << shown;
    EXPECT_EQ(lines(run.err), 2) << run.err;
    EXPECT_THAT(run.err, StartsWith("upsweep: error: ")) << shown;
    EXPECT_THAT(run.err, HasSubstr("\nusage: upsweep")) << shown;
  }
}

TEST(CommandLine, HelpsOnEveryCommand) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{{"--help"},
                                                                                         {"profile", "--help"},
                                                                                         {"search", "--help"},
                                                                                         {"validate", "--help"},
                                                                                         {"calibrate", "--help"},
                                                                                         {"runs", "--help"},
                                                                                         {"--version"}}) {
    const Finished run = upsweep(arguments);
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.out, HasSubstr("upsweep"));
  }
}

TEST(BadInput, GetsOneLineExitCodeThreeAndNoTraceInTheStore) {
  const TemporaryFolder folder;
  const std::string bomb = [] {
    std::string text = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
    for (char c = 'b'; c < 'i'; ++c) {
      text += std::string(1, c) + ": &" + c + " [";
      for (int i = 0; i < 10; ++i) text += std::string(i > 0 ? ", *" : "*") + static_cast<char>(c - 1);
      text += "]\n";
    }
    return text;
  }();
  const std::string in = "input: [3, 8, 8]\noperators:\n";
  folder.write("w/l.npy",
               npy_with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1152921504606846976,)}", "1234"));
  const std::vector<std::pair<std::string, std::string>> files = {
      {"unknown-operator", in + "  - attention\n"},
      {"unknown-key", in + "  - relu: {slope: 1}\n"},
      {"wrong-type", in + "  - conv2d: {out_channels: 3.5, kernel: 3}\n"},
      {"zero-size", in + "  - conv2d: {out_channels: 3, kernel: 0}\n"},
      {"kernel-too-large", in + "  - conv2d: {out_channels: 3, kernel: 9}\n"},
      {"groups", in + "  - conv2d: {out_channels: 3, kernel: 1, groups: 2}\n"},
      {"hostile-mask", "input: [3]\nweights: {masks: w}\noperators:\n  - linear: {name: l, out_features: 2}\n"},
      {"empty-list", "input: [3]\noperators: []\n"},
      {"sparsity", "input: [3]\nweights: {prune: {method: magnitude_global, sparsity: 1.5}}\noperators: [relu]\n"},
      {"bomb", bomb},
      {"overflow", "input: [4000000000, 4000000000, 4000000000]\noperators: [relu]\n"},
      {"overflow-inside",
       "input: [1]\noperators:\n  - linear: {name: a, out_features: 2147483647}\n  - linear: {name: b, out_features: "
       "2147483647}\n"},
      {"too-large", "input: [3, 3000, 3000]\noperators:\n  - conv2d: {out_channels: 1, kernel: 1001}\n"},
      {"hostile-kernel",
       "input: [1, 1, 1]\noperators:\n  - conv2d: {out_channels: 1, kernel: 65537, padding: 32768}\n  - relu\n"},
      {"hostile-line", "input: [1, 1, 4000000000]\noperators:\n  - maxpool2d: {kernel: 1}\n"},
      {"long-name", "input: [3]\nweights: {masks: " + std::string(300, 'x') + "}\noperators: [relu]\n"},
      {"control-character", "name: \"a\\x01b\"\ninput: [3]\noperators: [relu]\n"},
      {"not-yaml", "a: [\n"},
      {"binary", std::string("\x00\xff\xfe\x01", 4)},
      {"empty", ""},
  };
  const std::string db = folder.path("runs.sqlite");
  for (const auto& [name, text] : files) {
    const std::string file = folder.write(name + ".yaml", text);
    const Finished run = upsweep({"search", file, "--db", db});
    EXPECT_THAT(run.err, StartsWith("upsweep: error: " + file + ":")) << name;
    EXPECT_EQ(run.exit_code, 3) << name << ": " << run.err;
    EXPECT_EQ(lines(run.err), 1) << name << ": " << run.err;
    EXPECT_THAT(run.err, HasSubstr("accepted")) << name;
    EXPECT_EQ(run.out, "") << name;
  }
  EXPECT_FALSE(std::filesystem::exists(db));
  for (const std::string& path : {folder.path(), folder.path("missing.yaml")})
    EXPECT_EQ(upsweep({"profile", path}).exit_code, 3);
  EXPECT_EQ(upsweep({"profile", kModels + "vgg11-cifar10-pruned97.yaml", "--pattern", "sample"}).exit_code, 3)
      << "no sample in this file";
}

TEST(BadInput, IsAForeignOrUnwritableDatabaseToo) {
  const TemporaryFolder folder;
  const std::string model = kModels + "mlp-mnist.yaml";
  for (const std::string& db :
       {std::string(), folder.path(std::string(300, 'x')),
        folder.write("text",
                     "not a database, but long enough to be one "
                     "........................................................................................"),
        folder.path("no/such/folder.sqlite"), folder.path()}) {
    const Finished run = upsweep({"profile", model, "--db", db});
    EXPECT_EQ(run.exit_code, 3) << run.err;
    EXPECT_EQ(lines(run.err), 1) << run.err;
    EXPECT_EQ(run.out, "");
  }
  const std::string foreign = folder.path("foreign.sqlite");
  ASSERT_EQ(query(foreign, "CREATE TABLE t (x)"), "");
  EXPECT_EQ(upsweep({"profile", model, "--db", foreign}).exit_code, 3);
  EXPECT_EQ(upsweep({"runs", "--db", folder.path("none.sqlite")}).exit_code, 3);
}

TEST(Runs, AreListedShownAndDeleted) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  const Finished search =
      upsweep({"search", kModels + "lenet5.yaml", "--workers", "2", "--schemes", "hybrid", "--db", db});
  EXPECT_EQ(search.exit_code, 0);
  EXPECT_THAT(search.err, HasSubstr("stored in " + db + " as runs 1, 2, 3, 4"));
  EXPECT_EQ(upsweep({"profile", kModels + "lenet5.yaml", "--db", db}).exit_code, 0);
  EXPECT_EQ(query(db, "select depth, best, feasible from run_summary where search_id = 1 order by depth"),
            "0|1|1\n1|0|1\n2|0|1\n3|0|1\n");
  EXPECT_EQ(json_of({"runs", "--db", db}).size(), 5U);
  EXPECT_EQ(json_of({"runs", "list", "--db", db})[0]["command"], "profile");
  const Json shown = json_of({"runs", "show", "2", "--db", db});
  EXPECT_EQ(shown["schedule"], "hybrid:1");
  EXPECT_EQ(shown["parameters"], R"(["search",")" + kModels +
                                     R"(lenet5.yaml","--workers","2","--schemes","hybrid","--db",")" + db + R"("])");
  EXPECT_FALSE(shown["level_profile"].empty());
  // People see one run of a command, with what it said; programs and who asks all of them.
  const std::string list = upsweep({"runs", "--db", db}).out;
  EXPECT_THAT(list, HasSubstr("best of 4"));
  EXPECT_THAT(list, HasSubstr("the scan does not pay"));
  EXPECT_THAT(list, HasSubstr("\n3 more are candidates of these searches: `upsweep runs --candidates` has them.\n"));
  EXPECT_EQ(lines(upsweep({"runs", "--candidates", "--db", db}).out), lines(list) + 2) << "3 runs, and no such line";
  EXPECT_EQ(json_of({"runs", "--command", "profile", "--db", db}).size(), 1U);
  EXPECT_EQ(json_of({"runs", "--limit", "1", "--db", db}).size(), 1U);
  EXPECT_EQ(json_of({"runs", "--model", "lenet", "--since", "2026", "--db", db}).size(), 5U);
  EXPECT_EQ(json_of({"runs", "--model", "vgg", "--db", db}).size(), 0U);
  EXPECT_EQ(json_of({"runs", "--machine", "a100", "--db", db}).size(), 0U);
  EXPECT_THAT(list, ::testing::Not(HasSubstr("machine"))) << "none has one";
  EXPECT_EQ(upsweep({"runs", "show", "1", "--machine", "a100", "--db", db}).exit_code, 2);
  EXPECT_EQ(json_of({"runs", "--since", "9999-01-01", "--db", db}).size(), 0U);
  EXPECT_EQ(json_of({"runs", "--until", "2020", "--db", db}).size(), 0U);
  EXPECT_EQ(json_of({"runs", "--since", "2020-01-01", "--until", "9999-01", "--db", db}).size(), 5U);
  EXPECT_EQ(json_of({"runs", "--until",
                     json_of({"runs", "--db", db})[0]["created_utc"].get<std::string>().substr(0, 10), "--db", db})
                .size(),
            5U)
      << "to the end of the day";
  EXPECT_THAT(upsweep({"runs", "--until", "tomorrow", "--db", db}).err, HasSubstr("--until is 'tomorrow', accepted"));
  EXPECT_THAT(upsweep({"runs", "--since", "yesterday", "--db", db}).err,
              HasSubstr("accepted is a day or time as 2026-"));
  for (const char* since : {"2026-1-1", "27-11-2026", "2026-11-27T03:29Z", "2026-11-2", "20261127"})
    EXPECT_EQ(upsweep({"runs", "--since", since, "--db", db}).exit_code, 2) << since;
  EXPECT_THAT(upsweep({"runs", "--command", "serch", "--db", db}).err, HasSubstr("did you mean search?"));
  EXPECT_EQ(upsweep({"runs", "--studies", "--limit", "2", "--db", db}).exit_code, 2);
  EXPECT_EQ(upsweep({"runs", "show", "1", "--model", "lenet5", "--db", db}).exit_code, 2);
  EXPECT_THAT(upsweep({"runs", "--db", db, "--format", "csv"}).out, StartsWith("id,created_utc,"));
  EXPECT_EQ(upsweep({"runs", "delete", "2", "--db", db}).exit_code, 0);
  EXPECT_EQ(upsweep({"runs", "delete", "2", "--db", db}).exit_code, 3);
  EXPECT_EQ(upsweep({"runs", "show", "2", "--db", db}).exit_code, 3);
  EXPECT_EQ(json_of({"runs", "--db", db}).size(), 4U);
}

TEST(Runs, AreWholeAfterASearchIsKilled) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  ASSERT_EQ(upsweep({"search", kModels + "lenet5.yaml", "--db", db}).exit_code, 0);
  int killed = 0;
  for (int round = 0; round < 20; ++round) {
    const pid_t search = start_program(
        {UPSWEEP_BINARY, "search", kModels + "vgg11-quarter-pruned90.yaml", "--schemes", "hybrid", "--db", db},
        "/dev/null", "/dev/null");
    usleep(static_cast<useconds_t>(3000 * (round + 1)));
    kill(search, SIGKILL);
    int status = 0;
    waitpid(search, &status, 0);
    killed += WIFSIGNALED(status) ? 1 : 0;
    EXPECT_EQ(query(db, "pragma integrity_check"), "ok\n");
    EXPECT_EQ(query(db, "select count(*) from runs r where (select count(*) from ops where run_id = r.id) != r.ops"),
              "0\n");
    EXPECT_EQ(query(db, "select count(*) % 5 from run_summary where model = 'vgg11-quarter-pruned90'"), "0\n")
        << "a search is stored whole or not at all";
  }
  EXPECT_GT(killed, 0) << "every search was done before it was killed";
}

TEST(Runs, OfANewDatabaseCanBeReadAfterAKillAtAnyMoment) {
  const TemporaryFolder folder;
  for (int round = 0; round < 30; ++round) {
    const std::string db = folder.path("new" + std::to_string(round));
    const pid_t search =
        start_program({UPSWEEP_BINARY, "search", kModels + "mlp-mnist.yaml", "--schemes", "hybrid", "--db", db},
                      "/dev/null", "/dev/null");
    usleep(static_cast<useconds_t>(500 * (round + 1)));
    kill(search, SIGKILL);
    waitpid(search, nullptr, 0);
    if (std::filesystem::exists(db)) {
      EXPECT_EQ(query(db, "select count(*) % 3 from run_summary"), "0\n") << round;
    }
  }
}

TEST(Interrupt, EndsWithCode130) {
  // A signal may come before the program has got to handling it: then the next try waits longer.
  int status = 0;
  for (useconds_t wait = 150'000; wait < 10'000'000; wait *= 3) {
    const pid_t search =
        start_program({UPSWEEP_BINARY, "search", kModels + "resnet18-cifar10-pruned99.yaml"}, "/dev/null", "/dev/null");
    usleep(std::min<useconds_t>(wait, 999'999));
    kill(search, SIGINT);
    waitpid(search, &status, 0);
    if (WIFEXITED(status)) break;
  }
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
}

}  // namespace
}  // namespace upsweep::testing::cli_test

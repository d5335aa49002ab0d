#include "upsweep/store/run_diff.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <vector>

#include "support/files.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/profile/counting_rule_version.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryFolder;
using Kind = DiffRow::Kind;

/// A file of runs of one network under hybrid:1, every figure made up.
class RunDiffs : public ::testing::Test {
 protected:
  RunDiffs() {
    network_profile.inputs = 1;
    network_profile.operators.resize(3);
    network_profile.operators[0] = {2, 2, 3, 40, 7};
    network_profile.linear_flops = 9;
    profile.inputs = 1;
    profile.schedule = hybrid_schedule(4, 1);
    for (std::size_t id = 0; id < profile.schedule.combines.size(); ++id) {
      OpProfile op;
      op.m = op.k = op.n = 2;
      op.flops = 10 + id;
      profile.ops.push_back(op);
    }
    profile.value_bytes.assign(profile.schedule.values(), 8);
    profile.levels = {{Phase::up, 2, 21, 11}, {Phase::down, 1, 12, 12}};
    context = {"1.0", "profile", "[]", "m", "m.yaml", "00ff", "guaranteed", &network, &network_profile};
  }

  std::int64_t save(std::size_t workers = 2, const std::optional<SearchRecord>& search = std::nullopt,
                    const std::optional<MeasurementRecord>& measurement = std::nullopt) {
    RunRecord record{"hybrid:1", &profile, pram_profile(profile, workers), std::nullopt, std::nullopt, std::nullopt};
    record.measurement = measurement;
    return RunStore(file, RunStore::Open::create).save(context, {record}, search).at(0);
  }

  void execute(const std::string& sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
    sqlite3_close(database);
  }

  [[nodiscard]] std::vector<std::string> names(Kind kind) const {
    std::vector<std::string> names;
    for (const DiffRow& row : diff_runs(StoreReader(file), 1, 2).rows) {
      if (row.kind == kind) names.push_back(row.name);
    }
    return names;
  }
  [[nodiscard]] DiffRow row(const std::string& name) const {
    for (const DiffRow& row : diff_runs(StoreReader(file), 1, 2).rows) {
      if (row.name == name) return row;
    }
    ADD_FAILURE() << "no row " << name;
    return {};
  }
  [[nodiscard]] std::string refusal(std::int64_t before, std::int64_t after) const {
    try {
      (void)diff_runs(StoreReader(file), before, after);
    } catch (const InputError& error) {
      return error.what();
    }
    return "compared";
  }

  TemporaryFolder folder;
  std::string file = folder.path("r.sqlite");
  Network network{{2}, {{"a", Relu{}, {}}, {"b", Relu{}, {}}, {"c", Relu{}, {}}}};
  NetworkProfile network_profile;
  ScheduleProfile profile;
  RunContext context;
};

TEST_F(RunDiffs, AreEmptyOfEqualRuns) {
  save();
  save();
  const RunDiff diff = diff_runs(StoreReader(file), 1, 2);
  EXPECT_EQ(diff.before, 1);
  EXPECT_EQ(diff.after, 2);
  EXPECT_THAT(diff.rows, IsEmpty());
  EXPECT_FALSE(diff.has(Kind::input));
}

TEST_F(RunDiffs, NameTheModelAndWhatFollowsFromIt) {
  save();
  context.model_hash = "11ee";
  network_profile.operators[0].nnz = 6;
  profile.ops[0].flops = 20;
  profile.levels[0].flops_sum = 42;
  save();
  EXPECT_THAT(names(Kind::input), ElementsAre("model_hash"));
  EXPECT_THAT(names(Kind::rule), IsEmpty());
  EXPECT_THAT(names(Kind::figure), ::testing::IsSupersetOf({"flops", "operator a: nnz", "level 0: flops_sum"}));
  EXPECT_EQ(row("model_hash"), (DiffRow{Kind::input, "model_hash", "00ff", "11ee", 0}));
  EXPECT_EQ(row("operator a: nnz"), (DiffRow{Kind::figure, "operator a: nnz", std::int64_t{3}, std::int64_t{6}, 2}));
  EXPECT_EQ(row("level 0: flops_sum").ratio, 2);
}

TEST_F(RunDiffs, NameTheWorkers) {
  save(1);
  save(4);
  EXPECT_THAT(names(Kind::input), ElementsAre("workers"));
  EXPECT_EQ(row("workers").ratio, 4);
  EXPECT_THAT(names(Kind::figure), Contains("steps"));
}

TEST_F(RunDiffs, NameTheRuleAndTheVersion) {
  save();
  context.tool_version = "2.0";
  save();
  EXPECT_THAT(names(Kind::rule), ElementsAre("tool_version"));
  EXPECT_THAT(names(Kind::input), IsEmpty());
  execute("UPDATE commands SET rule = NULL, tool_version = '2.0' WHERE id = 1");
  EXPECT_EQ(row("rule"), (DiffRow{Kind::rule, "rule", Cell(), kCountingRule, 0})) << "written before rules were kept";
  EXPECT_THAT(names(Kind::rule), ElementsAre("rule"));
}

TEST_F(RunDiffs, PutInputsBeforeRulesBeforeFigures) {
  save(1);
  context.tool_version = "2.0";
  context.pattern = "sample";
  save(4);
  const RunDiff diff = diff_runs(StoreReader(file), 1, 2);
  EXPECT_TRUE(diff.has(Kind::input) && diff.has(Kind::rule) && diff.has(Kind::figure));
  EXPECT_TRUE(std::is_sorted(diff.rows.begin(), diff.rows.end(),
                             [](const DiffRow& a, const DiffRow& b) { return a.kind < b.kind; }));
}

TEST_F(RunDiffs, NameAnOperatorAndALevelThatOneRunLacks) {
  save();
  Network longer{{2}, {{"a", Relu{}, {}}, {"b", Relu{}, {}}, {"c", Relu{}, {}}, {"d", Relu{}, {}}}};
  network_profile.operators.resize(4);
  context.network = &longer;
  profile.levels.push_back({Phase::down, 3, 1, 1});
  save();
  EXPECT_EQ(row("operator d: kind"), (DiffRow{Kind::input, "operator d: kind", Cell(), "relu", 0}));
  EXPECT_EQ(row("level 2: ops"), (DiffRow{Kind::figure, "level 2: ops", Cell(), std::int64_t{3}, 0}));
}

TEST_F(RunDiffs, NameTheLinesOfMachineFilesThatDiffer) {
  Machine machine;
  machine.rates.resize(1);
  machine.rates[0].workers = 2;
  machine.name = "gpu";
  context.machine = &machine;
  context.machine_text = "name: gpu\nrates:\n  - op_latency_us: 2\n    workers: 80\n";
  save();
  context.machine_text = "name: gpu\nrates:\n  - op_latency_us: 1\n    workers: 80\n";
  save();
  EXPECT_THAT(names(Kind::input), ElementsAre("machine file"));
  EXPECT_EQ(row("machine file"), (DiffRow{Kind::input, "machine file", "- op_latency_us: 2", "- op_latency_us: 1", 0}));
}

TEST_F(RunDiffs, NameTheSettingsOfSearches) {
  save(2, SearchRecord{"time", "dag", "all", 2, 1000, 1, 0.25});
  save(2, SearchRecord{"time", "level", "all", 2, std::nullopt, 1, 0.5});
  EXPECT_THAT(names(Kind::input), ElementsAre("execution", "memory_limit_bytes"));
  EXPECT_EQ(row("search_margin").ratio, 2);
}

TEST_F(RunDiffs, CompareMeasurements) {
  Measurement measurement;
  measurement.seconds = 4;
  MeasurementRecord record{"cpu", {}, 2, "level", 4, 0, 0.5, &measurement, nullptr, std::nullopt, std::nullopt};
  save(2, std::nullopt, record);
  measurement.seconds = 2;
  record.backend = "cuda";
  save(2, std::nullopt, record);
  EXPECT_THAT(names(Kind::input), ElementsAre("measurement: backend"));
  EXPECT_EQ(row("measurement: measured_s").ratio, 0.5);
}

PassRecord passes(double flops) {
  PassRecord record;
  record.command = "search";
  record.model = "rnn";
  record.steps = 10;
  PassRow bptt;
  bptt.method = "bptt";
  bptt.flops = 7;
  PassRow hybrid;
  hybrid.method = "hybrid:2";
  hybrid.flops = flops;
  record.passes = {bptt, hybrid};
  return record;
}

TEST_F(RunDiffs, CompareRunsOfBackwardPassesByMethod) {
  RunStore store(file, RunStore::Open::create);
  PassRecord longer = passes(300);
  longer.steps = 20;
  store.save(passes(100));
  store.save(longer);
  EXPECT_THAT(names(Kind::input), ElementsAre("sequence_steps"));
  EXPECT_THAT(names(Kind::figure), ElementsAre("pass hybrid:2: flops"));
  EXPECT_EQ(row("pass hybrid:2: flops").ratio, 3);
}

TEST_F(RunDiffs, CompareTrainingsByVariantAndFigure) {
  TrainingRecord record;
  record.name = "step";
  record.kind = "pipeline";
  record.file = "f.yaml";
  record.content_hash = "00";
  RunStore store(file, RunStore::Open::create);
  store.save(record);
  record.content_hash = "11";
  store.save(record);
  EXPECT_THAT(names(Kind::input), ElementsAre("content_hash"));
  execute(
      "INSERT INTO training_variants VALUES (1, 0, 'gpipe', 1), (2, 0, 'gpipe', 1);"
      "INSERT INTO training_figures VALUES (1, 0, 'busy', 3, 2), (2, 0, 'busy', 3, 5), (1, 0, 'makespan', NULL, 9), "
      "(2, 0, 'makespan', NULL, 9)");
  EXPECT_THAT(names(Kind::figure), ElementsAre("gpipe: busy[3]"));
  EXPECT_EQ(row("gpipe: busy[3]").ratio, 2.5);
  execute("UPDATE step_runs SET unit = 's'");
  EXPECT_EQ(row("gpipe: busy[3]").before_as, "makespan_s");
  EXPECT_EQ(row("gpipe: busy[3]").ratio, 2.5);
  execute("UPDATE step_runs SET unit = NULL WHERE id = 2");
  EXPECT_EQ(row("gpipe: busy[3]").ratio, 0) << "seconds beside units of a file";
}

TEST_F(RunDiffs, KnowTheUnitsOfScores) {
  save();
  save();
  execute("UPDATE schedule_runs SET score = 9 WHERE id = 1; UPDATE schedule_runs SET score = 18 WHERE id = 2");
  EXPECT_EQ(row("score"), (DiffRow{Kind::figure, "score", 9.0, 18.0, 2, "score_flops", "score_flops"}));
  execute("UPDATE schedule_runs SET predicted_dag_s = score");
  EXPECT_EQ(row("score"), (DiffRow{Kind::figure, "score", 9.0, 18.0, 2, "score_s", "score_s"}));
  execute("UPDATE schedule_runs SET predicted_dag_s = NULL WHERE id = 1");
  EXPECT_EQ(row("score").before_as, "score_flops");
  EXPECT_EQ(row("score").ratio, 0) << "FLOPs beside seconds";
}

TEST_F(RunDiffs, RefuseRunsThatAreNotThereOrOfDifferentKinds) {
  save();
  RunStore(file, RunStore::Open::existing).save(passes(1));
  EXPECT_EQ(refusal(1, 9), file + ": no run 9, accepted are the ids that `upsweep runs list` shows");
  EXPECT_EQ(refusal(-1, 1), file + ": no run -1, accepted are the ids that `upsweep runs list` shows");
  EXPECT_EQ(refusal(1, 2), file +
                               ": run 1 is a run of a schedule and run 2 is a run of backward passes, accepted are two "
                               "runs of one kind");
  file = folder.path("none.sqlite");
  EXPECT_THAT(refusal(1, 2), HasSubstr("no such database"));
}

}  // namespace
}  // namespace upsweep

#include "upsweep/store/store_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up_run.hpp"
#include "support/files.hpp"
#include "upsweep/profile/counting_rule_version.hpp"
#include "upsweep/profile/estimate.hpp"

namespace upsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MadeUpRun;
using testing::TemporaryFolder;

TEST(StoreReader, ReadsEveryFieldOfARun) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const MadeUpRun made_up;
  RunContext context = made_up.context("a <b> & \"c\"\n\xff");
  context.predicted_build_s = 0.25;
  RunRecord record = made_up.record();
  record.feasible = false;
  record.reason = "too large";
  record.predicted_level_s = 5;
  record.predicted_dag_s = 4.5;
  RunStore(file, RunStore::Open::create).save(context, {record}, std::nullopt);

  const StoreReader reader(file);
  EXPECT_EQ(reader.file(), file);
  const std::vector<StoredRun> runs = reader.runs();
  ASSERT_EQ(runs.size(), 1U);
  const StoredRun& run = runs[0];
  EXPECT_EQ(run.id, 1);
  EXPECT_EQ(run.created_utc.size(), std::string("2026-01-01T00:00:00Z").size());
  EXPECT_EQ(run.tool_version, "0.0-test");
  EXPECT_EQ(run.command, "search");
  EXPECT_EQ(run.parameters, "[\"search\"]");
  EXPECT_EQ(run.rule, kCountingRule);
  EXPECT_EQ(run.search, std::nullopt);
  EXPECT_EQ(run.score, 6.0);
  EXPECT_EQ(run.feasible, false);
  EXPECT_EQ(run.reason, "too large");
  EXPECT_EQ(run.model, "a <b> & \"c\"\n\xff") << "whatever bytes a name has";
  EXPECT_EQ(run.model_file, "a <b> & \"c\"\n\xff.yaml");
  EXPECT_EQ(run.model_hash, "00ff");
  EXPECT_EQ(run.pattern, "sample");
  EXPECT_EQ(run.inputs, 2U);
  EXPECT_EQ(run.requested, "blelloch");
  EXPECT_EQ(run.schedule, "hybrid:1");
  EXPECT_EQ(run.depth, 1U);
  EXPECT_EQ(run.length, 4U);
  EXPECT_EQ(run.levels, 2U);
  EXPECT_EQ(run.workers, 2U);
  EXPECT_EQ(run.ops, 3U);
  // By hand: FLOPs of the ops are (10, 11, 12) / 2 inputs; the second, in level 0 as the first, is dead.
  EXPECT_EQ(run.flops, 16.5);
  EXPECT_EQ(run.critical_path_level_flops, 11.5);
  EXPECT_EQ(run.live_ops, 2U);
  EXPECT_EQ(run.live_flops, 11);
  EXPECT_EQ(run.baseline_flops, 5.5);
  EXPECT_EQ(run.linear_flops, 4.5);
  EXPECT_EQ(run.chain_build_values, 2.5);
  EXPECT_EQ(run.chain_build_bytes, 10);
  EXPECT_EQ(run.steps, 2U);
  EXPECT_EQ(run.per_step_flops, 6);
  EXPECT_EQ(run.makespan_level_flops, 11.5);
  EXPECT_EQ(run.critical_path_dag_flops,
            static_cast<double>(totals(made_up.profile, Scope::all).critical_path_dag) / 2);
  EXPECT_EQ(run.makespan_dag_flops, static_cast<double>(record.pram.dag->flops) / 2);
  EXPECT_EQ(run.peak_live_bytes, static_cast<double>(record.pram.peak_live_bytes) / 2);
  EXPECT_EQ(run.machine, std::nullopt);
  EXPECT_EQ(run.predicted_level_s, 5.0);
  EXPECT_EQ(run.predicted_dag_s, 4.5);
  EXPECT_EQ(run.predicted_build_s, 0.25);
  EXPECT_EQ(run.graph_bp_flops, std::nullopt) << "no branches";
  EXPECT_TRUE(run.is_exact);
  EXPECT_EQ(run.flops_interval, std::nullopt);
}

TEST(StoreReader, ReadsWhatIsEstimatedWithItsIntervals) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  MadeUpRun made_up;
  made_up.profile.ops[2].is_exact = false;
  const ScheduleProfile whole = made_up.profile;
  for (std::uint64_t group = 0; group < kSampleGroups; ++group) {
    ScheduleProfile without = whole;
    without.ops[2].flops += group % 2;
    without.levels = level_profiles(without);
    made_up.profile.without.push_back(std::move(without));
  }
  RunRecord record = made_up.record();
  record.score_interval = Interval{5, 7};
  RunStore(file, RunStore::Open::create).save(made_up.context(), {record}, std::nullopt);
  const RunDetails read = StoreReader(file).details(1).value();
  EXPECT_FALSE(read.run.is_exact);
  EXPECT_EQ(read.run.score_interval, (Interval{5, 7}));
  const auto flops = op_interval(made_up.profile, 2, &OpProfile::flops).value();
  EXPECT_EQ(read.ops[2].flops_interval, flops);
  EXPECT_LT(flops.low, flops.high);
  const Interval all = read.run.flops_interval.value();
  EXPECT_NEAR(all.low, read.run.flops - (flops.high - flops.low) / 2, 1e-9) << "the other ops are known";
  EXPECT_NEAR(all.high, read.run.flops + (flops.high - flops.low) / 2, 1e-9);
  EXPECT_TRUE(read.run.makespan_dag_interval.value().has(read.run.makespan_dag_flops));
  EXPECT_TRUE(read.run.makespan_shared_interval.has_value());
  EXPECT_FALSE(read.ops[2].is_exact);
  EXPECT_TRUE(read.ops[0].is_exact);
  EXPECT_EQ(read.ops[0].flops_interval, std::nullopt);
}

TEST(StoreReader, ReadsTheRowsOfARun) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const MadeUpRun made_up;
  RunStore(file, RunStore::Open::create).save(made_up.context(), {made_up.record()}, std::nullopt);
  const StoreReader reader(file);
  EXPECT_FALSE(reader.details(2).has_value());
  const std::optional<RunDetails> details = reader.details(1);
  ASSERT_TRUE(details.has_value());
  EXPECT_EQ(details->run.schedule, "hybrid:1");
  EXPECT_FALSE(details->search.has_value());
  EXPECT_FALSE(details->machine.has_value());
  EXPECT_THAT(details->measurements, IsEmpty());

  ASSERT_EQ(details->operators.size(), 4U);
  const StoredOperator& first = details->operators[0];
  EXPECT_EQ(first.index, 1U);
  EXPECT_EQ(first.name, "a");
  EXPECT_EQ(first.kind, "relu");
  EXPECT_EQ(first.in_shape, first.out_shape);
  EXPECT_EQ(first.rows, 2U);
  EXPECT_EQ(first.cols, 2U);
  EXPECT_EQ(first.nnz, 1.5);
  EXPECT_EQ(first.bytes, 20.0);
  EXPECT_EQ(first.baseline_flops, 3.5);
  EXPECT_EQ(details->operators[2].rows, std::nullopt) << "a view";
  EXPECT_EQ(details->operators[2].bytes, std::nullopt);

  ASSERT_EQ(details->levels.size(), 2U);
  EXPECT_EQ(details->levels[0].phase, "up");
  EXPECT_EQ(details->levels[1].level, 1U);
  EXPECT_EQ(details->levels[0].ops, 2U);
  EXPECT_EQ(details->levels[0].flops_sum, 10.5);
  EXPECT_EQ(details->levels[0].flops_max, 5.5);

  ASSERT_EQ(details->ops.size(), made_up.profile.ops.size());
  for (std::size_t id = 0; id < details->ops.size(); ++id) {
    const StoredOp& op = details->ops[id];
    const Combine& combine = made_up.profile.schedule.combines[id];
    const auto mean = [&](std::size_t base) { return static_cast<double>(base + id) / 2; };
    EXPECT_EQ(op.id, id);
    EXPECT_EQ(op.level, combine.level);
    EXPECT_THAT((std::vector{op.left, op.right, op.target}), ElementsAre(combine.left, combine.right, combine.target));
    EXPECT_EQ(op.is_mv, id == 0);
    EXPECT_EQ(op.is_dead, id == 1);
    EXPECT_THAT((std::vector{op.m, op.k, op.n}), ElementsAre(2, 3, 4));
    EXPECT_THAT((std::vector{op.left_nnz, op.right_nnz, op.nnz, op.flops, op.bytes}),
                ElementsAre(mean(5), mean(6), mean(7), mean(10), mean(12)));
  }
}

TEST(StoreReader, ReadsSearchesMachinesAndMeasurements) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const MadeUpRun made_up;
  Machine machine;
  machine.name = "a machine";
  machine.kind = MachineKind::cpu;
  machine.rates.resize(1);
  machine.rates[0].workers = 8;
  machine.provenance.origin = "calibration";
  machine.provenance.device = "some device";
  machine.provenance.date = "2026-01-02";
  machine.provenance.fit = {12, 0.1, 0.25, 0.5, 0.75};
  RunContext context = made_up.context();
  context.machine = &machine;
  context.machine_text = "text";
  Measurement measured;
  measured.seconds = 4;
  measured.fastest_seconds = 2;
  measured.repetitions = 3;
  measured.notes = {"one note", "another"};
  measured.level_seconds = {0.5, 1};
  measured.ops = {{0.125, 1, 2, 3}};
  Prediction prediction;
  prediction.seconds = 5;
  prediction.level_seconds = {0.75};
  prediction.ops = {{2, 1}};
  RunRecord first = made_up.record();
  DeviceFacts device;
  device.device = "some device";
  device.driver = "some driver";
  first.measurement =
      MeasurementRecord{"cpu", device, 2, "level", 8, 0, 0.125, &measured, &prediction, 0.75, std::nullopt};
  RunRecord second = made_up.record();
  second.measurement =
      MeasurementRecord{"cuda", device, 1, "dag", 4, 0, 0.125, &measured, nullptr, std::nullopt, "op 3 is wrong"};
  const SearchRecord search{"time", "dag", "live", 2, 1000, 1, 0.25, "sklansky"};
  RunStore(file, RunStore::Open::create).save(context, {first, second}, search);

  const StoreReader reader(file);
  const std::optional<RunDetails> details = reader.details(1);
  ASSERT_TRUE(details && details->search && details->machine);
  EXPECT_EQ(details->run.search, 1);
  EXPECT_EQ(details->search->id, 1);
  EXPECT_EQ(details->search->objective, "time");
  EXPECT_EQ(details->search->execution, "dag");
  EXPECT_EQ(details->search->scope, "live");
  EXPECT_EQ(details->search->workers, 2U);
  EXPECT_EQ(details->search->memory_limit, 1000U);
  EXPECT_EQ(details->search->best_depth, 1U);
  EXPECT_EQ(details->search->margin, 0.25);
  EXPECT_EQ(details->search->best_schedule, "sklansky");
  EXPECT_EQ(reader.search(1)->objective, "time");
  EXPECT_FALSE(reader.search(2).has_value());

  EXPECT_EQ(details->run.machine, 1);
  EXPECT_EQ(details->machine->id, 1);
  EXPECT_EQ(details->machine->name, "a machine");
  EXPECT_EQ(details->machine->kind, "cpu");
  EXPECT_EQ(details->machine->origin, "calibration");
  EXPECT_EQ(details->machine->device, "some device");
  EXPECT_EQ(details->machine->driver, "") << "not known";
  EXPECT_EQ(details->machine->date, "2026-01-02");
  EXPECT_EQ(details->machine->workers, 8U);
  EXPECT_EQ(details->machine->fit_median_error, 0.25);
  EXPECT_EQ(details->machine->fit_max_error, 0.75);
  EXPECT_EQ(reader.machine(1)->name, "a machine");
  EXPECT_FALSE(reader.machine(2).has_value());

  ASSERT_EQ(details->measurements.size(), 1U);
  const StoredMeasurement& one = details->measurements[0];
  EXPECT_EQ(one.id, 1);
  EXPECT_EQ(one.backend, "cpu");
  EXPECT_EQ(one.device, "some device");
  EXPECT_EQ(one.driver, "some driver");
  EXPECT_EQ(one.workers, 2U);
  EXPECT_EQ(one.execution, "level");
  EXPECT_EQ(one.value_bytes, 8U);
  EXPECT_EQ(one.repetitions, 3U);
  EXPECT_EQ(one.predicted_s, 5.0);
  EXPECT_EQ(one.measured_s, 4);
  EXPECT_EQ(one.fastest_s, 2);
  EXPECT_EQ(one.measured_build_s, 0.125);
  EXPECT_EQ(one.worst_share_of_bound, 0.75);
  EXPECT_EQ(one.mismatch, "");
  EXPECT_EQ(one.notes, "one note; another");
  ASSERT_EQ(one.levels.size(), 2U);
  EXPECT_EQ(one.levels[0].predicted_s, 0.75);
  EXPECT_EQ(one.levels[1].level, 1U);
  EXPECT_EQ(one.levels[1].predicted_s, std::nullopt);
  EXPECT_EQ(one.levels[1].measured_s, 1);
  ASSERT_EQ(one.ops.size(), 1U);
  EXPECT_EQ(one.ops[0].op, 0U);
  EXPECT_EQ(one.ops[0].predicted_alone_s, static_cast<double>(prediction.ops[0].alone_s));
  EXPECT_EQ(one.ops[0].measured_busy_s, 0.125);

  const StoredMeasurement other = reader.details(2)->measurements.at(0);
  EXPECT_EQ(other.predicted_s, std::nullopt);
  EXPECT_EQ(other.worst_share_of_bound, std::nullopt);
  EXPECT_EQ(other.mismatch, "op 3 is wrong");
  EXPECT_EQ(other.ops.at(0).predicted_alone_s, std::nullopt);
}

TEST(StoreReader, ListsNewestFirstAndGivesSchemesNoDepth) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const MadeUpRun hybrid;
  const MadeUpRun scheme(sklansky_schedule(4));
  RunStore store(file, RunStore::Open::create);
  store.save(hybrid.context("one"), {hybrid.record(), scheme.record()}, std::nullopt);
  EXPECT_EQ(store.save(TrainingRecord{}), 3);
  EXPECT_EQ(store.save(PassRecord{}), 4);
  EXPECT_EQ(store.save(PassRecord{}), 5);
  const StoreReader reader(file);
  const std::vector<StoredRun> runs = reader.runs();
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].id, 2);
  EXPECT_EQ(runs[0].schedule, "sklansky");
  EXPECT_EQ(runs[0].depth, std::nullopt);
  EXPECT_EQ(runs[1].depth, 1U);
  EXPECT_THAT(reader.training_ids(), ElementsAre(3));
  EXPECT_THAT(reader.passes_ids(), ElementsAre(5, 4));
  EXPECT_THAT(reader.study_ids(), IsEmpty());
  EXPECT_FALSE(reader.details(3).has_value()) << "a training is no run of a schedule";
  EXPECT_FALSE(reader.training(4).has_value());
  EXPECT_FALSE(reader.passes(3).has_value());
  EXPECT_FALSE(reader.study(1).has_value());
}

TEST(StoreReader, ReadsTwoHundredRuns) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const MadeUpRun made_up(blelloch_schedule(32));
  ASSERT_GE(made_up.profile.ops.size(), 50U);
  RunStore(file, RunStore::Open::create)
      .save(made_up.context(), std::vector<RunRecord>(200, made_up.record()), std::nullopt);
  const StoreReader reader(file);
  std::size_t ops = 0;
  for (const StoredRun& run : reader.runs()) ops += reader.details(run.id)->ops.size();
  EXPECT_EQ(ops, 200 * made_up.profile.ops.size());
}

}  // namespace
}  // namespace upsweep

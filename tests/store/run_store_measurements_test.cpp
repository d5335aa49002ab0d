#include <gtest/gtest.h>

#include "made_up_measurement.hpp"
#include "made_up_run.hpp"
#include "sql_query.hpp"
#include "support/files.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep {
namespace {

using testing::MadeUpMeasurement;
using testing::MadeUpRun;
using testing::query;
using testing::TemporaryFolder;

Machine some_machine() {
  Machine machine;
  machine.name = "a machine";
  machine.kind = MachineKind::cpu;
  machine.rates.resize(1);
  machine.rates[0].workers = 8;
  machine.provenance.origin = "calibration";
  machine.provenance.device = "some device";
  machine.provenance.fit = {12, 0.1, 0.25, 0.5, 0.75};
  return machine;
}

TEST(RunStoreMeasurements, KeepsAMeasurementBesideThePredictionForSql) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const MadeUpRun made_up;
  const Machine machine = some_machine();
  const MadeUpMeasurement measured(made_up);
  RunContext context = made_up.context();
  context.command = "validate";
  context.machine = &machine;
  context.machine_text = "text of the machine";
  context.predicted_build_s = 0.5;
  RunRecord record = measured.record(made_up);
  record.predicted_level_s = 5;
  record.predicted_dag_s = 4.5;
  RunStore store(file, RunStore::Open::create);
  store.save(context, {record}, std::nullopt);
  EXPECT_EQ(query(file,
                  "SELECT run_id, backend, device, driver, workers, execution, value_bytes, input, repetitions, "
                  "predicted_s, measured_s, fastest_s, measured_build_s, plan_s, plan_bytes, value_memory_bytes, "
                  "workspace_bytes, worst_share_of_bound, mismatch IS NULL, notes FROM measurements"),
            "1|cpu|some device|some driver|2|level|4|7|3|5.0|4.0|2.0|0.125|0.25|1000|2000|3000|0.75|1|one note; "
            "another\n");
  EXPECT_EQ(query(file, "SELECT level, predicted_s, measured_s FROM measured_levels ORDER BY level"),
            "0|0.5|1.0\n1|1.0|1.0\n");
  EXPECT_EQ(
      query(file, "SELECT op, predicted_alone_s, measured_busy_s, nnz, products FROM measured_ops ORDER BY op LIMIT 2"),
      "0|2.0|0.5|10|20\n1|2.0|0.5|11|21\n");
  EXPECT_EQ(query(file, "SELECT COUNT(*) FROM measured_ops"), std::to_string(made_up.profile.ops.size()) + "\n");
  EXPECT_EQ(query(file,
                  "SELECT run, model, backend, schedule, level, predicted_s, measured_s, error FROM "
                  "prediction_vs_measurement ORDER BY level IS NOT NULL, level"),
            "1|m|cpu|hybrid:1||5.0|4.0|0.25\n1|m|cpu|hybrid:1|0|0.5|1.0|-0.5\n1|m|cpu|hybrid:1|1|1.0|1.0|0.0\n");
  EXPECT_EQ(query(file, "SELECT machine, predicted_level_s, predicted_dag_s, backend, measured_s FROM run_summary"),
            "a machine|5.0|4.5|cpu|4.0\n");
  EXPECT_EQ(query(file, "SELECT predicted_build_s FROM runs"), "0.5\n");
  const QueryResult rows = store.reader().run_tables(1)->table("prediction_vs_measurement");
  ASSERT_EQ(rows.rows.size(), 3U);
  ASSERT_EQ(rows.columns.size(), rows.rows[0].size());
  EXPECT_EQ(rows.columns[4], "level");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(rows.rows[0][4])) << "the whole schedule first";
  EXPECT_EQ(std::get<std::int64_t>(rows.rows[2][4]), 1);
  EXPECT_FALSE(store.reader().run_tables(2).has_value());
}

TEST(RunStoreMeasurements, KeepsAMeasurementWithoutAMachine) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const MadeUpRun made_up;
  MadeUpMeasurement measured(made_up);
  measured.measurement.level_seconds.clear();
  RunRecord record = measured.record(made_up, false);
  record.measurement->worst_share = std::nullopt;
  record.measurement->mismatch = "op 3 is wrong";
  RunStore(file, RunStore::Open::create).save(made_up.context(), {record, made_up.record()}, std::nullopt);
  EXPECT_EQ(query(file, "SELECT predicted_s, measured_s, worst_share_of_bound, mismatch FROM measurements"),
            "|4.0||op 3 is wrong\n");
  EXPECT_EQ(query(file, "SELECT level, predicted_s, measured_s, error FROM prediction_vs_measurement"), "||4.0|\n");
  EXPECT_EQ(query(file, "SELECT DISTINCT predicted_alone_s IS NULL FROM measured_ops"), "1\n");
  EXPECT_EQ(query(file, "SELECT id, measured_s FROM run_summary ORDER BY id"), "1|4.0\n2|\n");
  EXPECT_EQ(query(file, "SELECT COUNT(*) FROM machines"), "0\n");
}

TEST(RunStoreMeasurements, KeepsTwoMeasurementsOfASchedulesApartAndDeletesThemWithTheirRun) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const MadeUpRun made_up;
  const MadeUpMeasurement first(made_up, 4);
  const MadeUpMeasurement second(made_up, 8);
  RunStore store(file, RunStore::Open::create);
  store.save(made_up.context(), {first.record(made_up)}, std::nullopt);
  store.save(made_up.context(), {second.record(made_up)}, std::nullopt);
  EXPECT_EQ(query(file, "SELECT run, measured_s FROM prediction_vs_measurement WHERE level IS NULL ORDER BY run"),
            "1|4.0\n2|8.0\n");
  EXPECT_EQ(query(file, "SELECT measurement_id, COUNT(*) FROM measured_levels GROUP BY measurement_id"), "1|2\n2|2\n");
  EXPECT_TRUE(store.remove(1));
  EXPECT_EQ(query(file, "SELECT run_id FROM measurements"), "2\n");
  EXPECT_EQ(query(file, "SELECT DISTINCT measurement_id FROM measured_levels"), "2\n");
  EXPECT_EQ(query(file, "SELECT DISTINCT measurement_id FROM measured_ops"), "2\n");
  EXPECT_TRUE(store.reader().run_tables(2)->table("prediction_vs_measurement").rows.size() == 3U);
  EXPECT_TRUE(store.remove(2));
  EXPECT_EQ(query(file,
                  "SELECT (SELECT COUNT(*) FROM measurements) + (SELECT COUNT(*) FROM measured_levels) + (SELECT "
                  "COUNT(*) FROM measured_ops)"),
            "0\n");
}

TEST(RunStoreMeasurements, KeepsAMachineOnce) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const MadeUpRun made_up;
  const Machine machine = some_machine();
  RunStore store(file, RunStore::Open::create);
  EXPECT_EQ(store.save_machine(machine, "text"), 1);
  EXPECT_EQ(store.save_machine(machine, "text"), 1);
  EXPECT_EQ(store.save_machine(machine, "another text"), 2);
  RunContext context = made_up.context();
  context.machine = &machine;
  context.machine_text = "another text";
  store.save(context, {made_up.record()}, std::nullopt);
  EXPECT_EQ(query(file, "SELECT machine_id FROM runs"), "2\n");
  EXPECT_EQ(query(file,
                  "SELECT id, name, kind, origin, device, driver IS NULL, workers, fit_points, fit_median_error, "
                  "fit_p90_error, fit_max_error, text FROM machines"),
            "1|a machine|cpu|calibration|some device|1|8|12|0.25|0.5|0.75|text\n"
            "2|a machine|cpu|calibration|some device|1|8|12|0.25|0.5|0.75|another text\n");
}

}  // namespace
}  // namespace upsweep

#include "upsweep/store/run_store.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/store/migrations.hpp"
#include "support/files.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/profile/counting_rule.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

using testing::TemporaryFolder;

/// A tiny run: a network of three ReLUs under hybrid:1, every figure made up but consistent.
struct Fixture {
  Network network{{2}, {{"a", Relu{}, {}}, {"b", Relu{}, {}}, {"f", Flatten{}, {}}, {"c", Relu{}, {}}}};
  NetworkProfile network_profile;
  ScheduleProfile profile;

  Fixture() {
    network_profile.inputs = 2;
    network_profile.operators.resize(4);
    network_profile.operators[0] = {2, 2, 3, 40, 7};
    network_profile.linear_flops = 9;
    profile.inputs = 2;
    profile.schedule = hybrid_schedule(4, 1);
    for (std::size_t id = 0; id < profile.schedule.combines.size(); ++id) {
      OpProfile op;
      op.m = op.k = op.n = 2;
      op.flops = 10 + id;
      op.dead = id == 1;
      profile.ops.push_back(op);
    }
    profile.value_bytes.assign(profile.schedule.values(), 8);
    profile.levels = {{Phase::up, 2, 21, 11}, {Phase::down, 1, 12, 12}};
  }

  [[nodiscard]] RunContext context(const std::string& model = "m") const {
    return {"0.0-test", "search", "[]", model, model + ".yaml", "00ff", "sample", &network, &network_profile};
  }
  [[nodiscard]] RunRecord record() const {
    return {"hybrid:1", &profile, pram_profile(profile, 2), 6.0, true, std::nullopt};
  }
  [[nodiscard]] static SearchRecord search() { return {"time", "dag", "all", 2, std::nullopt, 1, 0.25}; }
};

/// Runs a query with SQLite alone, as a user would.
std::string query(const std::string& file, const std::string& sql) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  std::string rows;
  char* error = nullptr;
  const auto collect = [](void* into, int count, char** values, char**) {
    for (int i = 0; i < count; ++i)
      *static_cast<std::string*>(into) += std::string(i > 0 ? "|" : "") + (values[i] != nullptr ? values[i] : "");
    *static_cast<std::string*>(into) += '\n';
    return 0;
  };
  if (sqlite3_exec(database, sql.c_str(), collect, &rows, &error) != SQLITE_OK) rows = error;
  sqlite3_free(error);
  sqlite3_close(database);
  return rows;
}

std::string refusal(const std::string& file, RunStore::Open open = RunStore::Open::create) {
  try {
    const RunStore store(file, open);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RunStore, KeepsARunWithItsRowsAndAnswersSql) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const Fixture fixture;
  const auto ids =
      RunStore(file, RunStore::Open::create).save(fixture.context(), {fixture.record()}, Fixture::search());
  EXPECT_EQ(ids, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(query(file,
                  "SELECT model, pattern, schedule, workers, ops, flops, linear_flops, best, feasible, objective FROM "
                  "run_summary"),
            "m|sample|hybrid:1|2|3|16.5|4.5|1|1|time\n");
  EXPECT_EQ(query(file, "SELECT level, phase, ops, dead_ops, flops_sum, flops_max FROM level_profile"),
            "0|up|2|1|10.5|5.5\n1|down|1|0|6|6\n");
  EXPECT_EQ(query(file, "SELECT id, phase, kind, dead, flops FROM op_profile WHERE dead"), "1|up|mm|1|5.5\n");
  EXPECT_EQ(query(file, "SELECT idx, name, kind, rows, nnz FROM operators"),
            "1|a|relu|2|1.5\n2|b|relu|0|0\n3|f|flatten||\n4|c|relu|0|0\n")
      << "a view has no Jacobian";
  EXPECT_EQ(query(file, "PRAGMA journal_mode; PRAGMA user_version; PRAGMA foreign_key_check; PRAGMA integrity_check"),
            "wal\n8\nok\n");
}

TEST(RunStore, ListsShowsAndDeletes) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const Fixture fixture;
  RunStore store(file, RunStore::Open::create);
  store.save(fixture.context("one"), {fixture.record(), fixture.record()}, Fixture::search());
  store.save(fixture.context("two"), {fixture.record()}, std::nullopt);
  const QueryResult list = store.list();
  ASSERT_EQ(list.rows.size(), 3U);
  EXPECT_EQ(std::get<std::int64_t>(list.rows[0][0]), 3) << "newest first";
  EXPECT_TRUE(store.show(2).has_value());
  EXPECT_FALSE(store.show(9).has_value());
  EXPECT_EQ(store.levels(2).rows.size(), 2U);
  EXPECT_TRUE(store.remove(1));
  EXPECT_FALSE(store.remove(1));
  EXPECT_EQ(query(file, "SELECT COUNT(*) FROM searches"), "1\n") << "the search still has run 2";
  EXPECT_TRUE(store.remove(2));
  EXPECT_EQ(query(file, "SELECT COUNT(*) FROM searches"), "0\n");
  EXPECT_EQ(
      query(file, "SELECT DISTINCT run_id FROM ops UNION SELECT run_id FROM levels UNION SELECT run_id FROM operators"),
      "3\n");
}

TEST(RunStore, BringsAnOlderSchemaUpToDate) {
  const TemporaryFolder folder;
  const std::string file = folder.path("old.sqlite");
  query(file, "PRAGMA application_id = " + std::to_string(kApplicationId) + "; " + migrations()[0] +
                  "PRAGMA user_version = 1;");
  EXPECT_NE(query(file, "SELECT * FROM run_summary").find("no such table"), std::string::npos);
  EXPECT_EQ(refusal(file), "accepted");
  EXPECT_EQ(query(file, "SELECT COUNT(*) FROM run_summary"), "0\n");
  EXPECT_EQ(query(file, "PRAGMA user_version"), std::to_string(migrations().size()) + "\n");
}

/// A measurement of the fixture's run, with a prediction.
struct Measured {
  Measurement measurement;
  Prediction prediction;

  explicit Measured(const Fixture& fixture, double seconds = 4) {
    measurement.seconds = seconds;
    measurement.fastest_seconds = seconds / 2;
    measurement.repetitions = 3;
    measurement.plan_seconds = 0.25;
    measurement.plan_bytes = 1000;
    measurement.value_bytes = 2000;
    measurement.workspace_bytes = 3000;
    measurement.notes = {"one note", "another"};
    prediction.seconds = 5;
    for (std::size_t level = 0; level < fixture.profile.levels.size(); ++level) {
      measurement.level_seconds.push_back(seconds / 4);
      prediction.level_seconds.push_back(static_cast<double>(level + 1) / 2);
    }
    for (std::uint64_t id = 0; id < fixture.profile.ops.size(); ++id) {
      measurement.ops.push_back({0.5, 10 + id, 20 + id, 77});
      prediction.ops.push_back({2, 1});
    }
  }

  [[nodiscard]] RunRecord record(const Fixture& fixture, bool with_prediction = true) const {
    RunRecord record = fixture.record();
    DeviceFacts device;
    device.device = "some device";
    device.driver = "some driver";
    record.measurement = MeasurementRecord{
        "cpu", device,      2, "level", 4, 7, 0.125, &measurement, with_prediction ? &prediction : nullptr,
        0.75,  std::nullopt};
    return record;
  }
};

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

TEST(RunStore, KeepsAMeasurementBesideThePredictionForSql) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const Fixture fixture;
  const Machine machine = some_machine();
  const Measured measured(fixture);
  RunContext context = fixture.context();
  context.command = "validate";
  context.machine = &machine;
  context.machine_text = "text of the machine";
  context.predicted_build_s = 0.5;
  RunRecord record = measured.record(fixture);
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
  EXPECT_EQ(query(file, "SELECT COUNT(*) FROM measured_ops"), std::to_string(fixture.profile.ops.size()) + "\n");
  EXPECT_EQ(query(file,
                  "SELECT run, model, backend, schedule, level, predicted_s, measured_s, error FROM "
                  "prediction_vs_measurement ORDER BY level IS NOT NULL, level"),
            "1|m|cpu|hybrid:1||5.0|4.0|0.25\n1|m|cpu|hybrid:1|0|0.5|1.0|-0.5\n1|m|cpu|hybrid:1|1|1.0|1.0|0.0\n");
  EXPECT_EQ(query(file, "SELECT machine, predicted_level_s, predicted_dag_s, backend, measured_s FROM run_summary"),
            "a machine|5.0|4.5|cpu|4.0\n");
  EXPECT_EQ(query(file, "SELECT predicted_build_s FROM runs"), "0.5\n");
  const QueryResult rows = store.measurements(1);
  ASSERT_EQ(rows.rows.size(), 3U);
  ASSERT_EQ(rows.columns.size(), rows.rows[0].size());
  EXPECT_EQ(rows.columns[4], "level");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(rows.rows[0][4])) << "the whole schedule first";
  EXPECT_EQ(std::get<std::int64_t>(rows.rows[2][4]), 1);
  EXPECT_TRUE(store.measurements(2).rows.empty());
}

TEST(RunStore, KeepsAMeasurementWithoutAMachine) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const Fixture fixture;
  Measured measured(fixture);
  measured.measurement.level_seconds.clear();
  RunRecord record = measured.record(fixture, false);
  record.measurement->worst_share = std::nullopt;
  record.measurement->mismatch = "op 3 is wrong";
  RunStore(file, RunStore::Open::create).save(fixture.context(), {record, fixture.record()}, std::nullopt);
  EXPECT_EQ(query(file, "SELECT predicted_s, measured_s, worst_share_of_bound, mismatch FROM measurements"),
            "|4.0||op 3 is wrong\n");
  EXPECT_EQ(query(file, "SELECT level, predicted_s, measured_s, error FROM prediction_vs_measurement"), "||4.0|\n");
  EXPECT_EQ(query(file, "SELECT DISTINCT predicted_alone_s IS NULL FROM measured_ops"), "1\n");
  EXPECT_EQ(query(file, "SELECT id, measured_s FROM run_summary ORDER BY id"), "1|4.0\n2|\n");
  EXPECT_EQ(query(file, "SELECT COUNT(*) FROM machines"), "0\n");
}

TEST(RunStore, KeepsTwoMeasurementsOfASchedulesApartAndDeletesThemWithTheirRun) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const Fixture fixture;
  const Measured first(fixture, 4);
  const Measured second(fixture, 8);
  RunStore store(file, RunStore::Open::create);
  store.save(fixture.context(), {first.record(fixture)}, std::nullopt);
  store.save(fixture.context(), {second.record(fixture)}, std::nullopt);
  EXPECT_EQ(query(file, "SELECT run, measured_s FROM prediction_vs_measurement WHERE level IS NULL ORDER BY run"),
            "1|4.0\n2|8.0\n");
  EXPECT_EQ(query(file, "SELECT measurement_id, COUNT(*) FROM measured_levels GROUP BY measurement_id"), "1|2\n2|2\n");
  EXPECT_TRUE(store.remove(1));
  EXPECT_EQ(query(file, "SELECT run_id FROM measurements"), "2\n");
  EXPECT_EQ(query(file, "SELECT DISTINCT measurement_id FROM measured_levels"), "2\n");
  EXPECT_EQ(query(file, "SELECT DISTINCT measurement_id FROM measured_ops"), "2\n");
  EXPECT_TRUE(store.measurements(1).rows.empty());
  EXPECT_TRUE(store.remove(2));
  EXPECT_EQ(query(file,
                  "SELECT (SELECT COUNT(*) FROM measurements) + (SELECT COUNT(*) FROM measured_levels) + (SELECT "
                  "COUNT(*) FROM measured_ops)"),
            "0\n");
}

TEST(RunStore, KeepsAMachineOnce) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const Fixture fixture;
  const Machine machine = some_machine();
  RunStore store(file, RunStore::Open::create);
  EXPECT_EQ(store.save_machine(machine, "text"), 1);
  EXPECT_EQ(store.save_machine(machine, "text"), 1);
  EXPECT_EQ(store.save_machine(machine, "another text"), 2);
  RunContext context = fixture.context();
  context.machine = &machine;
  context.machine_text = "another text";
  store.save(context, {fixture.record()}, std::nullopt);
  EXPECT_EQ(query(file, "SELECT machine_id FROM runs"), "2\n");
  EXPECT_EQ(query(file,
                  "SELECT id, name, kind, origin, device, driver IS NULL, workers, fit_points, fit_median_error, "
                  "fit_p90_error, fit_max_error, text FROM machines"),
            "1|a machine|cpu|calibration|some device|1|8|12|0.25|0.5|0.75|text\n"
            "2|a machine|cpu|calibration|some device|1|8|12|0.25|0.5|0.75|another text\n");
}

TEST(RunStore, BringsADatabaseOfVersionTwoUpToDateAndKeepsItsRuns) {
  const TemporaryFolder folder;
  const std::string file = folder.path("old.sqlite");
  EXPECT_EQ(query(file, "PRAGMA application_id = " + std::to_string(kApplicationId) + "; " + migrations()[0] +
                            migrations()[1] + "PRAGMA user_version = 2;"),
            "");
  const std::string insert =
      "INSERT INTO searches VALUES (1, 'time', 'dag', 'all', 2, NULL, 1, 0.25);"
      "INSERT INTO runs SELECT NULL, '2026-01-01T00:00:00Z', '0.0', 'search', '[]', 1, 6.0, 1, NULL, 'old model', "
      "'m.yaml', '00ff', 'sample', 2, 'hybrid:1', 'hybrid:1', 1, 4, 2, 2, 3, 16.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "
      "12, 13, 14, 15, 16, 17;"
      "INSERT INTO levels VALUES (1, 0, 'up', 3, 16.5, 6);"
      "INSERT INTO ops VALUES (1, 0, 0, 0, 1, 1, 'mm', 1, 2, 2, 2, 1, 1, 1, 1, 2, 8);";
  EXPECT_EQ(query(file, insert), "");
  const Fixture fixture;
  {
    RunStore store(file, RunStore::Open::existing);
    EXPECT_EQ(store.list().rows.size(), 1U);
    EXPECT_TRUE(store.show(1).has_value());
    EXPECT_EQ(store.levels(1).rows.size(), 1U);
    EXPECT_TRUE(store.measurements(1).rows.empty());
    const Measured measured(fixture);
    EXPECT_EQ(store.save(fixture.context(), {measured.record(fixture)}, std::nullopt), (std::vector<std::int64_t>{2}));
  }
  EXPECT_EQ(query(file, "PRAGMA user_version"), std::to_string(migrations().size()) + "\n");
  EXPECT_EQ(query(file, "SELECT id, model, flops, best, machine, predicted_level_s, measured_s FROM run_summary"),
            "1|old model|16.5|1|||\n2|m|16.5|0|||4.0\n");
  EXPECT_EQ(query(file, "SELECT dead_ops FROM level_profile WHERE run_id = 1"), "1\n");
  EXPECT_EQ(query(file, "PRAGMA integrity_check; PRAGMA foreign_key_check"), "ok\n");
}

TEST(RunStore, BringsADatabaseOfVersionSixUpToDateAndKeepsItsRuns) {
  const TemporaryFolder folder;
  const std::string file = folder.path("old.sqlite");
  const Fixture fixture;
  std::string script = "BEGIN; PRAGMA application_id = " + std::to_string(kApplicationId) + "; ";
  for (std::size_t i = 0; i < 6; ++i) script += migrations()[i];
  script +=
      "INSERT INTO runs SELECT NULL, '2026-01-01T00:00:00Z', '0.0', 'profile', '[]', NULL, NULL, NULL, NULL, 'old', "
      "'m.yaml', '00ff', 'sample', 2, 'hybrid:1', 'hybrid:1', 1, 4, 2, 2, 3, 16.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "
      "12, 13, 14, 15, 16, 17, NULL, NULL, NULL, NULL, NULL, NULL;"
      "PRAGMA user_version = 6; COMMIT;";
  ASSERT_EQ(query(file, script), "");
  RunStore(file, RunStore::Open::existing).save(fixture.context(), {fixture.record()}, std::nullopt);
  EXPECT_EQ(query(file, "PRAGMA user_version; SELECT id, model, flops, rule IS NULL FROM runs"),
            "8\n1|old|16.5|1\n2|m|16.5|0\n");
  EXPECT_EQ(query(file, "SELECT rule FROM runs WHERE id = 2"), std::string(kCountingRule) + "\n");
}

TEST(RunStore, RefusesWhatIsNotItsOwn) {
  const TemporaryFolder folder;
  const std::string text = folder.write("text.sqlite", std::string(5000, 'x'));
  EXPECT_NE(refusal(text).find(text + ": file is not a database"), std::string::npos) << refusal(text);
  EXPECT_EQ(testing::read_file(text), std::string(5000, 'x')) << "and leaves it alone";
  const std::string foreign = folder.path("foreign.sqlite");
  query(foreign, "CREATE TABLE t (x)");
  EXPECT_NE(refusal(foreign).find("a database of another program"), std::string::npos);
  EXPECT_EQ(query(foreign, "SELECT name FROM sqlite_master"), "t\n");
  const std::string newer = folder.path("newer.sqlite");
  EXPECT_EQ(refusal(newer), "accepted");
  query(newer, "PRAGMA user_version = 99");
  EXPECT_NE(refusal(newer).find("its schema version is 99, accepted are versions up to 8"), std::string::npos);
  EXPECT_NE(refusal(folder.path("none/r.sqlite")).find("unable to open database file"), std::string::npos);
  EXPECT_NE(refusal(folder.path()).find("not a regular file"), std::string::npos);
  EXPECT_NE(refusal(folder.path("missing.sqlite"), RunStore::Open::existing).find("no such database"),
            std::string::npos);
}

TEST(RunStore, LetsSeveralProcessesWriteAtOnce) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  constexpr int kWriters = 4;
  constexpr int kRuns = 15;
  std::vector<pid_t> writers;
  for (int w = 0; w < kWriters; ++w) {
    const pid_t writer = fork();
    if (writer == 0) {
      int code = 0;
      try {
        const Fixture fixture;
        RunStore store(file, RunStore::Open::create);
        for (int i = 0; i < kRuns; ++i)
          store.save(fixture.context("writer" + std::to_string(w)), {fixture.record()}, Fixture::search());
      } catch (const std::exception& error) {
        fprintf(stderr, "writer %d: %s\n", w, error.what());
        code = 1;
      }
      _exit(code);
    }
    writers.push_back(writer);
  }
  for (const pid_t writer : writers) {
    int status = 0;
    waitpid(writer, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(query(file, "SELECT model, COUNT(*) FROM runs GROUP BY model"),
            "writer0|15\nwriter1|15\nwriter2|15\nwriter3|15\n");
}

TEST(RunStore, HoldsWholeRunsOnlyAfterAKillAtAnyMoment) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  { const RunStore store(file, RunStore::Open::create); }
  const auto count = [&] { return query(file, "SELECT COUNT(*) FROM runs"); };
  // A busy machine may need longer for the first rows than the ten rounds give.
  for (int round = 0; round < 10 || (round < 16 && count() == "0\n"); ++round) {
    const pid_t writer = fork();
    if (writer == 0) {
      const Fixture fixture;
      RunStore store(file, RunStore::Open::create);
      for (;;) store.save(fixture.context(), {fixture.record(), fixture.record()}, Fixture::search());
    }
    usleep(static_cast<useconds_t>(round < 10 ? 3000 + 2500 * round : 100000 << (round - 10)));
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    EXPECT_EQ(query(file, "PRAGMA integrity_check; PRAGMA foreign_key_check"), "ok\n");
    EXPECT_EQ(query(file,
                    "SELECT COUNT(*) FROM runs r WHERE (SELECT COUNT(*) FROM ops WHERE run_id = r.id) != r.ops "
                    "OR (SELECT COUNT(*) FROM levels WHERE run_id = r.id) != r.levels OR (SELECT COUNT(*) FROM "
                    "operators WHERE run_id = r.id) != 4"),
              "0\n");
    EXPECT_EQ(
        query(file, "SELECT COUNT(*) FROM searches s WHERE (SELECT COUNT(*) FROM runs WHERE search_id = s.id) != 2"),
        "0\n");
  }
  EXPECT_NE(count(), "0\n") << "the writers never got anywhere";
}

}  // namespace
}  // namespace upsweep

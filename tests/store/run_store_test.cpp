#include "upsweep/store/run_store.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/store/migrations.hpp"
#include "support/files.hpp"
#include "upsweep/base/error.hpp"
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
            "wal\n2\nok\n");
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
  EXPECT_NE(refusal(newer).find("its schema version is 99, accepted are versions up to 2"), std::string::npos);
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
  for (int round = 0; round < 10; ++round) {
    const pid_t writer = fork();
    if (writer == 0) {
      const Fixture fixture;
      RunStore store(file, RunStore::Open::create);
      for (;;) store.save(fixture.context(), {fixture.record(), fixture.record()}, Fixture::search());
    }
    usleep(static_cast<useconds_t>(3000 + 2500 * round));
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
  EXPECT_NE(query(file, "SELECT COUNT(*) FROM runs"), "0\n") << "the writers never got anywhere";
}

}  // namespace
}  // namespace upsweep

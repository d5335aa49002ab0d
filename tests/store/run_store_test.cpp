#include "upsweep/store/run_store.hpp"

#include <gtest/gtest.h>

#include "../../src/store/schema.hpp"
#include "made_up_run.hpp"
#include "sql_query.hpp"
#include "support/files.hpp"
#include "support/refusal.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::run_store_test {
namespace {

using testing::made_up_search;
using testing::MadeUpRun;
using testing::query;
using testing::TemporaryFolder;

std::string refusal(const std::string& file, RunStore::Open open = RunStore::Open::create) {
  return testing::refusal_of([&] { return RunStore(file, open); });
}

TEST(RunStore, KeepsARunWithItsRowsAndAnswersSql) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const MadeUpRun made_up;
  const auto ids = RunStore(file, RunStore::Open::create).save(made_up.context(), {made_up.record()}, made_up_search());
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
            "wal\n" + std::to_string(kSchemaVersion) + "\nok\n");
}

TEST(RunStore, ListsShowsAndDeletes) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  const MadeUpRun made_up;
  RunStore store(file, RunStore::Open::create);
  store.save(made_up.context("one"), {made_up.record(), made_up.record()}, made_up_search());
  store.save(made_up.context("two"), {made_up.record()}, std::nullopt);
  const QueryResult list = store.reader().run_list();
  ASSERT_EQ(list.rows.size(), 3U);
  EXPECT_EQ(std::get<std::int64_t>(list.rows[0][0]), 3) << "newest first";
  EXPECT_TRUE(store.reader().run_tables(2).has_value());
  EXPECT_FALSE(store.reader().run_tables(9).has_value());
  EXPECT_EQ(store.reader().run_tables(2)->table("level_profile").rows.size(), 2U);
  EXPECT_TRUE(store.remove(1));
  EXPECT_FALSE(store.remove(1));
  EXPECT_EQ(query(file, "SELECT COUNT(*) FROM searches"), "1\n") << "the search still has run 2";
  EXPECT_TRUE(store.remove(2));
  EXPECT_EQ(query(file, "SELECT COUNT(*) FROM searches"), "0\n");
  EXPECT_EQ(query(file, "SELECT id FROM commands"), "2\n") << "that of run 3";
  EXPECT_EQ(
      query(file, "SELECT DISTINCT run_id FROM ops UNION SELECT run_id FROM levels UNION SELECT run_id FROM operators"),
      "3\n");
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
  EXPECT_NE(
      refusal(newer).find("its schema version is 99, accepted are versions up to " + std::to_string(kSchemaVersion)),
      std::string::npos);
  EXPECT_NE(refusal(folder.path("none/r.sqlite")).find("unable to open database file"), std::string::npos);
  EXPECT_NE(refusal(folder.path()).find("not a regular file"), std::string::npos);
  EXPECT_NE(refusal(folder.path("missing.sqlite"), RunStore::Open::existing).find("no such database"),
            std::string::npos);
}

}  // namespace
}  // namespace upsweep::run_store_test

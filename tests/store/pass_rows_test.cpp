#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up_records.hpp"
#include "older_databases.hpp"
#include "sql_query.hpp"
#include "support/files.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep {
namespace {

using testing::pass_record;
using testing::query;
using testing::TemporaryFolder;

TEST(PassRows, PutsPredictedBesideMeasuredAndRelatesToTheBaseline) {
  const TemporaryFolder folder;
  const std::string file = folder.path("runs.sqlite");
  RunStore store(file, RunStore::Open::create);
  EXPECT_EQ(store.save(pass_record()), 1);
  EXPECT_EQ(
      query(file, "SELECT method, predicted_s, measured_s, round(error, 3), ratio_to_first, failure FROM pass_summary"),
      "bptt|0.4|0.5|-0.2|1.0|\nblelloch||0.25||0.5|\nhybrid:1|||||too large\n");
  EXPECT_EQ(query(file, "SELECT id, command, model, schedule, workers, measured_s FROM run_summary"),
            "1|train|net|blelloch|2|0.25\n")
      << "a run is listed with its best pass";
  EXPECT_EQ(query(file, "SELECT pass, iteration, loss FROM losses WHERE iteration = 1"), "0|1|2.25\n1|1|2.25\n");
  const std::optional<RunTables> tables = store.reader().run_tables(1);
  ASSERT_TRUE(tables.has_value());
  EXPECT_EQ(tables->kind, RunKind::passes);
  EXPECT_EQ(tables->table("passes").rows.size(), 3U);
  EXPECT_EQ(tables->table("summary").rows.size(), 3U);
  EXPECT_EQ(tables->table("losses").rows.size(), 4U);
}

TEST(PassRows, ShareTheIdsOfAllRunsAndAreDeletedWithTheirRows) {
  const TemporaryFolder folder;
  const std::string file = folder.path("runs.sqlite");
  RunStore store(file, RunStore::Open::create);
  EXPECT_EQ(store.save(TrainingRecord{}), 1);
  EXPECT_EQ(store.save(pass_record()), 2);
  EXPECT_EQ(store.reader().run_tables(1)->kind, RunKind::training);
  EXPECT_EQ(store.reader().run_tables(2)->kind, RunKind::passes);
  EXPECT_TRUE(store.remove(2));
  EXPECT_FALSE(store.remove(2));
  EXPECT_EQ(query(file, "SELECT COUNT(*) FROM passes; SELECT COUNT(*) FROM losses; SELECT id FROM commands"),
            "0\n0\n1\n");
  EXPECT_EQ(store.save(pass_record()), 3) << "an id is never used twice";
}

TEST(PassRows, AnOlderDatabaseIsUpgradedAndKeepsItsRuns) {
  const TemporaryFolder folder;
  const std::string file = folder.path("old.sqlite");
  testing::make_older_database(file, 4);
  RunStore store(file, RunStore::Open::existing);
  EXPECT_EQ(store.reader().run_list().rows.size(), 6U);
  store.save(pass_record());
  EXPECT_EQ(store.reader().run_list().rows.size(), 7U);
}

}  // namespace
}  // namespace upsweep

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up_records.hpp"
#include "sql_query.hpp"
#include "support/files.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep::training_rows_test {
namespace {

using testing::query;
using testing::TemporaryFolder;
using testing::training_record;
using testing::training_record_without_best;

TEST(TrainingRows, KeepsVariantsApartAndAnswersSql) {
  const TemporaryFolder folder;
  const std::string file = folder.path("runs.sqlite");
  RunStore store(file, RunStore::Open::create);
  EXPECT_EQ(store.save(training_record()), 1);
  EXPECT_EQ(query(file, "SELECT variant, makespan, bubble_fraction, peak_tensors, best FROM training_summary"),
            "gpipe|23|0.5|5|0\ngpipe (2)|20.5|0.25||1\n");
  EXPECT_EQ(query(file,
                  "SELECT v.name, t.resource, t.kind, t.transfer, t.starts, t.ends FROM training_tasks t "
                  "JOIN training_variants v USING (run_id, variant) ORDER BY seq"),
            "gpipe|device 0|F|0|0.0|1.0\ngpipe (2)|0 to 1|W|1|1.0|1.5\n");
  EXPECT_EQ(query(file, "SELECT id, command, model, schedule, workers FROM run_summary"),
            "1|training|step|gpipe (2)|2\n");
}

TEST(TrainingRows, ShareTheIdsOfAllRunsAndAreDeletedWithTheirRows) {
  const TemporaryFolder folder;
  const std::string file = folder.path("runs.sqlite");
  RunStore store(file, RunStore::Open::create);
  EXPECT_EQ(store.save(training_record()), 1);
  EXPECT_EQ(store.save(training_record()), 2);
  const std::optional<RunTables> tables = store.reader().run_tables(2);
  ASSERT_TRUE(tables.has_value());
  EXPECT_EQ(tables->kind, RunKind::training);
  EXPECT_EQ(tables->table("figures").rows.size(), 6U);
  EXPECT_EQ(tables->table("summary").rows.size(), 2U);
  EXPECT_TRUE(store.remove(2));
  EXPECT_FALSE(store.remove(2));
  EXPECT_FALSE(store.reader().run_tables(2).has_value());
  EXPECT_EQ(query(file,
                  "SELECT COUNT(*) FROM training_tasks; SELECT COUNT(*) FROM training_figures; "
                  "SELECT COUNT(*) FROM training_variants"),
            "2\n6\n2\n");
  EXPECT_EQ(store.save(training_record()), 3) << "an id is never used twice";
}

TEST(TrainingRows, MayHaveNoMakespan) {
  const TemporaryFolder folder;
  const std::string file = folder.path("runs.sqlite");
  RunStore store(file, RunStore::Open::create);
  EXPECT_EQ(store.save(training_record_without_best()), 1);
  EXPECT_EQ(store.reader().run_list().rows.size(), 1U);
}

}  // namespace
}  // namespace upsweep::training_rows_test

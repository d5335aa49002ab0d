#include <gtest/gtest.h>

#include "support/files.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep::anchor_rows_test {
namespace {

AnchorRecord made_up() {
  AnchorPoint point;
  point.row.file = "t.csv";
  point.row.line = 7;
  point.row.family = "spgemm";
  point.row.device = "some GPU";
  point.row.library = "some library";
  point.row.matrix = "cant";
  point.row.status = "ok";
  point.row.time_s = 2;
  point.machine = "some-gpu";
  point.predicted_status = "ok";
  point.predicted_s = 3;
  point.low_s = 1;
  point.high_s = 4;
  point.in_sample_s = 2.5;
  point.bound_s = 0.5;
  point.binds = "short rows";
  point.is_fitted = point.is_left_out = true;
  AnchorPoint skipped;
  skipped.row = point.row;
  skipped.row.time_s = std::nullopt;
  skipped.row.status = "not_in_table";
  skipped.skipped = "nobody knows";
  AnchorFamily family;
  family.family = "spgemm";
  family.device = "some GPU";
  family.library = "some library";
  family.machine = "some-gpu";
  family.rows = 2;
  family.skipped = family.fitted = family.left_out = 1;
  family.error = {1, 0.5, 0.5, 0.5, 0.5};
  family.coverage = 1;
  family.failures.missed = 3;
  family.fitted_on = {"one sentence", "another one"};
  return {"1.0", "[]", "t.csv", "0123", {{point, skipped}, {family}}};
}

TEST(AnchorRows, AreReadAsTheyWereWritten) {
  const testing::TemporaryFolder folder;
  RunStore store(folder.path("runs.sqlite"), RunStore::Open::create);
  const AnchorRecord record = made_up();
  EXPECT_EQ(store.save(record), 1);
  EXPECT_EQ(store.reader().anchors_ids(), std::vector<std::int64_t>{1});
  const std::optional<StoredAnchors> read = store.reader().anchors(1);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->record.files, "t.csv");
  EXPECT_EQ(read->record.content_hash, "0123");
  ASSERT_EQ(read->record.report.points.size(), 2U);
  const AnchorPoint& before = record.report.points[0];
  const AnchorPoint& after = read->record.report.points[0];
  EXPECT_EQ(after.row.line, before.row.line);
  EXPECT_EQ(after.row.device, before.row.device);
  EXPECT_EQ(after.row.matrix, before.row.matrix);
  EXPECT_EQ(after.error(), before.error());
  EXPECT_EQ(after.is_inside(), before.is_inside());
  EXPECT_EQ(after.in_sample_s, before.in_sample_s);
  EXPECT_EQ(after.bound_s, before.bound_s);
  EXPECT_EQ(after.binds, before.binds);
  EXPECT_EQ(after.machine, before.machine);
  EXPECT_TRUE(after.is_fitted && after.is_left_out);
  EXPECT_EQ(read->record.report.points[1].skipped, "nobody knows");
  EXPECT_EQ(read->record.report.points[1].predicted_s, std::nullopt);
  ASSERT_EQ(read->record.report.families.size(), 1U);
  const AnchorFamily& family = read->record.report.families[0];
  EXPECT_EQ(family.error, record.report.families[0].error);
  EXPECT_EQ(family.failures, record.report.families[0].failures);
  EXPECT_EQ(family.fitted_on, record.report.families[0].fitted_on);
  EXPECT_EQ(family.coverage, 1);
  EXPECT_TRUE(store.remove(1));
  EXPECT_FALSE(store.reader().anchors(1).has_value());
}

}  // namespace
}  // namespace upsweep::anchor_rows_test

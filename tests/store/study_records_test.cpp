#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "store/study_rows.hpp"
#include "support/files.hpp"
#include "support/random.hpp"
#include "upsweep/store/study_store.hpp"

namespace upsweep::study_records_test {
namespace {

using testing::done_record;
using testing::kNan;
using testing::point;
using testing::query;
using testing::schedule;
using testing::study_record;
using testing::TemporaryFolder;

/// NaN equals NaN; else bits count, as a double that came back from a text would not.
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void expect_same(const PointSchedule& a, const PointSchedule& b) {
  EXPECT_EQ(std::tie(a.schedule, a.depth, a.is_feasible, a.reason),
            std::tie(b.schedule, b.depth, b.is_feasible, b.reason));
  for (const auto figure : {&PointSchedule::score, &PointSchedule::levels, &PointSchedule::ops, &PointSchedule::flops,
                            &PointSchedule::critical_path_flops, &PointSchedule::steps, &PointSchedule::per_step_flops,
                            &PointSchedule::peak_live_bytes}) {
    EXPECT_TRUE(same(a.*figure, b.*figure)) << a.*figure << " and " << b.*figure;
  }
}

void expect_same(const std::optional<PointSchedule>& a, const std::optional<PointSchedule>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (a) expect_same(*a, *b);
}

void expect_same(const PointRecord& a, const PointRecord& b) {
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(std::tie(a.status, a.reason, a.model_hash, a.machine_hash, a.settings),
            std::tie(b.status, b.reason, b.model_hash, b.machine_hash, b.settings));
  const PointFigures& f = a.figures;
  const PointFigures& g = b.figures;
  EXPECT_EQ(std::tie(f.is_in_seconds, f.is_exact, f.workers, f.elements, f.margin),
            std::tie(g.is_in_seconds, g.is_exact, g.workers, g.elements, g.margin));
  EXPECT_TRUE(same(a.bppsa_bytes, b.bppsa_bytes) && same(a.pipeline_bytes, b.pipeline_bytes) &&
              same(a.memory_limit, b.memory_limit) && same(f.chain_build_values, g.chain_build_values) &&
              same(f.largest_jacobian_bytes, g.largest_jacobian_bytes) &&
              same(f.largest_vector_bytes, g.largest_vector_bytes));
  expect_same(f.plain, g.plain);
  expect_same(f.best, g.best);
  expect_same(f.scan, g.scan);
  expect_same(f.refused_scan, g.refused_scan);
}

/// Saves a record in a new study of its own and reads it back from a reopened file.
void expect_kept(const PointRecord& record) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  {
    StudyStore store(file);
    store.save(store.open_study(study_record()), std::vector{point(0, record)});
  }
  const std::optional<PointRecord> back = StudyStore(file).reader().result(record.key);
  ASSERT_TRUE(back.has_value());
  expect_same(record, *back);
}

TEST(StudyRecords, KeepsEveryFieldOfAPoint) {
  PointRecord record = done_record(7);
  record.figures.is_exact = false;
  record.figures.chain_build_values = 1e300;
  record.figures.largest_jacobian_bytes = 0x1p53 - 1;
  record.figures.largest_vector_bytes = 0.1;
  record.figures.best->reason = "it's \"quoted\"";
  record.figures.best->flops = 1.0 / 3;
  record.figures.plain.is_feasible = false;
  record.figures.plain.reason = "too large";
  record.figures.scan = schedule("sklansky", 3.5);
  record.figures.scan->depth = std::nullopt;
  expect_kept(record);
}

TEST(StudyRecords, KeepsWhatIsNotThereAsNull) {
  PointRecord record = done_record(7);
  record.bppsa_bytes = record.pipeline_bytes = record.memory_limit = kNan;
  record.figures.margin = std::nullopt;
  record.figures.scan = std::nullopt;
  record.figures.best = record.figures.plain;
  record.figures.plain.score = record.figures.best->score = kNan;
  record.machine_hash.clear();
  record.settings.clear();
  record.figures.is_in_seconds = false;
  expect_kept(record);
}

TEST(StudyRecords, KeepsHugeCountsExactly) {
  PointRecord record = done_record(7);
  record.figures.workers = INT64_MAX;
  record.figures.elements = UINT64_MAX;
  record.figures.best->flops = 1.7e308;
  record.figures.best->ops = 0x1p63;
  record.figures.best->levels = 0x1p62;
  record.figures.best->steps = 0x1.fffffffffffffp62;
  record.figures.best->score = std::numeric_limits<double>::max();
  record.figures.best->per_step_flops = std::numeric_limits<double>::denorm_min();
  expect_kept(record);
}

TEST(StudyRecords, KeepsAnInfeasiblePointWithItsReasonAndTheScanThatDoesNotFit) {
  PointRecord record = done_record(7);
  record.status = PointStatus::infeasible;
  record.reason = "no schedule fits";
  record.figures.best = std::nullopt;
  record.figures.scan = std::nullopt;
  record.figures.margin = std::nullopt;
  record.figures.refused_scan = schedule("hybrid:1", 5);
  record.figures.refused_scan->is_feasible = false;
  record.figures.refused_scan->reason = "needs 4 GiB";
  expect_kept(record);

  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  StudyStore store(file);
  const std::int64_t study = store.open_study(study_record());
  store.save(study, std::vector{point(0, record)});
  store.reader().each_brief(study, [](const StoredPoint& stored) {
    const PointBrief& brief = stored.brief;
    EXPECT_EQ(brief.status, PointStatus::infeasible);
    EXPECT_EQ(stored.schedule, "");
    EXPECT_TRUE(std::isnan(brief.score) && std::isnan(brief.scan_score) && std::isnan(brief.best_bytes));
    EXPECT_EQ(brief.plain_score, 8);
    EXPECT_EQ(brief.scan_bytes, 4096);
  });
  EXPECT_EQ(query(file, "SELECT status, reason, score IS NULL, scan_score IS NULL, scan_bytes FROM study_points"),
            "infeasible|no schedule fits|1|1|4096\n");
}

class RandomStudyRecords : public testing::SeededTest {};

TEST_F(RandomStudyRecords, KeepsAnyRecord) {
  const TemporaryFolder folder;
  const std::string file = folder.path("s.sqlite");
  StudyStore store(file);
  const std::int64_t study = store.open_study(study_record());
  const auto figure = [this] { return std::abs(chance(0.3) ? std::floor(normal() * 1e6) : normal() * 1e-3); };
  const auto any_schedule = [&](bool is_feasible) {
    PointSchedule mine;
    mine.schedule = chance(0.5) ? "hybrid:3" : "linear";
    if (chance(0.5)) mine.depth = static_cast<std::uint32_t>(between(0, UINT32_MAX));
    mine.is_feasible = is_feasible;
    if (!is_feasible) mine.reason = "too large";
    for (const auto member : {&PointSchedule::score, &PointSchedule::levels, &PointSchedule::ops, &PointSchedule::flops,
                              &PointSchedule::critical_path_flops, &PointSchedule::steps,
                              &PointSchedule::per_step_flops, &PointSchedule::peak_live_bytes}) {
      mine.*member = figure();
    }
    return mine;
  };
  std::vector<StudyPoint> points;
  for (std::uint64_t i = 0; i < 50; ++i) {
    PointRecord record;
    for (auto& byte : record.key) byte = static_cast<std::uint8_t>(between(0, 255));
    record.status = chance(0.7) ? PointStatus::done : PointStatus::infeasible;
    record.figures.workers = between(1, INT64_MAX);
    record.figures.elements = between(0, INT64_MAX);
    record.figures.is_in_seconds = chance(0.5);
    record.figures.plain = any_schedule(chance(0.5));
    if (chance(0.7)) record.figures.best = chance(0.4) ? record.figures.plain : any_schedule(true);
    if (chance(0.4)) {
      record.figures.scan = any_schedule(true);
    } else if (chance(0.5)) {
      record.figures.refused_scan = any_schedule(false);
    } else if (record.figures.best && record.figures.best->is_feasible) {
      record.figures.scan = record.figures.best;
    }
    record.bppsa_bytes = chance(0.2) ? kNan : figure();
    record.settings = "s" + std::to_string(i);
    points.push_back(point(i, record));
  }
  store.save(study, points);
  for (const StudyPoint& mine : points) {
    const std::optional<PointRecord> back = store.reader().result(mine.record.key);
    ASSERT_TRUE(back.has_value());
    expect_same(mine.record, *back);
  }
}

}  // namespace
}  // namespace upsweep::study_records_test

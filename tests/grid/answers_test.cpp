#include "upsweep/grid/answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/random.hpp"

namespace upsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kNone = PointBrief::kNone;

PointBrief point(double score, double bytes) {
  PointBrief brief;
  brief.score = score;
  brief.best_bytes = bytes;
  brief.status = PointStatus::done;
  return brief;
}

class AnswersTest : public testing::SeededTest {
 protected:
  /// Few values, so that there are ties.
  double small() { return chance(0.1) ? kNone : static_cast<double>(between(1, 6)); }

  std::vector<PointBrief> random_points(std::size_t most) {
    std::vector<PointBrief> points(between(0, most));
    for (PointBrief& brief : points) {
      brief = point(small(), small());
      brief.plain_score = small();
      brief.scan_score = small();
    }
    return points;
  }
};

TEST_F(AnswersTest, ChangesAreWhereNeighboursInTheOrderOfPlacesThatSayDiffer) {
  for (int i = 0; i < 50; ++i) {
    const std::vector<PointBrief> points = random_points(40);
    if (points.empty()) continue;
    const std::uint64_t first = between(0, points.size() - 1);
    const std::uint64_t stride = between(1, 4);
    const std::size_t count = (points.size() - 1 - first) / stride + 1;
    const auto holds = [&](std::size_t place) { return scan_is_faster(points[first + place * stride]); };
    std::vector<std::size_t> places(count);
    std::iota(places.begin(), places.end(), std::size_t{0});
    for (std::size_t left = count; left > 1; --left) std::swap(places[left - 1], places[between(0, left - 1)]);
    std::vector<Bracket> expected;
    for (std::size_t after = 1; after < count; ++after) {
      std::size_t before = after - 1;
      while (before > 0 && !holds(places[before])) --before;
      const std::optional<bool> held = holds(places[before]);
      const std::optional<bool> holds_after = holds(places[after]);
      if (holds_after && held && *holds_after != *held)
        expected.push_back({places[before], places[after], *holds_after});
    }
    EXPECT_EQ(changes_along(points, first, stride, places, scan_is_faster), expected);
  }
}

TEST(ScanIsFaster, NeedsBothScoresAndMoreThanATie) {
  PointBrief brief;
  EXPECT_EQ(scan_is_faster(brief), std::nullopt);
  brief.plain_score = 2;
  EXPECT_EQ(scan_is_faster(brief), std::nullopt);
  brief.scan_score = 2;
  EXPECT_EQ(scan_is_faster(brief), false);
  brief.scan_score = 1;
  EXPECT_EQ(scan_is_faster(brief), true);
  EXPECT_EQ(brief.speedup(), 2);
  brief.dense_score = 1.5;
  EXPECT_EQ(scan_is_faster(brief), true);
  EXPECT_EQ(brief.speedup(), 1.5);
  brief.dense_score = 0.5;
  EXPECT_EQ(scan_is_faster(brief), false) << "dense back-propagation is faster";
  EXPECT_EQ(brief.speedup(), 0.5);
}

TEST(ScanIsFaster, CountsWhatBlocksTakeBesideTheGraph) {
  PointBrief brief;
  brief.plain_score = 3;
  brief.scan_score = 1;
  brief.graph_score = 4;
  brief.blocks_score = 1;
  EXPECT_EQ(brief.speedup(), 2) << "4 over 1 + 1";
  brief.blocks_score = 3;
  EXPECT_EQ(brief.speedup(), 1);
  EXPECT_EQ(scan_is_faster(brief), false);
  brief.blocks_score = 0.25;
  EXPECT_EQ(brief.speedup(), 3) << "over the chain it is less";
  brief.dense_score = 1.5;
  EXPECT_EQ(brief.speedup(), 1.2) << "dense back-propagation makes the gradients inside blocks, too";
}

TEST(Fits, ComparesTheMemoryAskedForWithTheLimitAskedFor) {
  PointBrief brief = point(1, 10);
  brief.plain_bytes = 20;
  brief.scan_bytes = 30;
  brief.bppsa_bytes = 40;
  brief.pipeline_bytes = 50;
  Question question;
  question.kind = QuestionKind::capacity;
  EXPECT_EQ(fits(brief, question), std::nullopt) << "no limit is known";
  brief.memory_limit = 10;
  EXPECT_EQ(fits(brief, question), true);
  question.of = MemoryOf::plain;
  EXPECT_EQ(fits(brief, question), false);
  question.memory_bytes = 40;
  for (const auto& [of, does_fit] : {std::pair{MemoryOf::plain, true},
                                     {MemoryOf::scan, true},
                                     {MemoryOf::bppsa, true},
                                     {MemoryOf::pipeline, false}}) {
    question.of = of;
    EXPECT_EQ(fits(brief, question), does_fit) << to_string(of);
  }
  brief.pipeline_bytes = kNone;
  EXPECT_EQ(fits(brief, question), std::nullopt);
}

TEST(Fits, IsNoForThePointThatNoScheduleFits) {
  PointBrief brief = point(kNone, kNone);
  brief.status = PointStatus::infeasible;
  brief.memory_limit = 100;
  Question question;
  EXPECT_EQ(fits(brief, question), false);
  question.memory_bytes = 100;
  EXPECT_EQ(fits(brief, question), false);
  question.memory_bytes = 101;
  EXPECT_EQ(fits(brief, question), std::nullopt) << "one may fit a larger limit";
  question.memory_bytes.reset();
  brief.status = PointStatus::invalid;
  EXPECT_EQ(fits(brief, question), std::nullopt);
}

TEST(Units, SecondsAndFlopsAreNotComparedByScore) {
  std::vector<PointBrief> points = {point(5, 1), point(1e-3, 20), point(2e-3, 10)};
  points[1].is_in_seconds = points[2].is_in_seconds = true;
  EXPECT_THAT(top_points(points, PointKey::score, 3), ElementsAre(1, 2));
  EXPECT_THAT(top_points(points, PointKey::memory, 3), ElementsAre(0, 2, 1));
  EXPECT_THAT(pareto_front(points), ElementsAre(1, 2));
  points[1].is_in_seconds = points[2].is_in_seconds = false;
  EXPECT_THAT(top_points(points, PointKey::score, 1), ElementsAre(1));
  EXPECT_THAT(pareto_front(points), ElementsAre(1, 2, 0));
}

TEST_F(AnswersTest, TopPointsAreTheFirstOfAllSorted) {
  for (int i = 0; i < 30; ++i) {
    const std::vector<PointBrief> points = random_points(40);
    for (const PointKey by : {PointKey::score, PointKey::speedup, PointKey::memory}) {
      const auto key = [&](std::uint64_t position) {
        const PointBrief& brief = points[position];
        if (by == PointKey::speedup) return -brief.speedup();
        return by == PointKey::score ? brief.score : brief.best_bytes;
      };
      std::vector<std::uint64_t> all(points.size());
      std::iota(all.begin(), all.end(), 0U);
      std::erase_if(all, [&](std::uint64_t position) { return std::isnan(key(position)); });
      std::ranges::stable_sort(all, {}, key);
      for (const std::uint64_t count : {0U, 1U, 5U, 100U}) {
        const std::vector<std::uint64_t> first(
            all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(count, all.size())));
        EXPECT_EQ(top_points(points, by, count), first) << to_string(by) << ", " << count;
      }
    }
  }
}

TEST_F(AnswersTest, ParetoFrontIsWhatNoOtherPointBeats) {
  for (int i = 0; i < 100; ++i) {
    const std::vector<PointBrief> points = random_points(25);
    const auto has_both = [](const PointBrief& p) { return !std::isnan(p.score) && !std::isnan(p.best_bytes); };
    std::vector<std::uint64_t> expected;
    for (std::uint64_t a = 0; a < points.size(); ++a) {
      bool is_beaten = !has_both(points[a]);
      for (std::uint64_t b = 0; b < points.size() && !is_beaten; ++b) {
        if (!has_both(points[b]) || points[b].score > points[a].score || points[b].best_bytes > points[a].best_bytes)
          continue;
        const bool is_equal = points[b].score == points[a].score && points[b].best_bytes == points[a].best_bytes;
        is_beaten = !is_equal || b < a;
      }
      if (!is_beaten) expected.push_back(a);
    }
    std::ranges::sort(expected, {}, [&](std::uint64_t position) { return points[position].score; });
    EXPECT_EQ(pareto_front(points), expected);
  }
}

TEST(ParetoFront, HasTheFirstOfEqualPointsByAscendingScore) {
  EXPECT_THAT(pareto_front({point(3, 1), point(1, 3), point(3, 1), point(1, 4), point(4, 1)}), ElementsAre(1, 0));
  EXPECT_THAT(pareto_front({}), IsEmpty());
  EXPECT_THAT(pareto_front({point(kNone, 1), point(1, kNone)}), IsEmpty());
}

TEST(WinsBySchedule, CountsPointsThatAreDone) {
  std::vector<PointBrief> points(6, point(1, 1));
  points[0].schedule = 3;
  points[1].schedule = 1;
  points[2].schedule = 3;
  points[3].schedule = 9;
  points[3].status = PointStatus::invalid;
  EXPECT_THAT(wins_by_schedule(points), ElementsAre(2, 1, 0, 2));
  EXPECT_THAT(wins_by_schedule({}), IsEmpty());
}

}  // namespace
}  // namespace upsweep

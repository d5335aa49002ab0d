#include "upsweep/search/stacked_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>

namespace upsweep {
namespace {

StackedSearchResult search(const StackedShape& shape, Objective objective = Objective::time,
                           std::optional<std::uint64_t> workers = {}, std::optional<std::uint64_t> memory_limit = {}) {
  SearchOptions options;
  options.objective = objective;
  options.workers = workers;
  options.memory_limit = memory_limit;
  return compare_stacked(shape, stacked_methods(shape), options);
}

TEST(StackedSearch, PicksTheLeastScoreOfEveryObjective) {
  const StackedShape shape{3, 40, 4};
  for (const Objective objective : {Objective::time, Objective::critical_flops, Objective::work_flops}) {
    for (const std::uint64_t workers : {1, 5, 60, 100'000}) {
      const StackedSearchResult result = search(shape, objective, workers, {});
      ASSERT_TRUE(result.best);
      const double best = *result.candidates[*result.best].score;
      double next = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < result.candidates.size(); ++i) {
        EXPECT_GE(*result.candidates[i].score, best);
        EXPECT_TRUE(i >= *result.best || *result.candidates[i].score > best) << "ties go to the first";
        if (i != *result.best) next = std::min(next, *result.candidates[i].score);
      }
      EXPECT_DOUBLE_EQ(*result.margin, next / best - 1);
    }
  }
}

TEST(StackedSearch, ComparesEachWayOnce) {
  const std::vector<StackedMethod> methods = stacked_methods({2, 100, 1});
  ASSERT_EQ(methods.size(), 1U + (7 + 1) + (7 + 1) + (6 + 1)) << "depths 0 to 6 and Kogge-Stone";
  for (std::size_t i = 0; i < methods.size(); ++i)
    EXPECT_EQ(std::ranges::count(methods, methods[i]), 1) << to_string(methods[i]);
  EXPECT_EQ(stacked_methods({2, 100, 1}, 99).size(), 7U);
  EXPECT_EQ(stacked_methods({2, 1, 1}).size(), 3U) << "a single step has no scan over time";
}

TEST(StackedSearch, OneWorkerTakesTheWavefront) {
  // On one worker the least work wins, and substitution has one product with a vector per block.
  for (const StackedShape& shape : {StackedShape{2, 8, 1}, StackedShape{4, 1000, 20}, StackedShape{7, 3, 2}})
    EXPECT_EQ(search(shape, Objective::time, 1, {}).best, 0U);
}

TEST(StackedSearch, OvertakingIsTheFewestWorkersWithWhichAnotherWayWins) {
  for (const StackedShape& shape : {StackedShape{2, 64, 2}, StackedShape{4, 1000, 20}, StackedShape{3, 5, 2},
                                    StackedShape{12, 300, 1}, StackedShape{1, 200, 3}}) {
    const StackedSearchResult result = search(shape);
    const auto found = overtaking_wavefront(result);
    const auto wins = [&](std::uint64_t workers) {
      const StackedSearchResult at = search(shape, Objective::time, workers, {});
      return *at.candidates[*at.best].score < *at.linear().score;
    };
    if (!found) {
      EXPECT_FALSE(wins(result.workers)) << shape.layers << " layers, " << shape.steps << " steps";
      continue;
    }
    EXPECT_TRUE(wins(found->workers));
    EXPECT_LT(found->flops, found->wavefront_flops);
    EXPECT_TRUE(wins(found->workers + 1) || found->workers < result.wavefront().widest);
    for (std::uint64_t workers = found->workers - 1; workers > 0; workers -= (workers + 9) / 10)
      EXPECT_FALSE(wins(workers)) << workers << " workers";
  }
}

TEST(StackedSearch, SaysWhatDoesNotFit) {
  const StackedShape shape{4, 100, 20};
  const StackedSearchResult all = search(shape);
  std::uint64_t least = ~std::uint64_t{0};
  for (const StackedProfile& profile : all.profiles) least = std::min(least, profile.memory_bytes);
  const StackedSearchResult tight = search(shape, Objective::time, {}, least);
  ASSERT_TRUE(tight.best);
  EXPECT_EQ(tight.profiles[*tight.best].memory_bytes, least);
  EXPECT_GT(std::ranges::count(tight.candidates, false, &Candidate::feasible), 5);
  const StackedSearchResult none = search(shape, Objective::time, {}, least - 1);
  EXPECT_FALSE(none.best);
  EXPECT_FALSE(none.margin);
  EXPECT_NE(none.linear().reason.find("more than the limit of"), std::string::npos);
}

TEST(StackedSearch, NeedsTheWavefrontAtTheFront) {
  EXPECT_THROW((void)compare_stacked({2, 4, 2}, {}, {}), std::invalid_argument);
  EXPECT_THROW((void)compare_stacked({2, 4, 2}, {{StackedKind::layer_by_layer, TimeScan::hybrid, 0}}, {}),
               std::invalid_argument);
}

}  // namespace
}  // namespace upsweep

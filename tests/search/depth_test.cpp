#include "upsweep/search/depth.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

/// Profiles of all depths with costs by rule.
std::vector<ScheduleProfile> profiles(std::size_t length,
                                      const std::function<std::uint64_t(const Schedule&, const Combine&)>& cost) {
  std::vector<ScheduleProfile> all;
  for (const Schedule& schedule : depth_candidates(length)) {
    ScheduleProfile profile;
    profile.schedule = schedule;
    profile.value_bytes.assign(schedule.values(), 10);
    const std::vector<bool> dead = dead_combines(schedule);
    for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
      OpProfile op;
      op.flops = cost(schedule, schedule.combines[id]);
      op.bytes = 10;
      op.dead = dead[id];
      profile.ops.push_back(op);
    }
    all.push_back(profile);
  }
  return all;
}

std::uint64_t one(const Schedule&, const Combine&) { return 1; }

TEST(SearchDepth, FindsTheScanWhereCombinesCostTheSame) {
  SearchOptions options;
  options.workers = 64;
  const SearchResult result = search_depth(profiles(64, one), options);
  ASSERT_TRUE(result.best.has_value());
  EXPECT_GT(result.candidates[*result.best].depth, 0U);
  for (const Candidate& candidate : result.candidates)
    EXPECT_GE(candidate.score, result.candidates[*result.best].score);
}

TEST(SearchDepth, GivesTiesToTheSmallerDepthAndMarksEqualFigures) {
  const SearchResult result =
      search_depth(profiles(22, [](const Schedule&, const Combine&) { return std::uint64_t{0}; }), {});
  EXPECT_EQ(result.candidates[*result.best].depth, 0U);
  EXPECT_FALSE(result.margin.has_value()) << "no ratio to a score of 0";
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(result.candidates[i].same_as, std::nullopt) << "other levels, so other figures";
  EXPECT_EQ(result.candidates[4].same_as, 3U);
}

TEST(SearchDepth, ScoresEachObjectiveByItsOwnRule) {
  const auto all = profiles(22, one);
  for (const Execution execution : {Execution::level, Execution::dag}) {
    SearchOptions options;
    options.execution = execution;
    options.workers = 3;
    for (std::size_t i = 0; i < all.size(); ++i) {
      options.objective = Objective::time;
      EXPECT_EQ(search_depth(all, options).candidates[i].score, pram_profile(all[i], 3).makespan(execution)->flops);
      options.objective = Objective::critical_flops;
      EXPECT_EQ(search_depth(all, options).candidates[i].score, totals(all[i], Scope::all).critical_path(execution));
      options.objective = Objective::work_flops;
      EXPECT_EQ(search_depth(all, options).candidates[i].score, totals(all[i], Scope::all).flops);
    }
  }
}

TEST(SearchDepth, WithoutWorkersTakesTheWidestLevelOfAllCandidates) {
  EXPECT_EQ(search_depth(profiles(22, one), {}).workers, 11U);
}

TEST(SearchDepth, LeavesDeadOpsOutOnRequest) {
  SearchOptions options;
  options.objective = Objective::work_flops;
  options.scope = Scope::live;
  const auto all = profiles(22, one);
  const SearchResult result = search_depth(all, options);
  EXPECT_EQ(result.candidates[1].score, 29U);
  EXPECT_EQ(result.candidates[1].totals.ops, 29U);
  EXPECT_EQ(result.candidates[1].pram.work, 29U);
}

TEST(SearchDepth, SaysWhyACandidateDoesNotFit) {
  auto all = profiles(22, one);
  all[2].ops[3].bytes = 5000;
  all[2].value_bytes.at(all[2].schedule.length + 3) = 5000;
  all[2].ops[3].m = 7;
  all[2].ops[3].n = 9;
  SearchOptions options;
  options.memory_limit = 4000;
  const SearchResult product = search_depth(all, options);
  EXPECT_FALSE(product.candidates[2].feasible);
  EXPECT_EQ(product.candidates[2].reason,
            "op 3: its 7 x 9 product takes 5000 bytes, more than the limit of 4000 bytes");
  options.memory_limit = 30;
  const SearchResult none = search_depth(all, options);
  EXPECT_EQ(none.best, std::nullopt);
  EXPECT_NE(none.candidates[0].reason.find("peak live bytes are"), std::string::npos);
}

TEST(SearchDepth, MarginIsTheRunnerUpsShareAboveTheBest) {
  SearchOptions options;
  options.objective = Objective::work_flops;
  const SearchResult result = search_depth(profiles(4, one), options);  // 2 ops at depth 0, 3 at depth 1
  EXPECT_EQ(result.candidates[*result.best].depth, 0U);
  EXPECT_DOUBLE_EQ(*result.margin, 0.5);
  EXPECT_EQ(search_depth(profiles(2, one), options).margin, std::nullopt) << "a single candidate has no runner-up";
}

}  // namespace
}  // namespace upsweep

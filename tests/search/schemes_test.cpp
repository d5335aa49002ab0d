#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "upsweep/scan/builders.hpp"
#include "upsweep/search/best_ways.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names(const std::vector<Schedule>& schedules) {
  std::vector<std::string> all;
  for (const Schedule& schedule : schedules) all.push_back(schedule.name);
  return all;
}

/// Every combine costs one FLOP, and every value takes `bytes`.
ScheduleProfile unit_profile(const Schedule& schedule, std::uint64_t bytes = 1) {
  ScheduleProfile profile;
  profile.schedule = schedule;
  profile.value_bytes.assign(schedule.values(), bytes);
  const std::vector<bool> dead = dead_combines(schedule);
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    OpProfile op;
    op.flops = 1;
    op.bytes = bytes;
    op.dead = dead[id];
    profile.ops.push_back(op);
  }
  return profile;
}

std::vector<ScheduleProfile> unit_profiles(std::size_t length, std::size_t workers) {
  std::vector<ScheduleProfile> all;
  for (const Schedule& schedule : depth_candidates(length)) all.push_back(unit_profile(schedule));
  for (const Schedule& schedule : scheme_candidates(length, workers)) all.push_back(unit_profile(schedule));
  return all;
}

const Candidate& scheme(const SearchResult& result, const std::string& name) {
  for (const Candidate& candidate : result.schemes) {
    if (candidate.schedule == name) return candidate;
  }
  throw std::logic_error("no scheme " + name);
}

TEST(SchemeCandidates, AreTheCircuitsAndBlocksUpToOneMoreThanTheWorkers) {
  EXPECT_THAT(names(scheme_candidates(22, 16)),
              ElementsAre("kogge-stone", "sklansky", "brent-kung", "recursive-doubling", "cyclic-reduction",
                          "blocked:4", "blocked:8", "blocked:16", "blocked:17"));
  EXPECT_EQ(names(scheme_candidates(22, 1)).size(), 6U) << "two blocks are plain back-propagation";
  EXPECT_EQ(names(scheme_candidates(22, 1)).back(), "blocked:4") << "whatever the workers";
  EXPECT_EQ(names(scheme_candidates(22, 2))[5], "blocked:3");
  EXPECT_EQ(names(scheme_candidates(7, 1'000'000)).back(), "blocked:4") << "there are no more blocks than elements";
  EXPECT_EQ(names(scheme_candidates(2, 8)).size(), 5U);
  EXPECT_EQ(names(scheme_candidates(9, ~std::size_t{0})).back(), "blocked:8");
}

TEST(SearchSchemes, LeaveTheDepthsAsTheyAreWithoutThem) {
  SearchOptions options;
  options.workers = 5;
  const std::vector<ScheduleProfile> all = unit_profiles(40, 5);
  const SearchResult with = search_depth(all, options);
  const std::vector<ScheduleProfile> depths(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(max_depth(40)) + 1);
  const SearchResult without = search_depth(depths, options);
  EXPECT_EQ(with.best, without.best);
  EXPECT_EQ(with.margin, without.margin);
  ASSERT_EQ(with.candidates.size(), without.candidates.size());
  for (std::size_t i = 0; i < with.candidates.size(); ++i) {
    EXPECT_EQ(with.candidates[i].score, without.candidates[i].score);
    EXPECT_EQ(with.candidates[i].same_as, without.candidates[i].same_as);
  }
  EXPECT_EQ(without.best_scheme, without.best);
  EXPECT_EQ(without.scheme_margin, without.margin);
  options.workers.reset();
  EXPECT_EQ(search_depth(all, options).workers, search_depth(depths, options).workers)
      << "wider schemes do not change how many workers are simulated";
}

TEST(SearchSchemes, FindTheFewestLevelsWhereCombinesCostTheSame) {
  SearchOptions options;
  options.workers = 64;
  const SearchResult result = search_depth(unit_profiles(65, 64), options);  // 64 elements
  ASSERT_TRUE(result.best_scheme.has_value());
  EXPECT_EQ(result.at(*result.best_scheme).schedule, "kogge-stone") << "the first of those with 6 levels";
  EXPECT_EQ(result.at(*result.best_scheme).score, 6);
  EXPECT_EQ(scheme(result, "sklansky").score, 6);
  EXPECT_GT(result.candidates[*result.best].score, 6);
  EXPECT_EQ(result.scheme_margin, 0) << "sklansky is as good";
}

TEST(SearchSchemes, GiveTiesToDepths) {
  SearchOptions options;
  options.workers = 1;
  options.objective = Objective::work_flops;
  const SearchResult result = search_depth(unit_profiles(4, 1), options);
  EXPECT_EQ(result.best_scheme, 0U);
  EXPECT_EQ(result.at(0).schedule, "linear");
}

TEST(SearchSchemes, MarkThoseWithTheFiguresOfADepthOrOfAnotherScheme) {
  SearchOptions options;
  options.workers = 64;
  const SearchResult result = search_depth(unit_profiles(30, 64), options);
  EXPECT_EQ(scheme(result, "recursive-doubling").same_scheme, "kogge-stone");
  EXPECT_EQ(scheme(result, "kogge-stone").same_scheme, "");
  options.scope = Scope::live;
  const SearchResult live = search_depth(unit_profiles(30, 64), options);
  EXPECT_EQ(scheme(live, "brent-kung").same_as, live.candidates[3].depth) << "Blelloch's products, and its levels";
  std::vector<ScheduleProfile> all = unit_profiles(30, 1);
  all.push_back(unit_profile(blocked_schedule(30, 2)));
  EXPECT_EQ(search_depth(all, options).schemes.back().same_as, 0U) << "two blocks are plain back-propagation";
}

TEST(SearchSchemes, TakeWhatHasTheOpsOfPlainBackPropagationForNoScan) {
  SearchOptions options;
  options.workers = 4;
  const SearchResult six = search_depth(unit_profiles(6, 4), options);  // 5 elements
  EXPECT_EQ(scheme(six, "blocked:4").same_as, 0U) << "blocks of one element, but for the first";
  EXPECT_FALSE(scheme(six, "blocked:4").is_scan());
  EXPECT_TRUE(scheme(six, "sklansky").is_scan());
  EXPECT_EQ(six.at(0).is_scan(), false);
  EXPECT_TRUE(best_scan(six)->is_scan());
  EXPECT_NE(best_scan(six)->same_as, 0U);
  const SearchResult three = search_depth(unit_profiles(3, 4), options);
  EXPECT_EQ(three.candidates.at(1).schedule, "hybrid:1");
  EXPECT_EQ(three.candidates.at(1).same_as, 0U) << "one op, as there is one result";
  EXPECT_EQ(best_scan(three), nullptr);
  EXPECT_FALSE(three.overtakes);
  options.scope = Scope::live;
  EXPECT_FALSE(search_depth(unit_profiles(4, 4), options).candidates.at(1).is_scan()) << "without its dead op";
  options.scope = Scope::all;
  EXPECT_TRUE(search_depth(unit_profiles(4, 4), options).candidates.at(1).is_scan());
}

TEST(SearchSchemes, AreChosenWhereNoDepthFits) {
  SearchOptions options;
  options.workers = 4;
  options.memory_limit = 50;
  std::vector<ScheduleProfile> all;
  for (const Schedule& schedule : depth_candidates(12)) all.push_back(unit_profile(schedule, 100));
  all.push_back(unit_profile(sklansky_schedule(12), 1));
  all.push_back(unit_profile(kogge_stone_schedule(12), 100));
  const SearchResult result = search_depth(all, options);
  EXPECT_EQ(result.best, std::nullopt);
  ASSERT_TRUE(result.best_scheme.has_value());
  EXPECT_EQ(result.at(*result.best_scheme).schedule, "sklansky");
  EXPECT_EQ(result.scheme_margin, std::nullopt) << "nothing else fits";
  EXPECT_FALSE(result.schemes[1].feasible);
  EXPECT_NE(result.schemes[1].reason, "");
}

TEST(SearchSchemes, NeedTheDepthsBeforeThem) {
  EXPECT_THROW(static_cast<void>(search_depth({unit_profile(sklansky_schedule(9))}, {})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(search_depth({}, {})), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep

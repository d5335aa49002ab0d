#include <gtest/gtest.h>

#include <map>

#include "support/random_images.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/report/search_report.hpp"
#include "upsweep/search/depth.hpp"

// What limits leave uncounted: bounds hold, and no verdict says what full counts do not.

namespace upsweep::uncounted_test {
namespace {

class UncountedTest : public testing::RandomImagesTest {
 protected:
  static constexpr std::size_t kWorkers = 3;

  struct Case {
    Network network;
    NetworkWeights weights;
    Analysis full;
    Analysis limited;
  };

  Case random_case() {
    Network network = chance(0.3) ? random_branches(between(2, 5)) : random_network(between(4, 12));
    NetworkWeights weights = chance(0.3) ? NetworkWeights(network.operators().size()) : random_masks(network);
    const std::size_t length = network.links().size() + 1;
    const auto analysed = [&](const CountLimits* limits) {
      std::vector<Schedule> schedules = depth_candidates(length);
      for (Schedule& scheme : scheme_candidates(length, kWorkers)) schedules.push_back(std::move(scheme));
      return analyse({network, weights}, PatternKind::guaranteed, std::move(schedules), {},
                     chance(0.5) ? PatternForm::classes : PatternForm::rows, limits);
    };
    CountLimits limits;
    limits.pairs = std::uint64_t{1} << between(0, 16);
    Analysis full = analysed(nullptr);
    Analysis limited = analysed(&limits);
    return {std::move(network), std::move(weights), std::move(full), std::move(limited)};
  }

  SearchOptions random_options() {
    SearchOptions options;
    options.objective = chance(0.6) ? Objective::time : chance(0.5) ? Objective::critical_flops : Objective::work_flops;
    options.execution = chance(0.5) ? Execution::dag : Execution::level;
    options.scope = chance(0.5) ? Scope::all : Scope::live;
    options.workers = kWorkers;
    return options;
  }
};

const ScheduleProfile& named(const Analysis& analysis, const std::string& name) {
  return *std::ranges::find(analysis.schedules, name, [](const ScheduleProfile& p) { return p.schedule.name; });
}

TEST_F(UncountedTest, WhatIsCountedWithinLimitsIsCountedAlike) {
  std::size_t left = 0;
  for (int round = 0; round < 40; ++round) {
    const Case one = random_case();
    SCOPED_TRACE(describe(one.network));
    EXPECT_EQ(one.limited.schedules.size() + one.limited.uncounted.size(), one.full.schedules.size());
    EXPECT_EQ(one.limited.schedules.front().schedule.name, "linear") << "which forms nothing";
    for (const ScheduleProfile& mine : one.limited.schedules) {
      const ScheduleProfile& all = named(one.full, mine.schedule.name);
      EXPECT_EQ(mine.flops(), all.flops()) << mine.schedule.name;
      EXPECT_EQ(mine.value_bytes, all.value_bytes) << mine.schedule.name;
    }
    left += one.limited.uncounted.size();
  }
  EXPECT_GT(left, 0U);
}

TEST_F(UncountedTest, MemoryEndsSchedulesAndNotTheOthers) {
  JacobianChain chain;
  chain.gradient_length = 500;
  for (int i = 0; i < 6; ++i) chain.jacobians.push_back(std::make_shared<Pattern>(random_pattern(500, 500, 0.02)));
  const auto full = profile_schedules(depth_candidates(7), chain, 4);
  const MemoryCeiling ceiling(held_memory() + 100);
  const CountedSchedules counted = count_schedules(depth_candidates(7), 1, [&](std::size_t) { return chain; }, 4, {});
  ASSERT_EQ(counted.profiles.size(), 1U);
  EXPECT_EQ(counted.profiles.front().flops(), full.front().flops());
  ASSERT_EQ(counted.uncounted.size(), 2U);
  for (const UncountedSchedule& mine : counted.uncounted) {
    EXPECT_TRUE(mine.is_memory);
    EXPECT_GT(mine.bytes, held_memory());
  }
}

TEST_F(UncountedTest, BoundsAreNoLargerThanCounts) {
  for (int round = 0; round < 40; ++round) {
    const Case one = random_case();
    SCOPED_TRACE(describe(one.network));
    const SearchOptions options = random_options();
    for (const UncountedSchedule& mine : one.limited.uncounted) {
      const ScheduleProfile& all = named(one.full, mine.least.schedule.name);
      for (std::size_t id = 0; id < all.ops.size(); ++id) {
        EXPECT_LE(mine.least.ops[id].flops, all.ops[id].flops) << all.schedule.name << " op " << id;
        EXPECT_LE(mine.least.ops[id].span, all.ops[id].span) << all.schedule.name << " op " << id;
      }
      const Candidate exact = score_schedule(*counted(all, 4), options, kWorkers, nullptr);
      const ScoreBound bound = score_bound(mine.least, options, kWorkers);
      if (exact.score) {
        EXPECT_LE(static_cast<double>(bound.score), *exact.score) << all.schedule.name;
      }
      EXPECT_LE(bound.shared, exact.pram.shared_flops) << all.schedule.name;
    }
  }
}

TEST_F(UncountedTest, NoVerdictSaysWhatFullCountsDoNot) {
  std::size_t known = 0;
  for (int round = 0; round < 60; ++round) {
    const Case one = random_case();
    SCOPED_TRACE(describe(one.network));
    const SearchOptions options = random_options();
    const SearchResult full = search_depth(one.full.schedules, options);
    const SearchResult limited = search_depth(one.limited.schedules, options, one.limited.uncounted);
    const auto verdict = [&](const SearchResult& result, const Analysis& analysis) {
      SearchReport report{"m", "network", "m", result};
      report.linear_flops = analysis.network.linear_flops;
      report.network = &one.network;
      report.network_profile = &analysis.network;
      return search_verdict(report);
    };
    for (const Uncounted& mine : limited.uncounted) {
      if (!mine.loses) continue;
      ++known;
      for (std::size_t i = 0; i < full.size(); ++i) {
        if (full.at(i).schedule != mine.schedule || !full.at(i).score) continue;
        EXPECT_GE(*full.at(i).score, *limited.at(*limited.best_scheme).score) << mine.schedule << " was ruled out";
      }
    }
    const Verdict partial = verdict(limited, one.limited);
    const Verdict all = verdict(full, one.full);
    if (partial.pays()) {
      EXPECT_EQ(partial.pays(), all.pays());
    }
    if (!full.overtakes || !limited.overtakes) continue;
    if (limited.overtakes->whole.is_known) {
      EXPECT_EQ(limited.overtakes->whole.from, full.overtakes->whole.from);
    }
    if (limited.overtakes->shared.is_known) {
      EXPECT_EQ(limited.overtakes->shared.from, full.overtakes->shared.from);
    }
  }
  EXPECT_GT(known, 0U);
}

}  // namespace
}  // namespace upsweep::uncounted_test

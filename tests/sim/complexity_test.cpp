#include "upsweep/sim/complexity.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

using ComplexityTest = testing::SeededTest;

/// A profile with given costs and unit sizes.
ScheduleProfile with_costs(const Schedule& schedule, const std::vector<std::uint64_t>& costs) {
  ScheduleProfile profile;
  profile.schedule = schedule;
  profile.value_bytes.assign(schedule.values(), 1);
  const std::vector<bool> dead = dead_combines(schedule);
  for (std::size_t id = 0; id < costs.size(); ++id) {
    OpProfile op;
    op.flops = costs[id];
    op.dead = dead[id];
    profile.ops.push_back(op);
  }
  return profile;
}

TEST_F(ComplexityTest, TotalsFollowTheirDefinitions) {
  const Schedule schedule = hybrid_schedule(22, 2);
  std::vector<std::uint64_t> costs;
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) costs.push_back(between(1, 100));
  const ScheduleProfile profile = with_costs(schedule, costs);
  std::uint64_t flops = 0;
  std::uint64_t live_flops = 0;
  std::vector<std::uint64_t> most(schedule.levels, 0);
  for (std::size_t id = 0; id < costs.size(); ++id) {
    flops += costs[id];
    live_flops += profile.ops[id].dead ? 0 : costs[id];
    most[schedule.combines[id].level] = std::max(most[schedule.combines[id].level], costs[id]);
  }
  std::uint64_t path = 0;
  for (const std::uint64_t level : most) path += level;
  const Totals all = totals(profile, Scope::all);
  EXPECT_EQ(all.ops, 34U);
  EXPECT_EQ(all.flops, flops);
  EXPECT_EQ(all.critical_path_level, path);
  EXPECT_LE(all.critical_path_dag, path);
  const Totals live = totals(profile, Scope::live);
  EXPECT_EQ(live.ops, 33U);
  EXPECT_EQ(live.flops, live_flops);
}

TEST_F(ComplexityTest, MoreWorkersNeverNeedMoreStepsUnderLevels) {
  const Schedule schedule = blelloch_schedule(500);
  const ScheduleProfile profile = with_costs(schedule, std::vector<std::uint64_t>(schedule.combines.size(), 1));
  std::uint64_t before = ~std::uint64_t{0};
  for (std::size_t workers = 1; workers < 300; workers += 7) {
    const PramProfile pram = pram_profile(profile, workers);
    EXPECT_LE(pram.steps, before);
    EXPECT_EQ(pram.steps, pram.level.unit);
    EXPECT_GE(pram.steps * workers, pram.work);
    before = pram.steps;
  }
  EXPECT_EQ(pram_profile(profile, 1).steps, schedule.combines.size());
  EXPECT_EQ(pram_profile(profile, 1000).steps, schedule.levels);
}

TEST(PramProfile, OfAChainOfOneHasNothingToDo) {
  const PramProfile pram = pram_profile(with_costs(linear_schedule(2), {}), 1);
  EXPECT_EQ(pram.steps, 0U);
  EXPECT_EQ(pram.per_step_flops, 0U);
  EXPECT_EQ(pram.peak_live_bytes, 1U);
}

}  // namespace
}  // namespace upsweep

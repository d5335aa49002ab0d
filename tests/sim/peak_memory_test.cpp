#include "upsweep/sim/peak_memory.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

std::vector<bool> all_of(const Schedule& schedule) { return std::vector<bool>(schedule.combines.size(), true); }

TEST(PeakLiveBytes, FollowsTheRulesOfLifetime) {
  // linear over 4: v4 = a0 a1 (level 0), v5 = v4 a2 (level 1); results a0, v4, v5; a3 is never used.
  const Schedule schedule = linear_schedule(4);
  const std::vector<std::uint64_t> bytes = {1, 10, 100, 1000, 10000, 100000};
  EXPECT_EQ(peak_live_bytes(schedule, bytes, all_of(schedule)), 1U + 100 + 10000 + 100000)
      << "a1 is gone in level 1, a3 needs no memory";
  EXPECT_EQ(peak_live_bytes(linear_schedule(2), std::vector<std::uint64_t>{7, 900}, {}), 7U)
      << "without any level: a[0]";
}

TEST(PeakLiveBytes, CountsADeadResultInItsLevelOnly) {
  // hybrid:1 over 4: op 1 (a2 a3) is dead.
  const Schedule schedule = hybrid_schedule(4, 1);
  const std::vector<std::uint64_t> bytes = {1, 1, 1, 1, 1, 1000, 1};
  EXPECT_EQ(peak_live_bytes(schedule, bytes, all_of(schedule)), 1U + 1 + 1 + 1 + 1 + 1000);
  EXPECT_EQ(peak_live_bytes(schedule, bytes, {true, false, true}), 4U) << "left out with its operand a[3]";
}

}  // namespace
}  // namespace upsweep

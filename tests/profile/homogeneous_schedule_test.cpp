#include "upsweep/profile/homogeneous_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "support/homogeneous_checks.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

using testing::all_kinds;
using testing::difference;
using testing::explicit_chain;

/// Hybrids, whose products with a[n] are dead, and every other scheme.
std::vector<Schedule> some_schedules(std::size_t length) {
  std::vector<Schedule> schedules = {linear_schedule(length),          hybrid_schedule(length, 2),
                                     blelloch_schedule(length),        kogge_stone_schedule(length),
                                     sklansky_schedule(length),        brent_kung_schedule(length),
                                     cyclic_reduction_schedule(length)};
  for (const std::size_t blocks : {3, 4}) schedules.push_back(blocked_schedule(length, blocks));
  return schedules;
}

TEST(ProfileHomogeneousSchedule, EqualsTheProfileOverTheExplicitChain) {
  for (const auto& kinds : all_kinds()) {
    for (const std::uint64_t h : {1, 2, 5, 9}) {
      for (const std::uint64_t n : {1, 2, 3, 7, 12, 21}) {
        const HomogeneousChain chain{h, n, kinds};
        const unsigned value_bytes = n % 2 == 0 ? 4 : 8;
        const auto want = profile_schedules(some_schedules(n + 1), explicit_chain(chain), value_bytes);
        for (const ScheduleProfile& profile : want) {
          EXPECT_EQ(difference(profile_homogeneous_schedule(profile.schedule, chain, value_bytes), profile), "")
              << profile.schedule.name << ", h " << h << ", n " << n << ", first kind "
              << static_cast<int>(kinds.front());
        }
      }
    }
  }
}

TEST(ProfileHomogeneousSchedule, ThatComparisonCanFail) {
  const Schedule schedule = sklansky_schedule(9);
  const HomogeneousChain chain = unfused_chain(5, 4);
  const ScheduleProfile profile = profile_homogeneous_schedule(schedule, chain, 4);
  EXPECT_EQ(difference(profile, profile), "");
  EXPECT_NE(difference(profile, profile_homogeneous_schedule(schedule, chain, 8)), "");
  EXPECT_NE(difference(profile, profile_homogeneous_schedule(schedule, fused_chain(5, 8), 4)), "");
  ScheduleProfile wrong = profile;
  ++wrong.ops.back().steps.teams;
  EXPECT_EQ(difference(profile, wrong), "steps of op " + std::to_string(profile.ops.size() - 1));
  wrong = profile;
  wrong.levels.pop_back();
  EXPECT_EQ(difference(profile, wrong), "levels");
}

TEST(ProfileHomogeneousSchedule, HasAProductWithTheVectorForEveryStepButOne) {
  constexpr std::uint64_t kSize = 7;
  constexpr std::uint64_t kSteps = 37;
  for (Schedule& schedule : some_schedules(kSteps + 1)) {
    const ScheduleProfile profile = profile_homogeneous_schedule(std::move(schedule), fused_chain(kSize, kSteps), 4);
    const auto vectors = std::ranges::count_if(profile.ops, &OpProfile::is_mv);
    EXPECT_EQ(vectors, kSteps - 1) << profile.schedule.name;
    std::uint64_t flops = 0;
    for (const OpProfile& op : profile.ops) flops += op.flops;
    const std::uint64_t matrices = profile.ops.size() - (kSteps - 1);
    EXPECT_EQ(flops, 2 * (kSteps - 1) * kSize * kSize + 2 * matrices * kSize * kSize * kSize) << profile.schedule.name;
  }
}

TEST(ProfileHomogeneousSchedule, CountsMatricesOfAnySize) {
  const ScheduleProfile profile = profile_homogeneous_schedule(kogge_stone_schedule(5), fused_chain(65'536, 4), 4);
  EXPECT_EQ(profile.ops.back().flops, 2ULL * 65'536 * 65'536) << "a matrix times the vector";
  EXPECT_THROW(static_cast<void>(profile_homogeneous_schedule(sklansky_schedule(5), fused_chain(1ULL << 22, 4), 4)),
               CountOverflow);
}

TEST(ProfileHomogeneousSchedule, RefusesAnotherLengthThanTheChains) {
  EXPECT_THROW(static_cast<void>(profile_homogeneous_schedule(sklansky_schedule(5), fused_chain(3, 5), 4)),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(profile_homogeneous_schedule(sklansky_schedule(5), fused_chain(3, 4), 5)),
               std::invalid_argument);
}

}  // namespace
}  // namespace upsweep

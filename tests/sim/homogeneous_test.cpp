#include "upsweep/sim/homogeneous.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "support/homogeneous.hpp"
#include "support/random.hpp"

namespace upsweep {
namespace {

using testing::all_kinds;
using testing::explicit_profiles;

class HomogeneousPramTest : public testing::SeededTest {};

void expect_equal_prams(const HomogeneousChain& chain, std::span<const std::uint64_t> workers) {
  for (const ScheduleProfile& explicit_profile : explicit_profiles(chain, 4)) {
    const HomogeneousProfile profile = profile_homogeneous(chain, explicit_profile.schedule.depth, 4);
    for (const Scope scope : {Scope::all, Scope::live}) {
      for (const std::uint64_t p : workers) {
        SCOPED_TRACE(::testing::Message()
                     << "h " << chain.size << ", n " << chain.elements << ", kinds "
                     << static_cast<int>(chain.kinds.front()) << static_cast<int>(chain.kinds.back()) << ", depth "
                     << profile.depth << ", workers " << p << ", scope " << static_cast<int>(scope));
        const PramProfile want = pram_profile(explicit_profile, p, scope);
        const PramProfile got = homogeneous_pram(profile, p, scope);
        EXPECT_EQ(got.workers, want.workers);
        EXPECT_EQ(got.steps, want.steps);
        EXPECT_EQ(got.work, want.work);
        EXPECT_EQ(got.per_step_flops, want.per_step_flops);
        EXPECT_EQ(got.level, want.level);
        ASSERT_TRUE(got.dag.has_value());
        EXPECT_EQ(*got.dag, want.dag);
        EXPECT_EQ(got.peak_live_bytes, want.peak_live_bytes);
        EXPECT_EQ(totals(profile, scope), totals(explicit_profile, scope));
      }
    }
  }
}

constexpr std::uint64_t kWorkers[] = {1, 2, 3, 4, 7, 16, 64, 1000};

TEST(HomogeneousPram, EqualsTheExplicitChainAtEveryDepthAndWidth) {
  for (const auto& kinds : all_kinds()) {
    for (const std::uint64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 15, 16, 17, 31, 47, 64, 100, 127}) {
      // Sizes take turns: what differs among them are the ratios of costs.
      expect_equal_prams({1 + n % 3, n, kinds}, kWorkers);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(HomogeneousPram, WaitsForBlocksThatAreStillMadeWhileTheMiddleRuns) {
  constexpr std::uint64_t kFew[] = {4, 5, 9, 13};
  for (std::uint64_t n = 14; n <= 40; ++n) expect_equal_prams(fused_chain(20, n), kFew);
}

TEST_F(HomogeneousPramTest, EqualsTheExplicitChainAtRandomSizes) {
  for (int round = 0; round < 6; ++round) {
    const std::uint64_t n = between(100, round == 0 ? 3000 : 1000);
    const HomogeneousChain chain{between(1, 60), n, all_kinds()[between(0, 3)]};
    const std::uint64_t workers[] = {between(2, 10), between(2, 100), between(2, n)};
    expect_equal_prams(chain, workers);
    if (HasFailure()) return;
  }
}

TEST(HomogeneousPram, IsTheSumWithOneWorkerAndTheLongestPathWithMany) {
  for (const HomogeneousChain& chain : {fused_chain(100, 100'000'000), unfused_chain(100, 100'000'000)}) {
    for (std::uint32_t depth = 0; depth <= max_depth(chain.length()); ++depth) {
      const HomogeneousProfile profile = profile_homogeneous(chain, depth, 4);
      const PramProfile one = homogeneous_pram(profile, 1);
      EXPECT_EQ(one.level, (Makespan{profile.all.ops, profile.all.flops}));
      EXPECT_EQ(one.dag, one.level);
      const PramProfile many = homogeneous_pram(profile, 1'000'000'000);
      EXPECT_EQ(many.level, (Makespan{profile.levels, profile.all.critical_path_level}));
      ASSERT_TRUE(many.dag.has_value());
      EXPECT_EQ(many.dag->flops, profile.all.critical_path_dag);
    }
  }
}

TEST(HomogeneousPram, KeepsTheBoundsOfListSchedulingAtHundredMillionSteps) {
  const HomogeneousChain chain = unfused_chain(64, 100'000'000);
  for (const std::uint64_t p : {2, 5, 64, 1000, 82'944, 1'000'000}) {
    for (std::uint32_t depth = 1; depth <= max_depth(chain.length()); ++depth) {
      const HomogeneousProfile profile = profile_homogeneous(chain, depth, 4);
      const PramProfile pram = homogeneous_pram(profile, p);
      ASSERT_TRUE(pram.dag.has_value());
      EXPECT_GE(pram.dag->flops, std::max(profile.all.critical_path_dag, (profile.all.flops + p - 1) / p));
      EXPECT_LE(pram.dag->flops, profile.all.critical_path_dag + profile.all.flops / p);
      EXPECT_GE(pram.dag->unit, (profile.all.ops + p - 1) / p);
    }
  }
}

TEST(HomogeneousPram, RefusesNoWorkersAndGivesUpAtTheLimit) {
  const HomogeneousProfile profile = profile_homogeneous(fused_chain(3, 1000), 4, 4);
  EXPECT_THROW(static_cast<void>(homogeneous_pram(profile, 0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(homogeneous_dag_makespan(profile, CostUnit::unit, 0, Scope::all)),
               std::invalid_argument);
  EXPECT_EQ(homogeneous_dag_makespan(profile, CostUnit::flops, 7, Scope::all, 3), std::nullopt);
}

}  // namespace
}  // namespace upsweep

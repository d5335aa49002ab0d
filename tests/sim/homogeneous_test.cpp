#include "upsweep/sim/homogeneous.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "support/homogeneous.hpp"
#include "support/random.hpp"
#include "upsweep/profile/homogeneous_schedule.hpp"
#include "upsweep/sim/task_graph.hpp"

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

/// Costs of the combines of a hybrid's levels, by kind; those of the up-sweep's inner ones rise or fall.
struct LevelCosts {
  std::array<std::uint64_t, 8> first{}, inner{}, last{}, down{};
  std::uint64_t middle = 1;

  [[nodiscard]] std::uint64_t up(std::uint32_t d, bool is_mv, bool dead) const {
    return dead ? last.at(d) : is_mv ? first.at(d) : inner.at(d);
  }
};

TEST_F(HomogeneousPramTest, WithoutBarriersIsThatOfTheExplicitScheduleWhateverCombinesCost) {
  for (int round = 0; round < 300; ++round) {
    const HomogeneousChain chain = fused_chain(3, between(2, 60));
    const HomogeneousProfile profile =
        profile_homogeneous(chain, static_cast<std::uint32_t>(between(0, max_depth(chain.length()))), 4);
    const bool falls = chance(0.5);
    LevelCosts costs;
    std::uint64_t inner = falls ? 60 : 1;
    for (std::size_t d = 0; d < costs.inner.size(); ++d) {
      costs.inner.at(d) = inner = falls ? inner - between(0, inner - 1) : inner + between(0, 9);
      costs.first.at(d) = between(1, 20);
      costs.last.at(d) = between(1, 40);
      costs.down.at(d) = between(1, 20);
    }
    costs.middle = between(1, 20);
    const ScheduleProfile listed =
        profile_homogeneous_schedule(hybrid_schedule(chain.length(), profile.depth), chain, 4);
    std::vector<std::uint64_t> each;
    for (std::size_t id = 0; id < listed.ops.size(); ++id) {
      const Combine& combine = listed.schedule.combines[id];
      each.push_back(combine.phase == Phase::middle ? costs.middle
                     : combine.phase == Phase::down
                         ? costs.down.at(listed.schedule.levels - 1 - combine.level)
                         : costs.up(combine.level, listed.ops[id].is_mv, listed.ops[id].dead));
    }
    const HomogeneousCost cost = [&](Phase phase, std::uint32_t d, const OpRun& run) {
      return phase == Phase::middle ? costs.middle
             : phase == Phase::down ? costs.down.at(d)
                                    : costs.up(d, run.is_mv, run.dead);
    };
    const std::uint64_t workers = between(1, 9);
    for (const Scope scope : {Scope::all, Scope::live}) {
      EXPECT_EQ(homogeneous_dag_makespan(profile, cost, workers, scope),
                simulate(listed.schedule, each, in_scope(listed, scope), workers, Execution::dag).makespan)
          << "n " << chain.elements << ", depth " << profile.depth << ", falls " << falls << ", p " << workers;
      const InScopes path = longest_path(profile, cost);
      std::vector<std::uint64_t> in;  // a combine out of scope has no successor in it
      for (std::size_t id = 0; id < each.size(); ++id)
        in.push_back(scope == Scope::all || !listed.ops[id].dead ? each[id] : 0);
      EXPECT_EQ(scope == Scope::all ? path.all : path.live, longest_path(task_graph(listed.schedule), in));
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

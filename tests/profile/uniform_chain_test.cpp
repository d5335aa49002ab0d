#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "support/homogeneous_checks.hpp"
#include "support/schedules.hpp"
#include "upsweep/profile/homogeneous_schedule.hpp"
#include "upsweep/sim/homogeneous.hpp"

namespace upsweep {
namespace {

using testing::all_depths;
using testing::difference;
using testing::expect_equal_profile;
using testing::expect_equal_totals;
using testing::uniform_chain;

TEST(UniformChain, ExplicitIsTheSameForASeedAndAnotherForAnother) {
  const HomogeneousChain chain = uniform_chain(20, 0.3, 3);
  const JacobianChain first = explicit_chain(chain, 7);
  const JacobianChain again = explicit_chain(chain, 7);
  const JacobianChain other = explicit_chain(chain, 8);
  ASSERT_EQ(first.jacobians.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(*first.jacobians[k], *again.jacobians[k]);
    EXPECT_FALSE(*first.jacobians[k] == *other.jacobians[k]);
  }
  EXPECT_FALSE(*first.jacobians[0] == *first.jacobians[1]) << "elements are drawn one by one";
  EXPECT_EQ(explicit_chain(uniform_chain(20, 1, 1), 7).jacobians[0]->nnz(), 400U);
}

/// The combines of hybrid_schedule(5, 1) over chains drawn from seeds 1, 2, ..., `seeds` of them.
std::vector<std::vector<OpProfile>> drawn_ops(const HomogeneousChain& chain, std::uint64_t seeds) {
  std::vector<std::vector<OpProfile>> drawn;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    drawn.push_back(profile_schedules({hybrid_schedule(5, 1)}, explicit_chain(chain, seed), 4).front().ops);
  return drawn;
}

/// Expects the mean over `drawn` within five standard errors, and the half that rounding takes or gives.
template <class Count>
void expect_mean(std::uint64_t expected, const std::vector<std::vector<OpProfile>>& drawn, const Count& count) {
  const auto samples = static_cast<double>(drawn.size());
  double sum = 0;
  double squares = 0;
  for (const std::vector<OpProfile>& ops : drawn) {
    const auto value = static_cast<double>(count(ops));
    sum += value;
    squares += value * value;
  }
  const double mean = sum / samples;
  const double error = std::sqrt((squares / samples - mean * mean) / (samples - 1));
  EXPECT_NEAR(static_cast<double>(expected), mean, 5 * error + 1);
}

// The seeds are the same each time: on fresh ones a test of five standard errors would fail now and then.
TEST(UniformChain, ExpectsWhatManyDrawnChainsHaveOnAverage) {
  for (const auto& [h, density] : {std::pair{20, 0.05}, {20, 0.3}, {12, 0.7}, {30, 0.02}}) {
    SCOPED_TRACE(::testing::Message() << "h " << h << ", density " << density);
    const HomogeneousChain chain = uniform_chain(static_cast<std::uint64_t>(h), density, 4);
    const HomogeneousProfile expected = profile_homogeneous(chain, 1, 4);
    const InlineVector<OpRun, 3>& up = expected.runs.front().cycle.front().runs;
    ASSERT_EQ(up.size(), 2U);
    const auto drawn = drawn_ops(chain, 200);
    expect_mean(up[0].flops, drawn, [](const auto& ops) { return ops[0].flops; });
    expect_mean(up[1].flops, drawn, [](const auto& ops) { return ops[1].flops; });
    expect_mean(up[0].span, drawn, [](const auto& ops) { return ops[0].span; });
    expect_mean(up[1].span, drawn, [](const auto& ops) { return ops[1].span; });
    const OpProfile product = homogeneous_op(chain, up[1], 4);
    expect_mean(product.left_nnz, drawn, [](const auto& ops) { return ops[1].left_nnz; });
    expect_mean(product.nnz, drawn, [](const auto& ops) { return ops[1].nnz; });
    expect_mean(product.steps.teams, drawn, [](const auto& ops) { return ops[1].steps.teams; });
    expect_mean(product.steps.passes, drawn, [](const auto& ops) { return ops[1].steps.passes; });
    expect_mean(product.steps.single_steps, drawn, [](const auto& ops) { return ops[1].steps.single_steps; });
    expect_mean(product.steps.single_sums, drawn, [](const auto& ops) { return ops[1].steps.single_sums; });
  }
}

TEST(UniformChain, ThatMeanWouldTellAnotherDensity) {
  const HomogeneousProfile expected = profile_homogeneous(uniform_chain(20, 0.33, 4), 1, 4);
  const std::uint64_t flops = expected.runs.front().cycle.front().runs[1].flops;
  const auto drawn = drawn_ops(uniform_chain(20, 0.3, 4), 200);
  EXPECT_NONFATAL_FAILURE(expect_mean(flops, drawn, [](const auto& ops) { return ops[1].flops; }), "");
}

/// Figures of the depths of hybrids over drawn chains, one row per seed.
std::vector<std::vector<ScheduleProfile>> drawn_profiles(const HomogeneousChain& chain, std::uint64_t seeds) {
  std::vector<std::vector<ScheduleProfile>> drawn;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    drawn.push_back(profile_schedules(all_depths(chain), explicit_chain(chain, seed), 4));
  return drawn;
}

/// Mean of a figure over drawn chains and its standard error.
struct Sampled {
  double mean = 0;
  double error = 0;
};
template <class Figure>
Sampled sampled(const std::vector<std::vector<ScheduleProfile>>& drawn, std::size_t depth, const Figure& figure) {
  const auto samples = static_cast<double>(drawn.size());
  double sum = 0;
  double squares = 0;
  for (const std::vector<ScheduleProfile>& profiles : drawn) {
    const auto value = static_cast<double>(figure(profiles[depth]));
    sum += value;
    squares += value * value;
  }
  const double mean = sum / samples;
  return {mean, std::sqrt((squares / samples - mean * mean) / (samples - 1))};
}

std::uint64_t flops_of(const ScheduleProfile& profile) { return totals(profile, Scope::all).flops; }

struct SampledChain {
  std::uint64_t size;
  double density;
  std::uint64_t elements;
  std::uint64_t seeds;
};

/// Products of many factors; all depths from plain back-propagation to Blelloch's. Each combine is rounded by half a
/// matched pair at most, 1 FLOP.
TEST(UniformChain, ExpectsTheTotalsOfDrawnLongChains) {
  for (const SampledChain& of : {SampledChain{20, 0.1, 16, 400},
                                 {20, 0.1, 64, 200},
                                 {50, 0.03, 64, 150},
                                 {30, 0.05, 128, 150},
                                 {60, 0.012, 40, 100}}) {
    const HomogeneousChain chain = uniform_chain(of.size, of.density, of.elements);
    const auto drawn = drawn_profiles(chain, of.seeds);
    for (std::uint32_t depth = 0; depth < drawn.front().size(); ++depth) {
      SCOPED_TRACE(::testing::Message() << "h " << of.size << ", density " << of.density << ", n " << of.elements
                                        << ", depth " << depth);
      const HomogeneousTotals expected = profile_homogeneous(chain, depth, 4).all;
      const Sampled flops = sampled(drawn, depth, flops_of);
      EXPECT_NEAR(static_cast<double>(expected.flops), flops.mean, 4 * flops.error + static_cast<double>(expected.ops));
      EXPECT_NEAR(static_cast<double>(expected.flops) / flops.mean, 1, 0.03);
    }
  }
}

/// A sum of expectations is the expectation of the sum; the longest of several is longer than the longest expectation.
TEST(UniformChain, HasShorterMakespansThanDrawnChainsHaveOnAverage) {
  const HomogeneousChain chain = uniform_chain(30, 0.05, 128);
  const auto drawn = drawn_profiles(chain, 40);
  for (std::uint32_t depth = 1; depth < drawn.front().size(); ++depth) {
    const HomogeneousProfile expected = profile_homogeneous(chain, depth, 4);
    const Sampled level = sampled(
        drawn, depth, [](const ScheduleProfile& profile) { return pram_profile(profile, 64, Scope::all).level.flops; });
    EXPECT_LT(static_cast<double>(homogeneous_pram(expected, 64, Scope::all).level.flops), level.mean);
  }
}

/// The depth of the smallest mean makespan under `execution`.
std::uint32_t best_of(const std::vector<std::vector<ScheduleProfile>>& drawn, std::uint64_t workers,
                      Execution execution) {
  std::vector<double> means;
  for (std::size_t depth = 0; depth < drawn.front().size(); ++depth) {
    const auto makespan = [&](const ScheduleProfile& profile) {
      return pram_profile(profile, workers, Scope::all).makespan(execution)->flops;
    };
    means.push_back(sampled(drawn, depth, makespan).mean);
  }
  return static_cast<std::uint32_t>(std::ranges::min_element(means) - means.begin());
}

/// Here the second best depth is far enough off. In general it need not be: see the test above.
TEST(UniformChain, ChoosesTheDepthThatIsBestOverDrawnChains) {
  const HomogeneousChain chain = uniform_chain(30, 0.05, 128);
  const auto drawn = drawn_profiles(chain, 60);
  for (const Execution execution : {Execution::level, Execution::dag}) {
    std::vector<std::uint64_t> makespans;
    for (std::uint32_t depth = 0; depth < drawn.front().size(); ++depth) {
      const HomogeneousProfile profile = profile_homogeneous(chain, depth, 4);
      makespans.push_back(homogeneous_pram(profile, 64, Scope::all).makespan(execution)->flops);
    }
    EXPECT_EQ(std::ranges::min_element(makespans) - makespans.begin(), best_of(drawn, 64, execution));
  }
}

/// Under every schedule, blocks of the up-sweep or not.
TEST(UniformChain, HasProductsOfALengthAlikeWhereverTheyStand) {
  const HomogeneousChain chain = uniform_chain(20, 0.1, 37);
  std::map<std::uint64_t, std::uint64_t> nnz;  // by factors
  for (Schedule& schedule : testing::schemes(chain.length())) {
    const ScheduleProfile profile = profile_homogeneous_schedule(std::move(schedule), chain, 4);
    const std::vector<ValueRange> ranges = value_ranges(profile.schedule);
    for (std::size_t id = 0; id < profile.ops.size(); ++id) {
      if (profile.ops[id].is_mv) continue;
      const ValueRange range = ranges[profile.schedule.value_of(id)];
      EXPECT_EQ(nnz.try_emplace(range.last - range.first, profile.ops[id].nnz).first->second, profile.ops[id].nnz);
    }
  }
  EXPECT_GT(nnz.size(), 10U);
}

TEST(UniformChain, OfAnyLengthIsCountedAtOnce) {
  for (const auto& [h, per_row] : {std::pair{20, 0.9}, {20, 1.5}, {20, 10.}, {1000, 0.9}, {1000, 1.05}}) {
    const HomogeneousChain chain = uniform_chain(static_cast<std::uint64_t>(h), per_row / h, std::uint64_t{1} << 40);
    for (std::uint32_t depth = 0; depth <= 40; depth += 8) {
      const HomogeneousProfile profile = profile_homogeneous(chain, depth, 4);
      EXPECT_GE(profile.all.flops, 2 * profile.all.ops);
      EXPECT_GE(profile.all.flops, profile.live.flops);
      EXPECT_LT(profile.all.flops, std::uint64_t{1} << 63);
    }
  }
}

TEST(UniformChain, OfDensityOneCostsWhatADenseOneDoes) {
  for (const std::uint64_t n : {1, 2, 7, 12}) {
    const HomogeneousChain chain = uniform_chain(6, 1, n);
    for (const Schedule& schedule : all_depths(chain)) {
      const HomogeneousProfile got = profile_homogeneous(chain, schedule.depth, 4);
      EXPECT_EQ(got.all, profile_homogeneous(fused_chain(6, n), schedule.depth, 4).all);
      expect_equal_profile(chain, 4, profile_schedules({schedule}, explicit_chain(chain, 1), 4).front());
    }
  }
}

TEST(UniformChain, IsNeverExact) {
  EXPECT_FALSE(uniform_chain(6, 1, 3).is_exact());
  EXPECT_TRUE(testing::banded_chain(6, 1, 3).is_exact());
}

/// Densities that grow and, with less than an entry per row, ones that die out: matrices end smaller than a vector, or
/// are from the start.
TEST(UniformChain, IsCountedByLevelsAsCombineByCombine) {
  for (const auto& [h, density] :
       {std::pair{20, 0.06}, {20, 0.3}, {7, 0.9}, {40, 0.02}, {100, 0.0101}, {100, 0.001}, {100, 0.0005}}) {
    for (const std::uint64_t n : {1, 2, 3, 4, 7, 8, 9, 10, 21, 22, 23, 31, 32, 33, 100, 127}) {
      const HomogeneousChain chain = uniform_chain(static_cast<std::uint64_t>(h), density, n);
      for (Schedule& schedule : all_depths(chain))
        expect_equal_profile(chain, 8, profile_homogeneous_schedule(std::move(schedule), chain, 8));
    }
    if (HasFailure()) return;
  }
}

/// Ten elements of 10 entries each: 9 elements and 1 vector at the start, 1 element and 10 vectors at the end.
TEST(UniformChain, PeakOfPlainBackPropagationMayStandAtItsEnd) {
  const HomogeneousProfile profile = profile_homogeneous(uniform_chain(100, 0.001, 10), 0, 8);
  EXPECT_EQ(profile.all.peak_live_bytes, 10U * 800 + (10 * 12 + 101 * 4));
  EXPECT_EQ(profile.live.peak_live_bytes, profile.all.peak_live_bytes);
}

/// Of growing and of falling costs of products.
TEST(UniformChain, HasTheMakespansOfItsCombines) {
  for (const auto& [h, density] : {std::pair{20, 0.06}, {20, 0.3}, {40, 0.02}, {100, 0.0101}}) {
    for (const std::uint64_t n : {7, 16, 31, 47}) {
      const HomogeneousChain chain = uniform_chain(static_cast<std::uint64_t>(h), density, n);
      for (Schedule& schedule : all_depths(chain)) {
        const ScheduleProfile want = profile_homogeneous_schedule(std::move(schedule), chain, 4);
        const HomogeneousProfile profile = profile_homogeneous(chain, want.schedule.depth, 4);
        for (const std::uint64_t workers : {1, 2, 3, 5, 16}) {
          const PramProfile pram = pram_profile(want, workers, Scope::all);
          const PramProfile got = homogeneous_pram(profile, workers, Scope::all);
          EXPECT_EQ(got.level, pram.level);
          ASSERT_TRUE(got.dag.has_value());
          EXPECT_EQ(*got.dag, pram.dag) << "h " << h << ", density " << density << ", n " << n << ", depth "
                                        << want.schedule.depth << ", p " << workers;
        }
      }
    }
  }
}

TEST(UniformChain, IsCountedUnderEveryScheme) {
  const HomogeneousChain chain = uniform_chain(50, 0.04, 37);
  for (Schedule& schedule : testing::schemes(chain.length())) {
    const ScheduleProfile profile = profile_homogeneous_schedule(std::move(schedule), chain, 4);
    const std::vector<ValueRange> ranges = value_ranges(profile.schedule);
    for (std::size_t id = 0; id < profile.ops.size(); ++id) {
      const OpProfile& op = profile.ops[id];
      EXPECT_EQ(op.flops, 2 * op.products);
      EXPECT_LE(op.nnz, 50U * 50);
      if (op.is_mv) continue;
      EXPECT_LE(op.nnz, op.products + 1);
      EXPECT_EQ(op.bytes, profile.value_bytes[profile.schedule.value_of(id)]);
      EXPECT_GE(op.nnz, std::min(op.left_nnz, op.right_nnz)) << "two entries a row: products fill in";
    }
  }
}

}  // namespace
}  // namespace upsweep

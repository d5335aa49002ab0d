#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "support/homogeneous_checks.hpp"
#include "support/random.hpp"
#include "support/schedules.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/profile/homogeneous_schedule.hpp"
#include "upsweep/sim/homogeneous.hpp"

namespace upsweep {
namespace {

using testing::banded_chain;
using testing::difference;
using testing::expect_equal_profile;
using testing::expect_equal_profiles;
using testing::explicit_profiles;

TEST(ExplicitChain, HasTheEntriesNearTheDiagonal) {
  const JacobianChain chain = explicit_chain(banded_chain(5, 3, 2), 0);
  ASSERT_EQ(chain.jacobians.size(), 2U);
  EXPECT_EQ(chain.jacobians[0], chain.jacobians[1]) << "equal elements share a pattern";
  const Pattern& band = *chain.jacobians[0];
  const CsrPattern want{
      5, 5, {0, 4, 9, 14, 19, 23}, {0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 1, 2, 3, 4}};
  EXPECT_EQ(band.to_csr(), want);
  EXPECT_EQ(band.row_number(1), band.row_number(3)) << "both are clipped at both ends";
  EXPECT_NE(band.row_number(0), band.row_number(1));
}

TEST(ExplicitChain, RefusesMoreThanFitsIntoMemory) {
  EXPECT_THROW(static_cast<void>(explicit_chain(banded_chain(100'000, 50'000, 2), 0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(explicit_chain(banded_chain(1, 0, (std::uint64_t{1} << 31) + 1), 0)),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(explicit_chain(banded_chain(3, 3, 2), 0)), std::invalid_argument);
}

// The figures by hand: h = 4, b = 1. Rows of 2, 3, 3, 2 entries; matched pairs 2·2 + 3·3 + 3·3 + 2·2 = 26.
TEST(BandedChain, CountsAProductByHand) {
  const HomogeneousProfile profile = profile_homogeneous(banded_chain(4, 1, 4), 1, 4);
  ASSERT_EQ(profile.runs.front().cycle.front().runs.size(), 2U);
  const OpRun& product = profile.runs.front().cycle.front().runs[1];
  EXPECT_EQ(product.flops, 2U * 26);
  EXPECT_EQ(product.nnz, 14U) << "all entries but two";
  EXPECT_EQ(product.earlier, (BlockStructure{ElementKind::banded, 1, 0}));
  EXPECT_EQ(profile.runs[1].cycle.front().runs.front().later, (BlockStructure{ElementKind::banded, 2, 0}));
  EXPECT_EQ(profile.runs[1].cycle.front().runs.front().flops, 2U * 14);
}

TEST(BandedChain, EqualsTheExplicitChainForEverySizeBandwidthAndDepth) {
  for (std::uint64_t h = 1; h <= 9; ++h) {
    for (std::uint64_t half = 0; half < h; ++half) {
      for (std::uint64_t n = 1; n <= 20; ++n) expect_equal_profiles(banded_chain(h, half, n), n % 2 == 0 ? 4 : 8);
      if (HasFailure()) return;
    }
  }
}

TEST(BandedChain, EqualsTheExplicitChainWhileTheBandGrows) {
  for (const auto& [h, half, n] : {std::tuple{40, 1, 33}, {64, 3, 21}, {100, 7, 12}, {31, 14, 9}, {32, 16, 9}})
    expect_equal_profiles(banded_chain(h, half, n), 4);
}

TEST(BandedChain, EqualsTheExplicitChainUnderEveryScheme) {
  for (const auto& [h, half] : {std::pair{7, 0}, {7, 1}, {9, 2}, {8, 5}, {6, 5}}) {
    for (const std::uint64_t n : {1, 2, 5, 12, 17}) {
      const HomogeneousChain chain = banded_chain(h, half, n);
      for (const ScheduleProfile& want : profile_schedules(testing::schemes(n + 1), explicit_chain(chain, 0), 4)) {
        EXPECT_EQ(difference(profile_homogeneous_schedule(want.schedule, chain, 4), want), "")
            << want.schedule.name << ", h " << h << ", half bandwidth " << half << ", n " << n;
      }
    }
  }
}

TEST(BandedChain, IsDenseAtItsWidestAndDiagonalAtItsNarrowest) {
  constexpr std::uint64_t kElements = 1'000'000'007;
  for (std::uint32_t depth = 0; depth <= max_depth(kElements + 1); ++depth) {
    const HomogeneousProfile wide = profile_homogeneous(banded_chain(20, 19, kElements), depth, 4);
    const HomogeneousProfile dense = profile_homogeneous(fused_chain(20, kElements), depth, 4);
    EXPECT_EQ(wide.all, dense.all);
    EXPECT_EQ(wide.live, dense.live);
    const HomogeneousProfile narrow = profile_homogeneous(banded_chain(20, 0, kElements), depth, 4);
    const HomogeneousProfile diagonal = profile_homogeneous({20, kElements, {ElementKind::diagonal}}, depth, 4);
    EXPECT_EQ(narrow.all, diagonal.all);
    EXPECT_EQ(narrow.live, diagonal.live);
  }
}

/// Σ_k c_a(k)·c_b(k), term by term.
std::uint64_t matched_pairs(std::uint64_t a, std::uint64_t b, std::uint64_t size) {
  const auto entries = [&](std::uint64_t k, std::uint64_t half) {
    return std::min(k, half) + std::min(size - 1 - k, half) + 1;
  };
  std::uint64_t sum = 0;
  for (std::uint64_t k = 0; k < size; ++k) sum += entries(k, a) * entries(k, b);
  return sum;
}

class BandedChainTest : public testing::SeededTest {};

TEST_F(BandedChainTest, CountsMatchedPairsOfAnyTwoBands) {
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t size = between(1, 3000);
    const std::uint64_t half = between(0, size - 1);
    const HomogeneousProfile profile = profile_homogeneous(banded_chain(size, half, between(12, 40)), 2, 4);
    for (const LevelRun& run : profile.runs) {
      for (const OpRun& ops : run.cycle.front().runs) {
        if (ops.is_mv) continue;
        EXPECT_EQ(ops.flops, 2 * matched_pairs(ops.earlier.half_bandwidth, ops.later.half_bandwidth, size))
            << "size " << size << ", half bandwidth " << half;
      }
    }
  }
}

TEST_F(BandedChainTest, CountsMatchedPairsOfUnequalBands) {
  for (int round = 0; round < 40; ++round) {
    const std::uint64_t size = between(1, 400);
    const HomogeneousChain chain = banded_chain(size, between(0, (size - 1) / 3), between(2, 30));
    for (Schedule& schedule : testing::schemes(chain.length())) {
      const ScheduleProfile profile = profile_homogeneous_schedule(std::move(schedule), chain, 4);
      const std::vector<ValueRange> ranges = value_ranges(profile.schedule);
      for (std::size_t id = 0; id < profile.ops.size(); ++id) {
        if (profile.ops[id].is_mv) continue;
        const auto half = [&](ValueId value) {
          const ValueRange range = ranges[value];
          return std::min((range.last - range.first + 1) * chain.half_bandwidth, size - 1);
        };
        const Combine& combine = profile.schedule.combines[id];
        EXPECT_EQ(profile.ops[id].products, matched_pairs(half(combine.earlier), half(combine.later), size));
      }
    }
  }
}

TEST(BandedChain, CountsToTheLastOf64BitsAndNoFurther) {
  constexpr std::uint64_t kSize = std::uint64_t{1} << 21;
  const auto flops = [&](std::uint64_t half) {
    return profile_homogeneous(banded_chain(kSize, half, 4), 1, 4).all.flops_max;
  };
  EXPECT_EQ(flops(1000), 2 * matched_pairs(1000, 1000, kSize));
  EXPECT_EQ(flops(1'000'000), 2 * matched_pairs(1'000'000, 1'000'000, kSize));
  EXPECT_THROW(static_cast<void>(flops(kSize - 1)), CountOverflow) << "h³ = 2^63 pairs are 2^64 FLOPs";
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 62;
  EXPECT_THROW(static_cast<void>(profile_homogeneous(banded_chain(kHuge, kHuge - 1, 4), 1, 4)), CountOverflow);
  EXPECT_EQ(profile_homogeneous(banded_chain(std::uint64_t{1} << 40, 1, 2), 0, 4).all.flops,
            2 * (3 * (std::uint64_t{1} << 40) - 2));
}

TEST(BandedChain, HasTheMakespansOfTheExplicitChain) {
  for (const auto& [h, half, n] : {std::tuple{30, 1, 31}, {12, 2, 47}, {50, 1, 100}, {9, 4, 16}}) {
    const HomogeneousChain chain = banded_chain(h, half, n);
    for (const ScheduleProfile& want : explicit_profiles(chain, 4)) {
      const HomogeneousProfile profile = profile_homogeneous(chain, want.schedule.depth, 4);
      for (const std::uint64_t workers : {1, 2, 3, 5, 16, 1000}) {
        for (const Scope scope : {Scope::all, Scope::live}) {
          const PramProfile pram = pram_profile(want, workers, scope);
          const PramProfile got = homogeneous_pram(profile, workers, scope);
          EXPECT_EQ(got.level, pram.level) << "n " << n << ", depth " << want.schedule.depth << ", p " << workers;
          ASSERT_TRUE(got.dag.has_value());
          EXPECT_EQ(*got.dag, pram.dag) << "n " << n << ", depth " << want.schedule.depth << ", p " << workers;
        }
      }
    }
  }
}

}  // namespace
}  // namespace upsweep

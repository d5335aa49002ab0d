#include "upsweep/recurrent/block_bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace upsweep {
namespace {

TEST(BlockBounds, EveryStepIsInOneBlockAndNoBlockIsEmpty) {
  for (std::size_t steps = 1; steps <= 40; ++steps) {
    for (const std::size_t blocks : {1, 2, 3, 5, 8, 39, 40, 41}) {
      for (const double first : {1.0, 1.5, 20.0, 1e9}) {
        const std::vector<std::size_t> times = block_times(steps, {blocks, first, false});
        ASSERT_EQ(times.size(), std::min(blocks, steps) + 1);
        EXPECT_EQ(times.front(), steps);
        EXPECT_EQ(times.back(), 0U);
        for (std::size_t i = 0; i + 1 < times.size(); ++i) EXPECT_GT(times[i], times[i + 1]) << steps << " " << blocks;
      }
    }
  }
}

TEST(BlockBounds, TheFirstBlockHasItsShareAndTheOthersAreAlike) {
  EXPECT_EQ(block_times(12, {4, 1, false}), (std::vector<std::size_t>{12, 9, 6, 3, 0}));
  EXPECT_EQ(block_times(100, {3, 8, false}), (std::vector<std::size_t>{100, 20, 10, 0}));
  EXPECT_EQ(block_times(5, {4, 100, false}), (std::vector<std::size_t>{5, 3, 2, 1, 0})) << "one step for each other";
  EXPECT_EQ(reduced_blocks(block_times(12, {4, 1, false})), 2U);
  EXPECT_EQ(reduced_blocks(block_times(12, {2, 1, false})), 0U);
  EXPECT_EQ(reduced_blocks(block_times(12, {1, 1, false})), 0U);
}

// FLOPs tell the lengths of the first block and of the reduced ones, bytes how many are reduced.
TEST(BlockBounds, AreThoseOfTheBlockedScanOnThisProcessor) {
  for (const CellKind kind : {CellKind::rnn, CellKind::gru}) {
    const CellShape shape{kind, Nonlinearity::tanh, 1, 3, 2};
    for (const std::size_t steps : {1, 2, 3, 7, 20}) {
      for (const std::size_t blocks : {1, 2, 3, 4, 6, 30}) {
        for (const double first : {1.0, 2.5, 20.0}) {
          const BlockOptions options{blocks, first, false};
          const BlockedScan<float> scan(shape, steps, 2, options);
          const std::vector<std::size_t> times = block_times(steps, options);
          const ScanFlops flops = blocked_flops(shape, times, 2, false);
          EXPECT_EQ(flops.jacobians, scan.flops().jacobians) << steps << " " << blocks << " " << first;
          EXPECT_EQ(flops.up, scan.flops().up) << steps << " " << blocks << " " << first;
          EXPECT_EQ(flops.middle, scan.flops().middle);
          EXPECT_EQ(flops.down, scan.flops().down);
          EXPECT_EQ(scan.bytes() > 0, reduced_blocks(times) > 0);
        }
      }
    }
  }
}

TEST(BlockBounds, JacobiansCountWhereTheyAreFormed) {
  const CellShape shape{CellKind::gru, Nonlinearity::tanh, 1, 5, 2};
  const std::uint64_t vector = 2U * 2 * 25;  // of two samples
  // Blocks of 8, 4, 4 and 4 steps.
  const std::vector<std::size_t> times = block_times(20, {4, 2, false});
  const ScanFlops formed = blocked_flops(shape, times, 2, false);
  EXPECT_EQ(formed.jacobians, 0U);
  EXPECT_EQ(formed.up, 3 * vector * (8 + 8) + 5 * vector * 6);
  EXPECT_EQ(formed.middle, 2 * vector);
  EXPECT_EQ(formed.down, 3 * vector * 10);
  const ScanFlops stored = blocked_flops(shape, times, 2, true);
  EXPECT_EQ(stored.jacobians, 3 * vector * 20);
  EXPECT_EQ(stored.up, vector * 8 + 5 * vector * 6);
  EXPECT_EQ(stored.middle, 2 * vector);
  EXPECT_EQ(stored.down, vector * 10);
}

TEST(BlockBounds, RefusesWhatIsNoCut) {
  EXPECT_THROW(static_cast<void>(block_times(0, {2, 1, false})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(block_times(5, {0, 1, false})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(block_times(5, {2, 0.5, false})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(block_times(5, {2, std::nan(""), false})), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep

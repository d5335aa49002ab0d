#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recurrent_bytes.hpp"
#include "recurrent_level_lists.hpp"
#include "recurrent_sizes.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep::kernels::recurrent_plans_test {
namespace {

using ::testing::HasSubstr;

PassShape shape_of(CellKind kind, std::size_t hidden, std::size_t steps, std::size_t batch) {
  return {{kind, Nonlinearity::tanh, 1, hidden, 2}, steps, batch, true};
}

TEST(RecurrentPlans, BytesAreThoseOfTheArrays) {
  // 3 hidden elements: rows of 4. States and gradients of 6 times, and W_hh: 2 · 6 · 2 · 3 + 3 · 4 numbers. The range
  // of steps.
  EXPECT_EQ(cuda_pass_bytes({}, shape_of(CellKind::rnn, 3, 5, 2), 4), 84U * 4 + 16);
  // And four kept arrays of 5 times, three gates: 2 · 6 · 2 · 3 + 4 · 5 · 2 · 3 + 9 · 4.
  EXPECT_EQ(cuda_pass_bytes({}, shape_of(CellKind::gru, 3, 5, 2), 8), 228U * 8 + 16);
  const PassShape shape = shape_of(CellKind::rnn, 3, 5, 2);
  const std::uint64_t operands = cuda_pass_bytes({}, shape, 4) - 16;
  // 4 blocks: two products for two samples, 6 ranges, a chain of two.
  EXPECT_EQ(cuda_pass_bytes({BackwardKind::blocked, 0, {4, 1, false}}, shape, 4), operands + 192 + 96 + 48);
  EXPECT_THROW(static_cast<void>(cuda_pass_bytes({}, shape_of(CellKind::rnn, 64, std::size_t{1} << 60, 64), 8)),
               CountOverflow);
}

TEST(RecurrentPlans, LevelsTakeTheMemoryThatWasSaid) {
  for (const std::size_t steps : {1, 2, 3, 4, 5, 8, 21, 100}) {
    for (const std::uint32_t depth : {0U, 1U, 2U, 3U, BackwardMethod::kFullDepth}) {
      const PassShape shape = shape_of(CellKind::gru, 5, steps, 3);
      const LevelLists lists = level_lists(shape.cell, steps, 3, depth);
      EXPECT_EQ(lists.slots, steps - 1) << steps << " steps, depth " << depth;
      EXPECT_LE(lists.levels.size(), level_step_room(steps));
      EXPECT_LE(lists.chains.size(), fold_step_room(steps));
    }
  }
}

TEST(RecurrentPlans, TheMiddleIsOneLaunch) {
  const LevelLists lists = level_lists({CellKind::rnn, Nonlinearity::tanh, 1, 5, 2}, 64, 1, 2);
  std::size_t middles = 0;
  for (const LevelLaunch& launch : lists.launches) {
    if (launch.phase != Phase::middle) continue;
    ++middles;
    EXPECT_TRUE(launch.is_chain);
  }
  EXPECT_EQ(middles, 1U);
  EXPECT_EQ(lists.launches.size(), 2 + 1 + 2U);
}

TEST(RecurrentPlans, CountTheFlopsOfTheScanOnThisProcessor) {
  for (const CellKind kind : {CellKind::rnn, CellKind::gru}) {
    const CellShape shape{kind, Nonlinearity::tanh, 1, 4, 2};
    const LevelLists lists = level_lists(shape, 13, 2, 2);
    const ScanFlops expected = LevelScan<float>(shape, 2, hybrid_schedule(14, 2)).flops();
    EXPECT_EQ(lists.flops.jacobians, expected.jacobians);
    EXPECT_EQ(lists.flops.up, expected.up);
    EXPECT_EQ(lists.flops.middle, expected.middle);
    EXPECT_EQ(lists.flops.down, expected.down);
  }
}

TEST(RecurrentPlans, SayWhatIsNotSupportedAndWhatIs) {
  const BackwardMethod blelloch{BackwardKind::levels, BackwardMethod::kFullDepth, {}};
  const BackwardMethod blocked{BackwardKind::blocked, 0, {8, 1, false}};
  const auto unsupported = [](const BackwardMethod& method, const PassShape& shape) {
    return unsupported_cuda_pass(method, shape);
  };
  for (const BackwardMethod& method : {BackwardMethod{}, blelloch, blocked}) {
    EXPECT_EQ(unsupported(method, shape_of(CellKind::gru, kMostSmallHidden, 9, 1)), "");
  }
  EXPECT_EQ(unsupported({}, shape_of(CellKind::gru, kMostHidden, 9, 1)), "");
  EXPECT_THAT(unsupported({}, shape_of(CellKind::gru, kMostHidden + 1, 9, 1)), HasSubstr("accepted are up to 1024"));
  EXPECT_THAT(unsupported(blelloch, shape_of(CellKind::rnn, 65, 9, 1)),
              HasSubstr("no blelloch for 65 hidden elements, accepted are up to 64, and bptt for up to 1024"));
  EXPECT_THAT(unsupported(blocked, shape_of(CellKind::rnn, 65, 9, 1)), HasSubstr("no blocked:8 for 65"));
  EXPECT_THAT(unsupported({BackwardKind::blocked, 0, {8, 1, true}}, shape_of(CellKind::rnn, 8, 9, 1)),
              HasSubstr("stores no Jacobians"));
  PassShape unfused = shape_of(CellKind::rnn, 8, 9, 1);
  unfused.is_fused = false;
  EXPECT_THAT(unsupported(blelloch, unfused), HasSubstr("no blelloch over unfused steps"));
  EXPECT_EQ(unsupported({}, unfused), "") << "a sequential pass forms no Jacobians";
}

TEST(RecurrentPlans, EveryCellGetsTheSmallestKernelThatHasRoomForIt) {
  unsigned before = 0;
  for (std::size_t hidden = 1; hidden <= kMostSmallHidden; ++hidden) {
    const unsigned size = with_hidden_class(hidden, [](auto constant) -> unsigned { return constant(); });
    EXPECT_GE(size, hidden);
    EXPECT_GE(size, before);
    EXPECT_TRUE(size == 8 || size < 2 * hidden) << hidden;
    before = size;
  }
}

}  // namespace
}  // namespace upsweep::kernels::recurrent_plans_test

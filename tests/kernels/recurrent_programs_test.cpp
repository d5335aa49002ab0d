#include <gtest/gtest.h>

#include "kernels/recurrent_host_device.hpp"
#include "recurrent_bytes.hpp"
#include "upsweep/recurrent/compare_gradients.hpp"

namespace upsweep::recurrent_programs_test {
namespace {

using testing::HostDevice;
using testing::RecurrentCase;

constexpr std::uint64_t kSeed = 20240607;

/// A batch and the gradients that a pass over it must give.
template <class T>
struct Expected {
  Expected(const CellShape& shape, std::size_t steps, std::size_t batch)
      : test(testing::recurrent_case<T>(shape, steps, batch, kSeed)),
        oracle(hidden_gradient_oracle<T>(test.weights, test.states, test.head.hidden_gradient)) {}

  /// What is wrong with the gradients of `run` on a fresh device of teams of kThreads.
  template <unsigned kThreads, class Run>
  [[nodiscard]] std::string fault(const Run& run) const {
    HostDevice<T, kThreads> device(test);
    run(device);
    return compare_hidden_gradients<T>(test.states, oracle, device.gradients()).mismatch.value_or("");
  }

  RecurrentCase<T> test;
  HiddenGradientOracle oracle;
};

const auto sequential = [](auto& device) { device.run_sequential(); };
const auto blocked = [](std::size_t blocks, double first) {
  return [blocks, first](auto& device) { device.run_blocked({blocks, first, false}); };
};
const auto levels = [](std::uint32_t depth) { return [depth](auto& device) { device.run_levels(depth); }; };

template <class T>
class RecurrentPrograms : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RecurrentPrograms, Numbers);

TYPED_TEST(RecurrentPrograms, AgreeWithBpttForEveryCellAndSize) {
  for (const std::size_t hidden : {1, 3, 8, 13, 20, 22, 32, 33, 64}) {
    for (const CellShape& shape : testing::all_cells(2, hidden, 3)) {
      const std::size_t steps = hidden > 32 ? 5 : 11;
      SCOPED_TRACE(testing::describe(shape, steps, 2));
      const Expected<TypeParam> expected(shape, steps, 2);
      EXPECT_EQ(expected.template fault<1>(sequential), "");
      EXPECT_EQ(expected.template fault<1>(blocked(4, 1)), "") << "4 blocks, steps are no multiple";
      EXPECT_EQ(expected.template fault<1>(levels(1)), "") << "hybrid:1";
    }
  }
}

TYPED_TEST(RecurrentPrograms, AgreeForEveryNumberOfBlocksAndEveryDepth) {
  for (const CellShape& shape : testing::all_cells(1, 5, 2)) {
    for (const std::size_t steps : {1, 2, 3, 8, 21}) {
      SCOPED_TRACE(testing::describe(shape, steps, 3));
      const Expected<TypeParam> expected(shape, steps, 3);
      for (const std::size_t blocks : {1, 2, 3, 4, 7, 21, 30}) {
        EXPECT_EQ(expected.template fault<1>(blocked(blocks, 1)), "") << blocks << " blocks";
        EXPECT_EQ(expected.template fault<1>(blocked(blocks, 4)), "") << blocks << " blocks, the first longer";
      }
      for (const std::uint32_t depth : {0U, 1U, 2U, BackwardMethod::kFullDepth}) {
        EXPECT_EQ(expected.template fault<1>(levels(depth)), "") << "depth " << depth;
      }
    }
  }
}

TYPED_TEST(RecurrentPrograms, FoldChainsThatAreLongerThanWhatIsFetchedAtOnce) {
  const Expected<TypeParam> expected({CellKind::gru, Nonlinearity::tanh, 1, 20, 2}, 40, 2);
  EXPECT_EQ(expected.template fault<1>(levels(0)), "");
  EXPECT_EQ(expected.template fault<1>(blocked(35, 1)), "");
}

// Threads with barriers: under ThreadSanitizer a missing one is a data race.
TYPED_TEST(RecurrentPrograms, AgreeWhereThreadsShareTheWork) {
  for (const std::size_t hidden : {3, 33}) {
    for (const CellShape& shape : testing::all_cells(1, hidden, 2)) {
      if (hidden == 33 && shape.nonlinearity == Nonlinearity::relu) continue;
      SCOPED_TRACE(testing::describe(shape, 6, 1));
      const Expected<TypeParam> expected(shape, 6, 1);
      EXPECT_EQ(expected.template fault<4>(sequential), "");
      EXPECT_EQ(expected.template fault<4>(blocked(4, 1)), "");
      EXPECT_EQ(expected.template fault<4>(levels(BackwardMethod::kFullDepth)), "");
      EXPECT_EQ(expected.template fault<4>(levels(0)), "");
    }
  }
}

TYPED_TEST(RecurrentPrograms, TakeCellsOfAnySizeSequentially) {
  for (const CellShape& shape : testing::all_cells(1, 70, 2)) {
    SCOPED_TRACE(testing::describe(shape, 3, 2));
    const Expected<TypeParam> expected(shape, 3, 2);
    EXPECT_EQ(expected.template fault<1>(sequential), "");
    EXPECT_EQ(expected.template fault<4>(sequential), "");
  }
}

TEST(RecurrentProgramsComparison, CanFail) {
  const Expected<float> expected({CellKind::rnn, Nonlinearity::tanh, 1, 8, 2}, 6, 1);
  EXPECT_NE(expected.fault<1>([](auto&) {}), "") << "nothing ran: gradients are NaN";
  EXPECT_NE(Expected<float>({CellKind::rnn, Nonlinearity::relu, 1, 8, 2}, 6, 1).fault<1>([&](auto& device) {
    device = HostDevice<float, 1>(expected.test);
    device.run_sequential();
  }),
            "")
      << "gradients of another batch";
}

}  // namespace
}  // namespace upsweep::recurrent_programs_test

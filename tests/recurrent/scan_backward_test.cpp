#include "upsweep/recurrent/scan_backward.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "recurrent/support.hpp"
#include "support/random.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/recurrent/bptt.hpp"
#include "upsweep/recurrent/compare_gradients.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

/// Block cuts worth a try for this number of steps.
std::vector<BlockOptions> all_blocks(std::size_t steps) {
  std::vector<BlockOptions> options;
  for (const std::size_t blocks : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{5}, steps, steps + 3}) {
    for (const double first : {1.0, 4.5}) {
      for (const bool store : {false, true}) options.push_back({blocks, first, store});
    }
  }
  return options;
}

/// Calls visit(gradients, what) with the result of every way to scan.
template <class T, class Visit>
void for_each_scan(const testing::RecurrentCase<T>& c, const Visit& visit) {
  const std::size_t steps = c.states.steps;
  const std::vector<T> fresh(c.states.hidden.size(), std::numeric_limits<T>::quiet_NaN());
  for (std::uint32_t depth = 0; depth <= max_depth(steps + 1); ++depth) {
    LevelScan<T> scan(c.weights.shape, c.states.batch, hybrid_schedule(steps + 1, depth));
    std::vector<T> gradients = fresh;
    scan.run(c.weights, c.states, c.head.hidden_gradient, gradients);
    visit(gradients, "hybrid:" + std::to_string(depth));
  }
  for (const BlockOptions& options : all_blocks(steps)) {
    BlockedScan<T> scan(c.weights.shape, steps, c.states.batch, options);
    std::vector<T> gradients = fresh;
    scan.run(c.weights, c.states, c.head.hidden_gradient, gradients);
    visit(gradients, std::to_string(options.blocks) + " blocks, the first " + std::to_string(options.first_block) +
                         (options.store_jacobians ? ", stored" : ""));
  }
}

template <class T>
void expect_oracle(const CellShape& shape, std::size_t steps, std::size_t batch, std::uint64_t seed) {
  const auto c = testing::recurrent_case<T>(shape, steps, batch, seed);
  const auto oracle = hidden_gradient_oracle<T>(c.weights, c.states, c.head.hidden_gradient);
  for_each_scan(c, [&](const std::vector<T>& gradients, const std::string& what) {
    const auto comparison = compare_hidden_gradients<T>(c.states, oracle, gradients);
    ASSERT_EQ(comparison.mismatch.value_or(""), "") << testing::describe(shape, steps, batch) << ", " << what;
    ASSERT_EQ(comparison.elements, gradients.size());
  });
}

class ScanBackward : public testing::SeededTest {};

TEST_F(ScanBackward, EqualsBpttForAllLengthsDepthsAndBlocks) {
  for (std::size_t steps = 1; steps <= 70; ++steps) {
    const std::size_t hidden = between(1, 9);
    for (const CellShape& shape : testing::all_cells(1, hidden, 3)) {
      const std::uint64_t seed = between(0, 1U << 30);
      const std::size_t batch = between(1, 3);
      expect_oracle<double>(shape, steps, batch, seed);
      expect_oracle<float>(shape, steps, batch, seed);
    }
  }
}

TEST_F(ScanBackward, EqualsBpttForAThousandStepsAndTheHiddenSizeOfTheThesis) {
  for (const CellShape& shape : testing::all_cells(1, 20, 10)) {
    expect_oracle<float>(shape, 1000, 1, 1);
    expect_oracle<double>(shape, 100, 9, 2);
  }
}

TEST_F(ScanBackward, EqualsBpttForSizesAroundAVector) {
  for (const std::size_t hidden : {15, 16, 17, 31, 32, 33, 50}) {
    for (const CellShape& shape : testing::all_cells(2, hidden, 3)) {
      expect_oracle<float>(shape, 13, 2, hidden);
      expect_oracle<double>(shape, 13, 2, hidden);
    }
  }
}

TEST_F(ScanBackward, DoesNotDependOnThreads) {
  for (const CellShape& shape : testing::all_cells(1, 20, 3)) {
    const auto c = testing::recurrent_case<float>(shape, 260, 3, 4);
    std::vector<std::vector<float>> many;
    for_each_scan(c, [&](const std::vector<float>& gradients, const std::string&) { many.push_back(gradients); });
    const ThreadLimit limit(1);
    std::size_t next = 0;
    for_each_scan(c, [&](const std::vector<float>& gradients, const std::string& what) {
      EXPECT_EQ(gradients, many[next++]) << what;
    });
  }
}

TEST_F(ScanBackward, RepeatsWithOnePlan) {
  const CellShape shape{CellKind::gru, Nonlinearity::tanh, 1, 6, 3};
  const auto first = testing::recurrent_case<double>(shape, 37, 3, 1);
  const auto second = testing::recurrent_case<double>(shape, 37, 3, 2);
  LevelScan<double> levels(shape, 3, blelloch_schedule(38));
  BlockedScan<double> blocks(shape, 37, 3, {4, 2, true});
  for (const auto* c : {&first, &second, &first}) {
    const auto oracle = hidden_gradient_oracle<double>(c->weights, c->states, c->head.hidden_gradient);
    auto gradients = c->gradients();
    levels.run(c->weights, c->states, c->head.hidden_gradient, gradients);
    EXPECT_FALSE(compare_hidden_gradients<double>(c->states, oracle, gradients).mismatch);
    blocks.run(c->weights, c->states, c->head.hidden_gradient, gradients);
    EXPECT_FALSE(compare_hidden_gradients<double>(c->states, oracle, gradients).mismatch);
  }
}

TEST_F(ScanBackward, KeepsOperandsThatAnotherCombineStillNeeds) {
  // a[2] is an operand of two combines of one level, neither of which may overwrite it.
  Schedule schedule{"by hand", 0, 5, {}, 2, {kIdentity, 0, 7, 8, 9}};
  schedule.combines = {{Phase::up, 0, 1, 2, 2, 1, 2},
                       {Phase::up, 0, 2, 3, 3, 2, 3},
                       {Phase::up, 0, 0, 1, 1, 0, 1},
                       {Phase::down, 1, 0, 2, 2, 0, 5},
                       {Phase::down, 1, 1, 3, 3, 7, 6}};
  for (const CellShape& shape : testing::all_cells(1, 6, 3)) {
    const auto c = testing::recurrent_case<double>(shape, 4, 3, 11);
    const auto oracle = hidden_gradient_oracle<double>(c.weights, c.states, c.head.hidden_gradient);
    LevelScan<double> scan(shape, 3, schedule);
    auto gradients = c.gradients();
    scan.run(c.weights, c.states, c.head.hidden_gradient, gradients);
    EXPECT_EQ(compare_hidden_gradients<double>(c.states, oracle, gradients).mismatch.value_or(""), "");
  }
}

/// Small integers through a relu: nothing is rounded, so that any association gives the same bits.
class ExactScan : public ScanBackward {
 protected:
  /// A relu cell whose W_hh holds `filled` numbers of `magnitude` or its negative per row, in a permutation for 1.
  testing::RecurrentCase<double> integers(std::size_t steps, std::size_t hidden, std::size_t filled) {
    const CellShape shape{CellKind::rnn, Nonlinearity::relu, 1, hidden, 2};
    testing::RecurrentCase<double> c{zero_weights<double>(shape), {}, {}, {}, {}, {}};
    for (std::size_t r = 0; r < hidden; ++r) {
      for (std::size_t f = 0; f < filled; ++f)
        c.weights.w_hh[r * hidden + (r * 3 + 1 + f) % hidden] = chance(0.5) ? 1 : -1;
    }
    c.states.shape = shape;
    c.states.steps = steps;
    c.states.batch = 2;
    // What the backward pass needs of a state is whether it is above 0.
    for (std::size_t i = 0; i < (steps + 1) * 2 * hidden; ++i) c.states.hidden.push_back(chance(0.9) ? 1 : 0);
    for (std::size_t i = 0; i < 2 * hidden; ++i) {
      c.head.hidden_gradient.push_back(static_cast<double>(between(0, 200)) - 100);
    }
    return c;
  }

  void expect_same_bits(const testing::RecurrentCase<double>& c) {
    auto want = c.gradients();
    bptt_reference<double>(c.weights, c.states, c.head.hidden_gradient, want);
    auto fast = c.gradients();
    bptt<double>(c.weights, c.states, c.head.hidden_gradient, fast);
    ASSERT_EQ(fast, want);
    for_each_scan(c, [&](const std::vector<double>& gradients, const std::string& what) {
      ASSERT_EQ(gradients, want) << c.states.steps << " steps, " << what;
    });
  }
};

TEST_F(ExactScan, EqualsBpttBitwiseForSparseIntegers) {
  for (const std::size_t steps : {1, 2, 3, 7, 8, 9, 31, 64, 65, 200}) expect_same_bits(integers(steps, 7, 1));
}

TEST_F(ExactScan, EqualsBpttBitwiseForDenseIntegers) {
  // 3^25 · 100 is below 2^53.
  for (std::size_t steps = 1; steps <= 25; ++steps) expect_same_bits(integers(steps, 10, 3));
}

TEST(ScanBackwardCounts, AreThoseOfTheProducts) {
  const CellShape shape{CellKind::rnn, Nonlinearity::tanh, 1, 10, 2};
  // Linear: T - 1 products of a[0..T - 1], and g_0; all Jacobians but that of step 1 are formed.
  const ScanFlops linear = LevelScan<float>(shape, 2, linear_schedule(9)).flops();
  EXPECT_EQ(linear.up, 0U);
  EXPECT_EQ(linear.middle, 2U * 7 * 200);
  EXPECT_EQ(linear.down, 2U * 200);
  EXPECT_EQ(linear.jacobians, 2U * 7 * 200);
  // Blelloch over 8 elements, live: up 3 + 1 matrix products... of pairs (2,3), (4,5); a vector times a[1], a[2..3].
  const ScanFlops blelloch = LevelScan<float>(shape, 1, blelloch_schedule(8)).flops();
  EXPECT_EQ(blelloch.up % 200, 0U);
  EXPECT_GT(blelloch.up, 2U * 2000);
  EXPECT_EQ(LevelScan<float>(shape, 2, linear_schedule(9)).bytes(), 2U * 7 * 100 * 4);
  // 12 steps in 4 blocks of 3: the first and the last as vectors, two reduced by two products each.
  const ScanFlops blocked = BlockedScan<float>(shape, 12, 1, {4, 1, false}).flops();
  EXPECT_EQ(blocked.jacobians, 0U) << "they are formed in the phases that use them";
  EXPECT_EQ(blocked.up, 3U * 200 + 6U * 200 + 4U * 2000);
  EXPECT_EQ(blocked.middle, 2U * 200);
  EXPECT_EQ(blocked.down, (2U + 2U + 3U) * 200);
  const ScanFlops stored = BlockedScan<float>(shape, 12, 1, {4, 1, true}).flops();
  EXPECT_EQ(stored.jacobians, 12U * 200);
  EXPECT_EQ(stored.up, 3U * 200 + 4U * 2000);
}

TEST(ScanBackwardErrors, RefuseWhatDoesNotFitThePlan) {
  const CellShape shape{CellKind::rnn, Nonlinearity::tanh, 1, 4, 3};
  const auto c = testing::recurrent_case<float>(shape, 5, 2, 1);
  auto gradients = c.gradients();
  LevelScan<float> other_steps(shape, 2, linear_schedule(5));
  LevelScan<float> other_batch(shape, 3, linear_schedule(6));
  BlockedScan<float> other_blocks(shape, 6, 2, {});
  const auto& g = c.head.hidden_gradient;
  EXPECT_THROW(other_steps.run(c.weights, c.states, g, gradients), std::invalid_argument);
  EXPECT_THROW(other_batch.run(c.weights, c.states, g, gradients), std::invalid_argument);
  EXPECT_THROW(other_blocks.run(c.weights, c.states, g, gradients), std::invalid_argument);
  EXPECT_THROW(BlockedScan<float>(shape, 6, 2, {0, 1, false}), std::invalid_argument);
  EXPECT_THROW(BlockedScan<float>(shape, 6, 2, {2, 0.5, false}), std::invalid_argument);
  EXPECT_THROW(BlockedScan<float>(shape, 0, 2, {}), std::invalid_argument);
  EXPECT_THROW(LevelScan<float>(shape, 0, linear_schedule(6)), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep

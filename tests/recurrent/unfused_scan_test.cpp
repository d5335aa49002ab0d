#include "upsweep/recurrent/unfused_scan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>

#include "recurrent/support.hpp"
#include "support/random.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/recurrent/bptt.hpp"
#include "upsweep/recurrent/compare_gradients.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

std::vector<CellShape> rnn_cells(std::size_t hidden) {
  std::vector<CellShape> cells = testing::all_cells(2, hidden, 3);
  std::erase_if(cells, [](const CellShape& shape) { return shape.kind != CellKind::rnn; });
  return cells;
}

/// What stands for a range of the array: vector, diagonal, weights or a product.
std::string kind_of(const ValueRange& range) {
  if (range.first == 0) return "vector";
  if (range.first < range.last) return "product";
  return range.first % 2 == 1 ? "diagonal" : "weights";
}

template <class T>
std::vector<T> run_scan(UnfusedLevelScan<T>& scan, const testing::RecurrentCase<T>& c) {
  std::vector<T> gradients(c.states.hidden.size(), std::numeric_limits<T>::quiet_NaN());
  scan.run(c.weights, c.states, c.head.hidden_gradient, gradients);
  return gradients;
}

class UnfusedScan : public testing::SeededTest {
 protected:
  template <class T>
  void expect_oracle(const CellShape& shape, std::size_t steps, std::size_t batch) {
    const auto c = testing::recurrent_case<T>(shape, steps, batch, between(0, 1U << 30));
    const auto oracle = hidden_gradient_oracle<T>(c.weights, c.states, c.head.hidden_gradient);
    for (std::uint32_t depth = 0; depth <= max_depth(2 * steps + 1); ++depth) {
      UnfusedLevelScan<T> scan(shape, batch, hybrid_schedule(2 * steps + 1, depth));
      const auto comparison = compare_hidden_gradients<T>(c.states, oracle, run_scan(scan, c));
      ASSERT_EQ(comparison.mismatch.value_or(""), "") << testing::describe(shape, steps, batch) << ", hybrid:" << depth;
    }
  }

  /// A relu cell whose W_hh holds ±1 in a permutation, so that nothing is rounded in any association.
  testing::RecurrentCase<double> integers(std::size_t steps, std::size_t hidden) {
    const CellShape shape{CellKind::rnn, Nonlinearity::relu, 1, hidden, 2};
    testing::RecurrentCase<double> c{zero_weights<double>(shape), {}, {}, {}, {}, {}};
    for (std::size_t r = 0; r < hidden; ++r) c.weights.w_hh[r * hidden + (r + 2) % hidden] = chance(0.5) ? 1 : -1;
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

  void expect_same_bits(const testing::RecurrentCase<double>& c, UnfusedLevelScan<double>& scan) {
    auto want = c.gradients();
    bptt_reference<double>(c.weights, c.states, c.head.hidden_gradient, want);
    ASSERT_EQ(run_scan(scan, c), want) << c.states.steps << " steps";
    const std::size_t step = 2 * c.states.shape.hidden;
    for (std::size_t i = step; i < want.size(); ++i) {
      ASSERT_EQ(scan.sum_gradients()[i - step], c.states.hidden[i] > 0 ? want[i] : 0.0) << "before the relu, " << i;
    }
  }

  /// A tree of combines over [first, last] in some bracketing; returns its root.
  ValueId add_tree(Schedule& schedule, std::uint32_t first, std::uint32_t last, std::uint32_t from) {
    if (first == last) return first;
    const auto split = static_cast<std::uint32_t>(between(from, last - 1));
    const ValueId earlier = add_tree(schedule, first, split, first);
    return add_combine(schedule, earlier, add_tree(schedule, split + 1, last, split + 1));
  }

  static ValueId add_combine(Schedule& schedule, ValueId earlier, ValueId later) {
    schedule.combines.push_back({Phase::up, static_cast<std::uint32_t>(schedule.levels++), 0, 0, 0, earlier, later});
    return schedule.value_of(schedule.combines.size() - 1);
  }

  /// Every result from some result before it and a product of the elements between, in some bracketing.
  Schedule any_schedule(std::size_t length) {
    Schedule schedule{"any", 0, length, {}, 0, {kIdentity, 0}};
    for (std::uint32_t last = 1; last + 1 < length; ++last) {
      const auto before = static_cast<std::uint32_t>(between(last > 6 ? last - 6 : 0, last - 1));
      const ValueId product = add_tree(schedule, before + 1, last, before + 1);
      schedule.results.push_back(add_combine(schedule, schedule.results[before + 1], product));
    }
    return schedule;
  }
};

TEST_F(UnfusedScan, EqualsBpttForAllLengthsAndDepths) {
  for (std::size_t steps = 1; steps <= 20; ++steps) {
    for (const CellShape& shape : rnn_cells(between(1, 9))) {
      const std::size_t batch = between(1, 3);
      expect_oracle<double>(shape, steps, batch);
      expect_oracle<float>(shape, steps, batch);
    }
  }
}

TEST_F(UnfusedScan, EqualsBpttForLongSequencesSizesAroundAVectorAndOneElement) {
  for (const std::size_t hidden : {1, 16, 17, 33}) {
    for (const CellShape& shape : rnn_cells(hidden)) {
      expect_oracle<float>(shape, 45, 1);
      expect_oracle<double>(shape, 1, 1);
    }
  }
  for (const CellShape& shape : rnn_cells(8)) expect_oracle<float>(shape, 300, 2);
}

TEST_F(UnfusedScan, EqualsBpttBitwiseForIntegers) {
  for (const std::size_t steps : {1, 2, 3, 7, 8, 9, 31, 64, 65, 200}) {
    const auto c = integers(steps, 7);
    for (std::uint32_t depth = 0; depth <= max_depth(2 * steps + 1); ++depth) {
      UnfusedLevelScan<double> scan(c.states.shape, 2, hybrid_schedule(2 * steps + 1, depth));
      expect_same_bits(c, scan);
    }
  }
}

TEST_F(UnfusedScan, CombinesAnyTwoKindsInAnyOrder) {
  std::set<std::string> seen;
  for (int round = 0; round < 40; ++round) {
    const std::size_t steps = 8;
    const std::size_t h = between(1, 6);
    const auto c = integers(steps, h);
    const Schedule schedule = any_schedule(2 * steps + 1);
    UnfusedLevelScan<double> scan(c.states.shape, 2, schedule);
    expect_same_bits(c, scan);
    // 2 per matched pair of entries: a diagonal matches each entry of the other once.
    const std::uint64_t pair = 4;        // FLOPs, of two samples
    std::uint64_t flops = pair * h * h;  // from the sums of step 1 to g_0
    const auto ranges = value_ranges(schedule);
    for (const Combine& combine : schedule.combines) {
      const std::string earlier = kind_of(ranges[combine.earlier]);
      const std::string later = kind_of(ranges[combine.later]);
      seen.insert(fmt::format("{} {}", earlier, later));
      const std::uint64_t rows = earlier == "vector" ? 1 : h;
      flops += pair * rows * (earlier == "diagonal" || later == "diagonal" ? h : h * h);
    }
    EXPECT_EQ(scan.flops().total(), flops);
  }
  EXPECT_EQ(seen, (std::set<std::string>{"vector diagonal", "vector weights", "vector product", "diagonal weights",
                                         "weights diagonal", "diagonal product", "product diagonal", "weights product",
                                         "product weights", "product product"}));
}

TEST_F(UnfusedScan, KeepsOperandsThatAnotherCombineStillNeeds) {
  // a[1..2] and a[3..4] are operands of a product and of a vector's, after which neither may be overwritten.
  Schedule schedule{"by hand", 0, 7, {}, 5, {kIdentity, 0, 12, 13, 14, 15, 11}};
  schedule.combines = {
      {Phase::up, 0, 0, 0, 0, 1, 2},     {Phase::up, 0, 0, 0, 0, 3, 4},      {Phase::up, 1, 0, 0, 0, 7, 8},
      {Phase::up, 2, 0, 0, 0, 9, 5},     {Phase::middle, 3, 0, 0, 0, 0, 10}, {Phase::middle, 3, 0, 0, 0, 0, 1},
      {Phase::middle, 3, 0, 0, 0, 0, 7}, {Phase::down, 4, 0, 0, 0, 13, 3},   {Phase::down, 4, 0, 0, 0, 13, 8}};
  const auto c = integers(3, 5);
  UnfusedLevelScan<double> scan(c.states.shape, 2, schedule);
  expect_same_bits(c, scan);
  EXPECT_EQ(scan.bytes(), 8U * 2 * (2 * 3 * 5 + 3 * 25));
}

TEST_F(UnfusedScan, DoesNotDependOnThreads) {
  for (const CellShape& shape : rnn_cells(20)) {
    const auto c = testing::recurrent_case<float>(shape, 130, 3, 4);
    for (const std::uint32_t depth : {0U, 3U, 30U}) {
      UnfusedLevelScan<float> scan(shape, 3, hybrid_schedule(261, depth));
      const std::vector<float> many = run_scan(scan, c);
      const ThreadLimit limit(1);
      EXPECT_EQ(run_scan(scan, c), many) << "hybrid:" << depth;
    }
  }
}

TEST_F(UnfusedScan, RepeatsWithOnePlan) {
  const CellShape shape{CellKind::rnn, Nonlinearity::tanh, 1, 6, 3};
  const auto first = testing::recurrent_case<double>(shape, 37, 3, 1);
  const auto second = testing::recurrent_case<double>(shape, 37, 3, 2);
  UnfusedLevelScan<double> scan(shape, 3, blelloch_schedule(75));
  const std::vector<double> once = run_scan(scan, first);
  EXPECT_NE(run_scan(scan, second), once);
  EXPECT_EQ(run_scan(scan, first), once);
}

TEST(UnfusedScanCounts, AreThoseOfTheLiveCombinesOfTheProfile) {
  const std::size_t h = 5;
  const std::uint64_t batch = 3;
  for (std::size_t steps = 1; steps <= 40; ++steps) {
    for (std::uint32_t depth = 0; depth <= max_depth(2 * steps + 1); ++depth) {
      const UnfusedLevelScan<float> scan({CellKind::rnn, Nonlinearity::tanh, 1, h, 2}, batch,
                                         hybrid_schedule(2 * steps + 1, depth));
      const HomogeneousProfile profile = profile_homogeneous(unfused_chain(h, steps), depth, 4);
      EXPECT_EQ(scan.flops().total(), batch * (profile.live.flops + 2 * h * h)) << steps << " steps, depth " << depth;
      EXPECT_EQ(scan.flops().jacobians, 0U);
      // Two vectors per step, and a matrix per pair of weights and diagonal between them.
      const std::uint64_t matrices = depth == 0 ? 0 : steps - 1;
      EXPECT_EQ(scan.bytes(), 4 * batch * (2 * steps * h + matrices * h * h)) << steps << " steps, depth " << depth;
    }
  }
}

TEST(UnfusedScanErrors, RefuseWhatHasNoUnfusedSteps) {
  const CellShape shape{CellKind::rnn, Nonlinearity::tanh, 1, 4, 3};
  const CellShape gru{CellKind::gru, Nonlinearity::tanh, 1, 4, 3};
  EXPECT_THROW(UnfusedLevelScan<float>(gru, 2, linear_schedule(11)), std::invalid_argument);
  EXPECT_THROW(UnfusedLevelScan<float>(shape, 0, linear_schedule(11)), std::invalid_argument);
  EXPECT_THROW(UnfusedLevelScan<float>(shape, 2, linear_schedule(10)), std::invalid_argument);
  const auto c = testing::recurrent_case<float>(shape, 5, 2, 1);
  auto gradients = c.gradients();
  UnfusedLevelScan<float> other_steps(shape, 2, linear_schedule(9));
  UnfusedLevelScan<float> other_batch(shape, 3, linear_schedule(11));
  EXPECT_THROW(other_steps.run(c.weights, c.states, c.head.hidden_gradient, gradients), std::invalid_argument);
  EXPECT_THROW(other_batch.run(c.weights, c.states, c.head.hidden_gradient, gradients), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep

#include "upsweep/recurrent/compare_gradients.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "recurrent/support.hpp"
#include "upsweep/recurrent/bptt.hpp"

namespace upsweep {
namespace {

template <class T>
std::vector<T> bptt_of(const testing::RecurrentCase<T>& c) {
  auto gradients = c.gradients();
  bptt<T>(c.weights, c.states, c.head.hidden_gradient, gradients);
  return gradients;
}

template <class T>
GradientComparison compared(const testing::RecurrentCase<T>& c, const std::vector<T>& found) {
  const auto oracle = hidden_gradient_oracle<T>(c.weights, c.states, c.head.hidden_gradient);
  return compare_hidden_gradients<T>(c.states, oracle, found);
}

TEST(CompareGradients, AcceptsBpttOfBothPrecisions) {
  for (const CellShape& shape : testing::all_cells(1, 20, 3)) {
    const auto single = testing::recurrent_case<float>(shape, 50, 3, 1);
    const auto twice = testing::recurrent_case<double>(shape, 50, 3, 1);
    const GradientComparison first = compared(single, bptt_of(single));
    EXPECT_FALSE(first.mismatch) << *first.mismatch;
    EXPECT_GT(first.worst_share, 0);
    EXPECT_FALSE(compared(twice, bptt_of(twice)).mismatch);
  }
}

TEST(CompareGradients, ThatCheckCanFailInEveryElement) {
  for (const CellShape& shape : testing::all_cells(1, 6, 3)) {
    const auto c = testing::recurrent_case<double>(shape, 8, 2, 1);
    const auto gradients = bptt_of(c);
    const auto oracle = hidden_gradient_oracle<double>(c.weights, c.states, c.head.hidden_gradient);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      auto wrong = gradients;
      wrong[i] += 1e-9 * std::max(std::fabs(wrong[i]), 1e-3);
      const auto comparison = compare_hidden_gradients<double>(c.states, oracle, wrong);
      EXPECT_TRUE(comparison.mismatch) << testing::describe(shape, 8, 2) << ", number " << i;
      EXPECT_GT(comparison.worst_share, 1);
    }
  }
}

TEST(CompareGradients, SeesAWrongFactorNanAndSwappedSamples) {
  const auto c = testing::recurrent_case<float>({CellKind::gru, Nonlinearity::tanh, 1, 8, 3}, 20, 2, 1);
  auto wrong = bptt_of(c);
  for (std::size_t i = 0; i < 16; ++i) wrong[i] *= 1.001F;
  EXPECT_TRUE(compared(c, wrong).mismatch);
  wrong = bptt_of(c);
  wrong[3] = std::numeric_limits<float>::quiet_NaN();
  const auto comparison = compared(c, wrong);
  EXPECT_EQ(comparison.mismatch.value_or("").rfind("gradient of h_0 of sample 0: element 3 is nan, expected ", 0), 0U);
  EXPECT_TRUE(std::isinf(comparison.worst_share));
  wrong = bptt_of(c);
  std::swap_ranges(wrong.begin(), wrong.begin() + 8, wrong.begin() + 8);
  EXPECT_TRUE(compared(c, wrong).mismatch);
}

TEST(CompareGradients, SeesADroppedProductAfterAThousandSteps) {
  const CellShape shape{CellKind::gru, Nonlinearity::tanh, 1, 20, 3};
  const auto c = testing::recurrent_case<double>(shape, 1000, 1, 1);
  auto wrong = bptt_of(c);
  // Step 900 as if its Jacobian were the identity.
  for (std::size_t i = 0; i < 20; ++i) wrong[std::size_t{899} * 20 + i] = wrong[std::size_t{900} * 20 + i];
  EXPECT_TRUE(compared(c, wrong).mismatch);
}

TEST(CompareGradients, MagnitudesBoundTheGradients) {
  for (const CellShape& shape : testing::all_cells(1, 7, 3)) {
    const auto c = testing::recurrent_case<double>(shape, 30, 2, 6);
    const auto oracle = hidden_gradient_oracle<double>(c.weights, c.states, c.head.hidden_gradient);
    for (std::size_t i = 0; i < oracle.gradient.size(); ++i) {
      EXPECT_GE(oracle.magnitude[i] * (1 + 1e-12), std::fabs(oracle.gradient[i]));
      EXPECT_GE(oracle.deviation[i], std::fabs(oracle.gradient[i]));
      EXPECT_TRUE(std::isfinite(oracle.deviation[i]));
    }
  }
}

TEST(CompareGradients, RefusesWrongLengths) {
  const auto c = testing::recurrent_case<float>({CellKind::rnn, Nonlinearity::tanh, 1, 3, 3}, 4, 2, 1);
  EXPECT_THROW(static_cast<void>(compared(c, std::vector<float>(3))), std::invalid_argument);
}

TEST(CompareGradients, WhereTheBoundIsInfiniteInfinityIsStillWrongAndTheRestIsCounted) {
  const auto one = testing::recurrent_case<float>({CellKind::rnn, Nonlinearity::tanh, 1, 2, 2}, 3, 1, 5);
  HiddenGradientOracle oracle =
      hidden_gradient_oracle<float>(one.weights, one.states, std::span<const float>(one.head.hidden_gradient));
  std::vector<float> found(oracle.gradient.begin(), oracle.gradient.end());
  oracle.magnitude[1] = oracle.deviation[1] = std::numeric_limits<double>::infinity();
  const GradientComparison vague = compare_hidden_gradients<float>(one.states, oracle, found);
  EXPECT_FALSE(vague.mismatch);
  EXPECT_EQ(vague.unbounded, 1U);
  found[1] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(compare_hidden_gradients<float>(one.states, oracle, found).mismatch);
}

}  // namespace
}  // namespace upsweep

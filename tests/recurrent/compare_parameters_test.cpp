#include "upsweep/recurrent/compare_parameters.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "support.hpp"
#include "upsweep/recurrent/bptt.hpp"
#include "upsweep/recurrent/parameter_gradients.hpp"

namespace upsweep::compare_parameters_test {
namespace {

using testing::all_cells;
using testing::describe;
using testing::recurrent_case;
using testing::RecurrentCase;

template <class T>
ParameterOracle oracle_of(const RecurrentCase<T>& one) {
  const HiddenGradientOracle hidden =
      hidden_gradient_oracle<T>(one.weights, one.states, std::span<const T>(one.head.hidden_gradient));
  return parameter_oracle<T>(one.weights, one.states, std::span<const T>(one.inputs), hidden, one.head);
}

template <class T>
CellWeights<T> gradients_of(const RecurrentCase<T>& one) {
  std::vector<T> hidden = one.gradients();
  bptt<T>(one.weights, one.states, one.head.hidden_gradient, hidden);
  CellWeights<T> gradients;
  parameter_gradients<T>(one.weights, one.states, one.inputs, hidden, one.head, gradients);
  return gradients;
}

template <class T>
void expect_within_bound(std::size_t steps, std::size_t batch) {
  for (const CellShape& shape : all_cells(3, 5, 4)) {
    const auto one = recurrent_case<T>(shape, steps, batch, 7);
    const ParameterComparison comparison = compare_parameters<T>(oracle_of(one), gradients_of(one));
    EXPECT_EQ(comparison.mismatch.value_or(""), "") << describe(shape, steps, batch);
    EXPECT_GT(comparison.elements, 0U);
    EXPECT_LE(comparison.worst_share, 1);
  }
}

TEST(CompareParameters, GradientsOfBackPropagationAreWithinTheBound) {
  for (const std::size_t steps : {1U, 2U, 40U}) {
    expect_within_bound<float>(steps, 3);
    expect_within_bound<double>(steps, 2);
  }
}

TEST(CompareParameters, TheOracleIsTheDerivativeOfTheLoss) {
  constexpr double kStep = 1e-5;
  for (const CellShape& shape : all_cells(2, 3, 3)) {
    if (shape.nonlinearity == Nonlinearity::relu) continue;  // has kinks
    auto one = recurrent_case<double>(shape, 6, 2, 3);
    const ParameterOracle oracle = oracle_of(one);
    const auto loss = [&] {
      const auto states = run_forward<double>(one.weights, one.inputs, 6, 2, one.initial);
      return run_head<double>(one.weights, states.at(6), one.labels).loss;
    };
    for (std::size_t a = 0; a < 6; ++a) {
      for (std::size_t i = 0; i < one.weights.arrays()[a].size(); ++i) {
        double& parameter = one.weights.arrays()[a][i];
        const double before = parameter;
        parameter = before + kStep;
        const double above = loss();
        parameter = before - kStep;
        const double below = loss();
        parameter = before;
        EXPECT_NEAR(oracle.gradient.arrays()[a][i], (above - below) / (2 * kStep), 1e-8)
            << describe(shape, 6, 2) << ", array " << a << ", element " << i;
      }
    }
  }
}

TEST(CompareParameters, AWrongElementOfAnyArrayIsNamed) {
  const auto one = recurrent_case<float>({CellKind::gru, Nonlinearity::tanh, 3, 5, 4}, 12, 2, 5);
  const ParameterOracle oracle = oracle_of(one);
  const CellWeights<float> right = gradients_of(one);
  const std::vector<std::string> names = {"w_ih", "w_hh", "b_ih", "b_hh", "w_head", "b_head"};
  for (std::size_t a = 0; a < names.size(); ++a) {
    CellWeights<float> wrong = right;
    wrong.arrays()[a][1] *= 1.01F;
    const ParameterComparison comparison = compare_parameters<float>(oracle, wrong);
    ASSERT_TRUE(comparison.mismatch) << names[a];
    EXPECT_NE(comparison.mismatch->find("gradient of " + names[a] + ": element 1 is"), std::string::npos)
        << *comparison.mismatch;
    EXPECT_GT(comparison.worst_share, 1);
  }
}

TEST(CompareParameters, NothingThatIsNotANumberPasses) {
  const auto one = recurrent_case<float>({CellKind::rnn, Nonlinearity::tanh, 1, 4, 2}, 5, 1, 5);
  const ParameterOracle oracle = oracle_of(one);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    CellWeights<float> wrong = gradients_of(one);
    wrong.w_hh[3] = bad;
    EXPECT_TRUE(compare_parameters<float>(oracle, wrong).mismatch);
  }
}

TEST(CompareParameters, WhereTheBoundIsInfiniteInfinityIsStillWrongAndTheRestIsCounted) {
  const auto one = recurrent_case<float>({CellKind::rnn, Nonlinearity::tanh, 1, 4, 2}, 5, 1, 5);
  ParameterOracle oracle = oracle_of(one);
  oracle.bound.w_hh[3] = std::numeric_limits<double>::infinity();
  CellWeights<float> found = gradients_of(one);
  EXPECT_FALSE(compare_parameters<float>(oracle, found).mismatch);
  EXPECT_EQ(compare_parameters<float>(oracle, found).unbounded, 1U);
  found.w_hh[3] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(compare_parameters<float>(oracle, found).mismatch);
}

TEST(CompareParameters, AMissingStepIsSeen) {
  const auto one = recurrent_case<float>({CellKind::rnn, Nonlinearity::tanh, 1, 8, 3}, 20, 4, 9);
  std::vector<float> hidden = one.gradients();
  bptt<float>(one.weights, one.states, one.head.hidden_gradient, hidden);
  std::fill_n(hidden.begin() + 17 * 32, 32, 0.0F);
  CellWeights<float> gradients;
  parameter_gradients<float>(one.weights, one.states, one.inputs, hidden, one.head, gradients);
  EXPECT_TRUE(compare_parameters<float>(oracle_of(one), gradients).mismatch);
}

TEST(CompareParameters, RefusesAnotherShape) {
  const auto one = recurrent_case<float>({CellKind::rnn, Nonlinearity::tanh, 1, 4, 2}, 5, 1, 5);
  EXPECT_THROW(static_cast<void>(compare_parameters<float>(oracle_of(one), CellWeights<float>{})),
               std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::compare_parameters_test

#include "upsweep/recurrent/forward.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "recurrent/support.hpp"
#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

/// A row of a matrix times a vector, plus a bias.
double affine(const std::vector<double>& matrix, const std::vector<double>& bias, std::size_t row, const double* x,
              std::size_t count) {
  double sum = bias[row];
  for (std::size_t i = 0; i < count; ++i) sum += matrix[row * count + i] * x[i];
  return sum;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// h_t of one sample by Equations 4.2 and 4.3 of the thesis, element by element.
std::vector<double> step_by_definition(const CellWeights<double>& w, const double* x, const double* before) {
  const std::size_t h = w.shape.hidden;
  const auto from_input = [&](std::size_t row) { return affine(w.w_ih, w.b_ih, row, x, w.shape.input); };
  const auto from_hidden = [&](std::size_t row) { return affine(w.w_hh, w.b_hh, row, before, h); };
  std::vector<double> after;
  for (std::size_t i = 0; i < h; ++i) {
    if (w.shape.kind == CellKind::gru) {
      const double r = sigmoid(from_input(i) + from_hidden(i));
      const double z = sigmoid(from_input(h + i) + from_hidden(h + i));
      const double n = std::tanh(from_input(2 * h + i) + r * from_hidden(2 * h + i));
      after.push_back((1 - z) * n + z * before[i]);
    } else {
      const double sum = from_input(i) + from_hidden(i);
      after.push_back(w.shape.nonlinearity == Nonlinearity::relu ? std::max(sum, 0.0) : std::tanh(sum));
    }
  }
  return after;
}

TEST(RecurrentForward, IsTheDefinitionStepByStep) {
  for (const std::size_t hidden : {1, 3, 20, 33}) {
    for (const CellShape& shape : testing::all_cells(2, hidden, 2)) {
      const auto c = testing::recurrent_case<double>(shape, 9, 5, 3);
      for (std::size_t t = 1; t <= 9; ++t) {
        for (std::size_t b = 0; b < 5; ++b) {
          const auto want = step_by_definition(c.weights, c.inputs.data() + ((t - 1) * 5 + b) * 2,
                                               c.states.at(t - 1).data() + b * hidden);
          for (std::size_t i = 0; i < hidden; ++i) {
            ASSERT_NEAR(c.states.at(t)[b * hidden + i], want[i], 1e-13) << testing::describe(shape, t, b);
          }
        }
      }
    }
  }
}

TEST(RecurrentForward, KeepsTheGatesOfAGru) {
  const CellShape shape{CellKind::gru, Nonlinearity::tanh, 2, 4, 2};
  const auto c = testing::recurrent_case<double>(shape, 3, 2, 5);
  for (std::size_t i = 0; i < c.states.z.size(); ++i) {
    const double before = c.states.hidden[i];
    const double after = c.states.hidden[i + 8];
    EXPECT_NEAR(after, (1 - c.states.z[i]) * c.states.n[i] + c.states.z[i] * before, 1e-15);
  }
  double m = c.weights.b_hh[8];
  for (std::size_t j = 0; j < 4; ++j) m += c.weights.w_hh[32 + j] * c.states.hidden[j];
  EXPECT_NEAR(c.states.m[0], m, 1e-15);
}

TEST(RecurrentForward, DoesNotDependOnThreadsOrOtherSamples) {
  for (const CellShape& shape : testing::all_cells(1, 20, 2)) {
    const auto c = testing::recurrent_case<float>(shape, 40, 7, 1);
    const ThreadLimit limit(1);
    const auto alone = run_forward<float>(c.weights, c.inputs, 40, 7, c.initial);
    EXPECT_EQ(alone.hidden, c.states.hidden);
    std::vector<float> inputs;
    for (std::size_t t = 0; t < 40; ++t) inputs.push_back(c.inputs[t * 7 + 3]);
    const std::vector<float> initial(c.initial.begin() + 60, c.initial.begin() + 80);
    const auto one = run_forward<float>(c.weights, inputs, 40, 1, initial);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(one.at(40)[i], c.states.at(40)[60 + i]);
  }
}

TEST(RecurrentForward, NamesTheStepWhereANumberIsNotFinite) {
  const CellShape shape{CellKind::rnn, Nonlinearity::relu, 1, 1, 1};
  auto weights = zero_weights<float>(shape);
  weights.w_hh[0] = 1e10F;
  weights.w_ih[0] = 1;
  std::vector<float> inputs(24, 0.0F);
  inputs[1] = 1;  // sample 1 of 3: 1, 1e10, 1e20, 1e30, infinity
  inputs[17] = std::numeric_limits<float>::quiet_NaN();
  try {
    static_cast<void>(run_forward<float>(weights, inputs, 8, 3));
    FAIL() << "nothing was thrown";
  } catch (const NonFiniteState& error) {
    EXPECT_EQ(error.step(), 5U);
    EXPECT_EQ(error.sample(), 1U);
    EXPECT_STREQ(error.what(),
                 "the hidden state of sample 1 is NaN or infinite from step 5 on, accepted are finite numbers");
  }
  for (const CellShape& cell : testing::all_cells(1, 4, 1)) {
    inputs.assign(24, 0.0F);
    inputs[17] = std::numeric_limits<float>::quiet_NaN();
    try {
      static_cast<void>(run_forward<float>(initial_weights<float>(cell, 1), inputs, 8, 3));
      FAIL() << "nothing was thrown";
    } catch (const NonFiniteState& error) {
      EXPECT_EQ(error.step(), 6U);
      EXPECT_EQ(error.sample(), 2U);
    }
  }
}

TEST(RecurrentForward, RefusesWrongLengths) {
  const auto weights = zero_weights<float>({CellKind::rnn, Nonlinearity::tanh, 2, 3, 1});
  const std::vector<float> inputs(12);
  EXPECT_NO_THROW(static_cast<void>(run_forward<float>(weights, inputs, 3, 2)));
  EXPECT_THROW(static_cast<void>(run_forward<float>(weights, inputs, 2, 2)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(run_forward<float>(weights, {}, 0, 2)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(run_forward<float>(weights, inputs, 3, 2, std::vector<float>(5))),
               std::invalid_argument);
}

}  // namespace
}  // namespace upsweep

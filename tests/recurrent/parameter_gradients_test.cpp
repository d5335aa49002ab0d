#include "upsweep/recurrent/parameter_gradients.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "recurrent/support.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/recurrent/bptt.hpp"

namespace upsweep::parameter_gradients_test {
namespace {

double loss_of(const testing::RecurrentCase<double>& c, const CellWeights<double>& weights) {
  const auto states = run_forward<double>(weights, c.inputs, c.states.steps, c.states.batch, c.initial);
  return run_head<double>(weights, states.at(states.steps), c.labels).loss;
}

template <class T>
CellWeights<T> gradients_of(const testing::RecurrentCase<T>& c) {
  auto hidden = c.gradients();
  bptt<T>(c.weights, c.states, c.head.hidden_gradient, hidden);
  CellWeights<T> gradients;
  parameter_gradients<T>(c.weights, c.states, c.inputs, hidden, c.head, gradients);
  return gradients;
}

TEST(ParameterGradients, AreThoseOfFiniteDifferencesOfTheLoss) {
  constexpr double kStep = 1e-6;
  for (const CellShape& shape : testing::all_cells(3, 5, 4)) {
    const auto c = testing::recurrent_case<double>(shape, 7, 3, 29);
    const auto gradients = gradients_of(c);
    ASSERT_EQ(gradients.shape, shape);
    CellWeights<double> weights = c.weights;
    const auto numbers = weights.arrays();
    const auto found = gradients.arrays();
    for (std::size_t array = 0; array < numbers.size(); ++array) {
      ASSERT_EQ(found[array].size(), numbers[array].size());
      for (std::size_t i = 0; i < numbers[array].size(); ++i) {
        const double middle = numbers[array][i];
        numbers[array][i] = middle + kStep;
        const double above = loss_of(c, weights);
        numbers[array][i] = middle - kStep;
        const double below = loss_of(c, weights);
        numbers[array][i] = middle;
        EXPECT_NEAR(found[array][i], (above - below) / (2 * kStep), 1e-8)
            << testing::describe(shape, 7, 3) << ", array " << array << ", number " << i;
      }
    }
  }
}

TEST(ParameterGradients, OfManyRowsAreTheSumOfTheirOuterProducts) {
  const CellShape shape{CellKind::rnn, Nonlinearity::tanh, 2, 3, 2};
  const auto c = testing::recurrent_case<double>(shape, 777, 3, 1);
  auto hidden = testing::uniform_numbers<double>(1, "gradients", c.states.hidden.size());
  CellWeights<double> gradients;
  parameter_gradients<double>(c.weights, c.states, c.inputs, hidden, c.head, gradients);
  double want_hh = 0;
  double want_ih = 0;
  double want_b = 0;
  for (std::size_t row = 0; row < 2331; ++row) {
    const double after = c.states.hidden[row * 3 + 9 + 1];
    const double delta = hidden[row * 3 + 9 + 1] * (1 - after * after);
    want_hh += delta * c.states.hidden[row * 3 + 2];
    want_ih += delta * c.inputs[row * 2];
    want_b += delta;
  }
  EXPECT_NEAR(gradients.w_hh[1 * 3 + 2], want_hh, 1e-11);
  EXPECT_NEAR(gradients.w_ih[1 * 2 + 0], want_ih, 1e-11);
  EXPECT_NEAR(gradients.b_hh[1], want_b, 1e-11);
  EXPECT_EQ(gradients.b_ih, gradients.b_hh);
}

TEST(ParameterGradients, DoNotDependOnThreads) {
  for (const CellShape& shape : testing::all_cells(2, 20, 10)) {
    const auto c = testing::recurrent_case<float>(shape, 700, 5, 3);
    const auto many = gradients_of(c);
    const ThreadLimit limit(1);
    EXPECT_EQ(gradients_of(c), many);
  }
}

TEST(ParameterGradients, RefuseWrongLengths) {
  const auto c = testing::recurrent_case<float>({CellKind::rnn, Nonlinearity::tanh, 2, 3, 2}, 4, 2, 1);
  CellWeights<float> gradients;
  const auto hidden = c.gradients();
  EXPECT_THROW(parameter_gradients<float>(c.weights, c.states, {}, hidden, c.head, gradients), std::invalid_argument);
  EXPECT_THROW(parameter_gradients<float>(c.weights, c.states, c.inputs, {}, c.head, gradients), std::invalid_argument);
}

TEST(ParameterGradients, CountTheirProducts) {
  EXPECT_EQ(parameter_gradient_flops({CellKind::gru, Nonlinearity::tanh, 5, 20, 10}, 100, 2), 2U * 3 * 20 * 25 * 200);
}

TEST(Head, KnowsALossByHand) {
  const CellShape shape{CellKind::rnn, Nonlinearity::tanh, 1, 1, 2};
  auto weights = zero_weights<double>(shape);
  weights.w_head = {1, -1};
  // Logits 0.5 and -0.5: softmax 0.7310585786 and 0.2689414214.
  const std::vector<double> hidden{0.5};
  const auto head = run_head<double>(weights, hidden, std::vector<std::uint32_t>{1});
  EXPECT_NEAR(head.loss, 1.3132616875, 1e-9);
  EXPECT_EQ(head.correct, 0U);
  EXPECT_NEAR(head.logits_gradient[0], 0.7310585786, 1e-9);
  EXPECT_NEAR(head.logits_gradient[1], -0.7310585786, 1e-9);
  EXPECT_NEAR(head.hidden_gradient[0], 2 * 0.7310585786, 1e-9);
  EXPECT_EQ(run_head<double>(weights, hidden, std::vector<std::uint32_t>{0}).correct, 1U);
  EXPECT_THROW(static_cast<void>(run_head<double>(weights, hidden, std::vector<std::uint32_t>{2})),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(run_head<double>(weights, hidden, {})), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::parameter_gradients_test

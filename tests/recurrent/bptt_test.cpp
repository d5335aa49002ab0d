#include "upsweep/recurrent/bptt.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "recurrent/hidden_jacobians.hpp"
#include "recurrent/support.hpp"
#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

/// The mean loss of sequences that go on from these hidden states.
double loss_from(const testing::RecurrentCase<double>& c, std::size_t t, const std::vector<double>& hidden) {
  const std::size_t batch = c.states.batch;
  if (t == c.states.steps) return run_head<double>(c.weights, hidden, c.labels).loss;
  const std::vector<double> inputs(c.inputs.begin() + static_cast<std::ptrdiff_t>(t * batch * c.weights.shape.input),
                                   c.inputs.end());
  const auto states = run_forward<double>(c.weights, inputs, c.states.steps - t, batch, hidden);
  return run_head<double>(c.weights, states.at(states.steps), c.labels).loss;
}

TEST(Bptt, ReferenceIsThatOfFiniteDifferencesOfTheLoss) {
  constexpr double kStep = 1e-6;
  for (const CellShape& shape : testing::all_cells(2, 5, 4)) {
    const auto c = testing::recurrent_case<double>(shape, 6, 2, 23);
    auto gradients = c.gradients();
    bptt_reference<double>(c.weights, c.states, c.head.hidden_gradient, gradients);
    for (std::size_t t = 0; t <= 6; ++t) {
      for (std::size_t i = 0; i < 10; ++i) {
        std::vector<double> hidden(c.states.at(t).begin(), c.states.at(t).end());
        const double middle = hidden[i];
        hidden[i] = middle + kStep;
        const double above = loss_from(c, t, hidden);
        hidden[i] = middle - kStep;
        EXPECT_NEAR(gradients[t * 10 + i], (above - loss_from(c, t, hidden)) / (2 * kStep), 1e-8)
            << testing::describe(shape, t, i);
      }
    }
  }
}

TEST(Bptt, IsTheReferenceForAllSizes) {
  for (const std::size_t h : {1, 2, 7, 16, 20, 32, 40}) {
    for (const std::size_t batch : {1, 3, 16}) {
      for (const CellShape& shape : testing::all_cells(1, h, 3)) {
        const auto c = testing::recurrent_case<double>(shape, 12, batch, 5);
        auto want = c.gradients();
        auto found = c.gradients();
        bptt_reference<double>(c.weights, c.states, c.head.hidden_gradient, want);
        bptt<double>(c.weights, c.states, c.head.hidden_gradient, found);
        for (std::size_t i = 0; i < want.size(); ++i) {
          ASSERT_NEAR(found[i], want[i], 1e-14) << testing::describe(shape, 12, batch);
        }
      }
    }
  }
}

TEST(Bptt, IsTheProductOfTheJacobians) {
  for (const CellShape& shape : testing::all_cells(1, 6, 3)) {
    const auto c = testing::recurrent_case<double>(shape, 5, 2, 8);
    const auto jacobians = testing::hidden_jacobians(c.weights, c.states);
    auto found = c.gradients();
    bptt<double>(c.weights, c.states, c.head.hidden_gradient, found);
    for (std::size_t at = 0; at < 10; ++at) {
      for (std::size_t row = 0; row < 6; ++row) {
        double want = 0;
        for (std::size_t col = 0; col < 6; ++col) {
          want += jacobians[(at * 6 + row) * 6 + col] * found[(at + 2) * 6 + col];
        }
        EXPECT_NEAR(found[at * 6 + row], want, 1e-15);
      }
    }
  }
}

TEST(Bptt, DoesNotDependOnThreads) {
  for (const CellShape& shape : testing::all_cells(1, 20, 3)) {
    const auto c = testing::recurrent_case<float>(shape, 30, 11, 2);
    auto many = c.gradients();
    auto one = c.gradients();
    bptt<float>(c.weights, c.states, c.head.hidden_gradient, many);
    const ThreadLimit limit(1);
    bptt<float>(c.weights, c.states, c.head.hidden_gradient, one);
    EXPECT_EQ(many, one);
  }
}

TEST(Bptt, CountsItsProducts) {
  EXPECT_EQ(bptt_flops({CellKind::rnn, Nonlinearity::tanh, 1, 20, 10}, 30000, 16), 384'000'000U);
  EXPECT_EQ(bptt_flops({CellKind::gru, Nonlinearity::tanh, 1, 20, 10}, 1, 1), 2400U);
}

TEST(Bptt, RefusesWrongLengths) {
  const auto c = testing::recurrent_case<float>({CellKind::gru, Nonlinearity::tanh, 1, 4, 3}, 3, 2, 2);
  auto gradients = c.gradients();
  EXPECT_THROW(bptt<float>(c.weights, c.states, std::vector<float>(7), gradients), std::invalid_argument);
  gradients.pop_back();
  EXPECT_THROW(bptt<float>(c.weights, c.states, c.head.hidden_gradient, gradients), std::invalid_argument);
  auto states = c.states;
  states.m.pop_back();
  gradients.resize(states.hidden.size());
  EXPECT_THROW(bptt<float>(c.weights, states, c.head.hidden_gradient, gradients), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep

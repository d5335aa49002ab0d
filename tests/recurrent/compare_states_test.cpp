#include "upsweep/recurrent/compare_states.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "recurrent/support.hpp"

namespace upsweep::compare_states_test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kSeed = 11;

template <class T>
struct Batch {
  Batch(const CellShape& shape, std::size_t steps, std::size_t batch, double gain = 1)
      : weights(initial_weights<T>(shape, kSeed)),
        inputs(testing::uniform_numbers<T>(kSeed, "inputs", steps * batch * shape.input)) {
    for (T& w : weights.w_hh) w *= static_cast<T>(gain);
    states = run_forward<T>(weights, inputs, steps, batch);
  }

  [[nodiscard]] StateComparison compare() const { return compare_states<T>(weights, inputs, states); }

  CellWeights<T> weights;
  std::vector<T> inputs;
  ForwardStates<T> states;
};

TEST(CompareStates, AcceptsTheForwardPassOfEveryCell) {
  for (const std::size_t hidden : {1UL, 6UL, 40UL}) {
    for (const CellShape& shape : testing::all_cells(3, hidden, 2)) {
      SCOPED_TRACE(testing::describe(shape, 30, 4));
      const auto single = Batch<float>(shape, 30, 4).compare();
      EXPECT_EQ(single.mismatch.value_or(""), "") << "seed " << kSeed;
      EXPECT_GT(single.worst_share, 0.001) << "the bound is not far away from what rounding does";
      EXPECT_EQ(Batch<double>(shape, 30, 4).compare().mismatch.value_or(""), "") << "seed " << kSeed;
    }
  }
}

TEST(CompareStates, AcceptsAChaoticNetworkStepByStep) {
  const CellShape shape{CellKind::rnn, Nonlinearity::tanh, 1, 20, 2};
  const Batch<float> chaotic(shape, 400, 1, 12);
  const auto exact = run_forward<double>(to_double(chaotic.weights),
                                         std::vector<double>(chaotic.inputs.begin(), chaotic.inputs.end()), 400, 1);
  double apart = 0;
  for (std::size_t i = 0; i < 20; ++i)
    apart = std::max(apart, std::fabs(static_cast<double>(chaotic.states.at(400)[i]) - exact.at(400)[i]));
  EXPECT_GT(apart, 0.1) << "its state after 400 steps is another one in double precision";
  EXPECT_EQ(chaotic.compare().mismatch.value_or(""), "");
}

TEST(CompareStates, FindsAPerturbedStateAndNamesTheFirst) {
  for (const CellShape& shape : testing::all_cells(3, 6, 2)) {
    SCOPED_TRACE(testing::describe(shape, 30, 4));
    Batch<float> batch(shape, 30, 4);
    float& state = batch.states.hidden[std::size_t{17 * 4 + 2} * 6 + 5];
    state += 1e-4F;
    const StateComparison comparison = batch.compare();
    EXPECT_THAT(comparison.mismatch.value_or(""), HasSubstr("h_17 of sample 2: element 5 is"));
    EXPECT_GT(comparison.worst_share, 1);
    state = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(batch.compare().mismatch.value_or(""), HasSubstr("h_17 of sample 2: element 5 is nan"));
  }
}

TEST(CompareStates, FindsAWrongGate) {
  const CellShape shape{CellKind::gru, Nonlinearity::tanh, 2, 5, 2};
  const Batch<double> right(shape, 9, 3);
  for (auto ForwardStates<double>::*gate :
       {&ForwardStates<double>::r, &ForwardStates<double>::z, &ForwardStates<double>::n, &ForwardStates<double>::m}) {
    Batch<double> wrong = right;
    (wrong.states.*gate)[65] += 1e-9;  // 5 elements, 3 samples, 4 steps and one sample before
    EXPECT_THAT(wrong.compare().mismatch.value_or(""), HasSubstr("_5 of sample 1: element 0 is"));
  }
}

TEST(CompareStates, WantsAStartFromZeroAndFittingLengths) {
  const CellShape shape{CellKind::rnn, Nonlinearity::tanh, 2, 3, 2};
  Batch<float> batch(shape, 4, 2);
  EXPECT_THROW(static_cast<void>(compare_states<float>(batch.weights, std::span(batch.inputs).first(3), batch.states)),
               std::invalid_argument);
  batch.states.hidden[4] = 1e-30F;
  EXPECT_THAT(batch.compare().mismatch.value_or(""), HasSubstr("h_0 of sample 1: element 1"));
}

}  // namespace
}  // namespace upsweep::compare_states_test

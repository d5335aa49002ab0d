#include "upsweep/recurrent/outer_passes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "recurrent/support.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/recurrent/bptt.hpp"
#include "upsweep/recurrent/parameter_gradients.hpp"

namespace upsweep::outer_passes_test {
namespace {

constexpr std::uint64_t kSeed = 8;

TEST(OuterPasses, OnThisProcessorAreTheFunctionsAndServeManyBatches) {
  for (const CellShape& shape : testing::all_cells(3, 5, 4)) {
    for (const char* backend : {"cpu", "reference"}) {
      const auto forward = make_forward_pass<float>(recurrent_backend(backend).outer(), {shape, 7, 2, true});
      const auto parameters = make_parameter_pass<float>(recurrent_backend(backend).outer(), {shape, 7, 2, true});
      for (const std::uint64_t seed : {kSeed, kSeed + 1}) {
        const auto test = testing::recurrent_case<float>(shape, 7, 2, seed);
        ForwardStates<float> states;
        forward->load(test.weights, test.inputs, states);
        EXPECT_EQ(states.hidden.size(), 8U * 2 * 5) << "states get their lengths";
        EXPECT_GE(forward->run(), 0);
        forward->fetch();
        const auto expected = run_forward<float>(test.weights, test.inputs, 7, 2);
        EXPECT_EQ(states.hidden, expected.hidden);
        EXPECT_EQ(states.m, expected.m);
        std::vector<float> gradients = test.gradients();
        bptt<float>(test.weights, states, test.head.hidden_gradient, gradients);
        CellWeights<float> found;
        parameters->load(test.weights, states, test.inputs, gradients, test.head, found);
        EXPECT_GE(parameters->run(), 0);
        parameters->fetch();
        CellWeights<float> wanted;
        parameter_gradients<float>(test.weights, states, test.inputs, gradients, test.head, wanted);
        EXPECT_EQ(found, wanted);
      }
    }
  }
}

TEST(OuterPasses, NameAStateThatIsNotFiniteWhenItIsFetched) {
  const CellShape shape{CellKind::rnn, Nonlinearity::relu, 1, 2, 1};
  const auto weights = initial_weights<double>(shape, kSeed);
  std::vector<double> inputs(12);
  inputs[7] = std::numeric_limits<double>::quiet_NaN();
  const auto pass = make_forward_pass<double>(recurrent_backend("cpu").outer(), {shape, 6, 2, true});
  ForwardStates<double> states;
  pass->load(weights, inputs, states);
  static_cast<void>(pass->run());
  try {
    pass->fetch();
    FAIL() << "nothing was thrown";
  } catch (const NonFiniteState& error) {
    EXPECT_EQ(error.step(), 4U);
    EXPECT_EQ(error.sample(), 1U);
  }
  inputs[7] = 0;
  static_cast<void>(pass->run());
  EXPECT_NO_THROW(pass->fetch()) << "of the last run alone";
}

TEST(OuterPasses, RefuseWhatDoesNotFit) {
  const CellShape shape{CellKind::rnn, Nonlinearity::tanh, 2, 3, 1};
  const auto test = testing::recurrent_case<float>(shape, 4, 2, kSeed);
  EXPECT_THROW(static_cast<void>(make_forward_pass<float>(recurrent_backend("tpu").outer(), {shape, 4, 2, true})),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(make_parameter_pass<float>(recurrent_backend("cpu").outer(), {shape, 0, 2, true})),
               std::invalid_argument);
  const auto forward = make_forward_pass<float>(recurrent_backend("cpu").outer(), {shape, 5, 2, true});
  ForwardStates<float> states;
  EXPECT_THROW(forward->load(test.weights, test.inputs, states), std::invalid_argument) << "another length";
  const auto parameters = make_parameter_pass<float>(recurrent_backend("cpu").outer(), {shape, 5, 2, true});
  CellWeights<float> found;
  EXPECT_THROW(parameters->load(test.weights, test.states, test.inputs, test.gradients(), test.head, found),
               std::invalid_argument);
}

TEST(OuterPasses, SayWhereTheyRunAndWhyTheyDoNot) {
  EXPECT_EQ(recurrent_backend("cpu").outer().name(), "cpu");
  EXPECT_EQ(recurrent_backend("reference").outer().name(), "cpu");
  EXPECT_EQ(recurrent_backend("cuda").outer().name(), "cuda");
  EXPECT_EQ(recurrent_backend("cudnn").outer().name(), "cuda");
  EXPECT_THROW(static_cast<void>(recurrent_backend("tpu").outer().name()), std::invalid_argument);
  const PassShape shape{{CellKind::rnn, Nonlinearity::tanh, 2, 3, 1}, 4, 2, true};
  if (recurrent_backend("cuda").availability().available) GTEST_SKIP() << "there is a GPU";
  EXPECT_THROW(static_cast<void>(make_forward_pass<float>(recurrent_backend("cuda").outer(), shape)), BackendError);
  EXPECT_THROW(static_cast<void>(make_parameter_pass<double>(recurrent_backend("cudnn").outer(), shape)), BackendError);
}

}  // namespace
}  // namespace upsweep::outer_passes_test

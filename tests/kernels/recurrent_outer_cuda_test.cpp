#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "recurrent/support.hpp"
#include "recurrent_outer_plan.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/recurrent/bptt.hpp"
#include "upsweep/recurrent/compare_parameters.hpp"
#include "upsweep/recurrent/compare_states.hpp"
#include "upsweep/recurrent/outer_passes.hpp"

namespace upsweep::recurrent_outer_cuda_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::RecurrentCase;

constexpr std::uint64_t kSeed = 20240703;

template <class T>
PassShape shape_of(const RecurrentCase<T>& test) {
  return {test.weights.shape, test.states.steps, test.states.batch, true};
}

template <class T>
class RecurrentCudaOuter : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!recurrent_backend("cuda").availability().available)
      GTEST_SKIP() << recurrent_backend("cuda").availability().reason;
  }

  /// What is wrong with the states of the last of some runs.
  static std::string forward_fault(ForwardPass<T>& pass, const RecurrentCase<T>& test) {
    ForwardStates<T> states;
    pass.load(test.weights, test.inputs, states);
    for (int run = 0; run < 3; ++run) EXPECT_GT(pass.run(), 0);
    pass.fetch();
    return compare_states<T>(test.weights, test.inputs, states).mismatch.value_or("");
  }

  static CellWeights<T> parameters_of(ParameterPass<T>& pass, const RecurrentCase<T>& test, std::vector<T>& gradients) {
    gradients = test.gradients();
    bptt<T>(test.weights, test.states, test.head.hidden_gradient, gradients);
    CellWeights<T> found;
    pass.load(test.weights, test.states, test.inputs, gradients, test.head, found);
    for (int run = 0; run < 3; ++run) EXPECT_GT(pass.run(), 0);
    pass.fetch();
    return found;
  }

  static std::string parameter_fault(ParameterPass<T>& pass, const RecurrentCase<T>& test) {
    std::vector<T> gradients;
    const CellWeights<T> found = parameters_of(pass, test, gradients);
    const auto hidden = hidden_gradient_oracle<T>(test.weights, test.states, test.head.hidden_gradient);
    const auto oracle = parameter_oracle<T>(test.weights, test.states, test.inputs, hidden, test.head);
    return compare_parameters<T>(oracle, found).mismatch.value_or("");
  }
};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RecurrentCudaOuter, Numbers);

TYPED_TEST(RecurrentCudaOuter, BothAreRightForEveryCellAndSize) {
  for (const std::size_t hidden : {1, 7, 8, 13, 20, 22, 32, 33, 64, 70, 100}) {
    for (const std::size_t input : {1, 3, 38}) {
      for (const CellShape& shape : testing::all_cells(input, hidden, 3)) {
        const auto test = testing::recurrent_case<TypeParam>(shape, 17, 5, kSeed);
        SCOPED_TRACE(testing::describe(shape, 17, 5));
        const auto forward = make_forward_pass<TypeParam>(recurrent_backend("cuda").outer(), shape_of(test));
        EXPECT_EQ(forward->bytes(), kernels::cuda_forward_bytes(shape_of(test), sizeof(TypeParam)));
        EXPECT_EQ(this->forward_fault(*forward, test), "");
        const auto parameters = make_parameter_pass<TypeParam>(recurrent_backend("cuda").outer(), shape_of(test));
        EXPECT_EQ(parameters->bytes(), kernels::cuda_parameter_bytes(shape_of(test), sizeof(TypeParam)));
        EXPECT_EQ(this->parameter_fault(*parameters, test), "");
        EXPECT_THAT(parameters->notes(), IsEmpty()) << "a graph is captured";
        if (hidden <= 64) {
          EXPECT_THAT(forward->notes(), IsEmpty()) << "a graph is captured, no other kernels are taken";
        } else {
          EXPECT_THAT(forward->notes(), ::testing::ElementsAre(HasSubstr("slower than those for up to 64")));
        }
      }
    }
  }
}

TYPED_TEST(RecurrentCudaOuter, BothAreRightOverManyStepsAndTheSameOnEveryRun) {
  for (const CellShape& shape : testing::all_cells(2, 20, 2)) {
    if (shape.kind == CellKind::rnn && shape.nonlinearity == Nonlinearity::relu) continue;
    const auto test = testing::recurrent_case<TypeParam>(shape, 3000, 4, kSeed);
    const auto forward = make_forward_pass<TypeParam>(recurrent_backend("cuda").outer(), shape_of(test));
    EXPECT_EQ(this->forward_fault(*forward, test), "");
    const auto parameters = make_parameter_pass<TypeParam>(recurrent_backend("cuda").outer(), shape_of(test));
    EXPECT_EQ(this->parameter_fault(*parameters, test), "");
    std::vector<TypeParam> gradients;
    const auto first = this->parameters_of(*parameters, test, gradients);
    EXPECT_EQ(first, this->parameters_of(*parameters, test, gradients));
  }
}

TYPED_TEST(RecurrentCudaOuter, BothServeTheNextBatchWithTheSamePlan) {
  const CellShape shape{CellKind::gru, Nonlinearity::tanh, 2, 12, 3};
  const auto first = testing::recurrent_case<TypeParam>(shape, 40, 4, kSeed);
  const auto second = testing::recurrent_case<TypeParam>(shape, 40, 4, kSeed + 1);
  const auto forward = make_forward_pass<TypeParam>(recurrent_backend("cuda").outer(), shape_of(first));
  const auto parameters = make_parameter_pass<TypeParam>(recurrent_backend("cuda").outer(), shape_of(first));
  for (const auto* test : {&first, &second}) {
    EXPECT_EQ(this->forward_fault(*forward, *test), "");
    EXPECT_EQ(this->parameter_fault(*parameters, *test), "");
  }
}

TYPED_TEST(RecurrentCudaOuter, NamesTheFirstStateThatIsNotFinite) {
  for (const std::size_t hidden : {4, 70}) {
    for (const CellShape& shape : testing::all_cells(1, hidden, 1)) {
      std::vector<TypeParam> inputs(24);
      inputs[3 * 5 + 2] = std::numeric_limits<TypeParam>::quiet_NaN();  // x_6 of sample 2 of 3
      inputs[3 * 6 + 0] = std::numeric_limits<TypeParam>::quiet_NaN();  // x_7 of sample 0
      const auto pass = make_forward_pass<TypeParam>(recurrent_backend("cuda").outer(), {shape, 8, 3, true});
      ForwardStates<TypeParam> states;
      const auto weights = initial_weights<TypeParam>(shape, kSeed);
      pass->load(weights, inputs, states);
      static_cast<void>(pass->run());
      try {
        pass->fetch();
        FAIL() << "nothing was thrown";
      } catch (const NonFiniteState& error) {
        EXPECT_EQ(error.step(), 6U) << testing::describe(shape, 8, 3);
        EXPECT_EQ(error.sample(), 2U);
      }
    }
  }
}

TYPED_TEST(RecurrentCudaOuter, RefusesWhatDoesNotFitAndOtherShapes) {
  const CellShape wide{CellKind::rnn, Nonlinearity::tanh, 1, 1025, 2};
  EXPECT_THROW(static_cast<void>(make_forward_pass<TypeParam>(recurrent_backend("cuda").outer(), {wide, 3, 1, true})),
               std::invalid_argument);
  const PassShape huge{{CellKind::gru, Nonlinearity::tanh, 1, 64, 2}, 2000000, 200000, true};
  EXPECT_THROW(static_cast<void>(make_forward_pass<TypeParam>(recurrent_backend("cuda").outer(), huge)), BackendError);
  EXPECT_THROW(static_cast<void>(make_parameter_pass<TypeParam>(recurrent_backend("cuda").outer(), huge)),
               BackendError);
  const auto test = testing::recurrent_case<TypeParam>({CellKind::rnn, Nonlinearity::tanh, 1, 4, 2}, 6, 2, kSeed);
  const auto pass = make_forward_pass<TypeParam>(recurrent_backend("cuda").outer(), {test.weights.shape, 7, 2, true});
  ForwardStates<TypeParam> states;
  EXPECT_THROW(pass->load(test.weights, test.inputs, states), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::recurrent_outer_cuda_test

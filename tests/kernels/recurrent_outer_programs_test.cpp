#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/recurrent_outer_host.hpp"
#include "recurrent_outer_plan.hpp"
#include "upsweep/recurrent/bptt.hpp"
#include "upsweep/recurrent/compare_parameters.hpp"
#include "upsweep/recurrent/compare_states.hpp"
#include "upsweep/recurrent/parameter_gradients.hpp"

namespace upsweep::recurrent_outer_programs_test {
namespace {

using ::testing::HasSubstr;
using testing::RecurrentCase;

constexpr std::uint64_t kSeed = 20240702;

/// A case whose h_0 is 0, as planned forward passes have it.
template <class T>
RecurrentCase<T> case_from_zero(const CellShape& shape, std::size_t steps, std::size_t batch) {
  RecurrentCase<T> test = testing::recurrent_case<T>(shape, steps, batch, kSeed);
  test.states = run_forward<T>(test.weights, test.inputs, steps, batch);
  test.head = run_head<T>(test.weights, test.states.at(steps), test.labels);
  return test;
}

/// What is wrong with a forward pass by teams of kThreads.
template <class T, unsigned kThreads>
std::string forward_fault(const RecurrentCase<T>& test) {
  const std::size_t steps = test.states.steps;
  const auto found = testing::forward_on_host<T, kThreads>(test.weights, test.inputs, steps, test.states.batch);
  const StateComparison comparison = compare_states<T>(test.weights, test.inputs, found);
  const std::size_t kept = test.weights.shape.kind == CellKind::gru ? 4 * found.r.size() : 0;
  EXPECT_EQ(comparison.elements, found.hidden.size() + kept) << "none is left out";
  EXPECT_EQ(comparison.unbounded, 0U);
  return comparison.mismatch.value_or("");
}

/// The oracle of a case, from the gradients that back-propagation gives.
template <class T>
struct Expected {
  explicit Expected(const RecurrentCase<T>& given) : test(given), gradients(given.gradients()) {
    bptt<T>(test.weights, test.states, test.head.hidden_gradient, gradients);
    const HiddenGradientOracle hidden = hidden_gradient_oracle<T>(test.weights, test.states, test.head.hidden_gradient);
    oracle = parameter_oracle<T>(test.weights, test.states, test.inputs, hidden, test.head);
  }

  template <unsigned kThreads>
  [[nodiscard]] std::string fault() {
    return compare_parameters<T>(oracle, testing::parameters_on_host<T, kThreads>(test, gradients))
        .mismatch.value_or("");
  }

  const RecurrentCase<T>& test;
  std::vector<T> gradients;
  ParameterOracle oracle;
};

template <class T>
class RecurrentOuterPrograms : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RecurrentOuterPrograms, Numbers);

TYPED_TEST(RecurrentOuterPrograms, TheForwardPassIsTheCellForEverySize) {
  for (const std::size_t hidden : {1, 7, 8, 20, 33, 64, 70}) {
    for (const std::size_t input : {1, 3, 38}) {
      for (const CellShape& shape : testing::all_cells(input, hidden, 2)) {
        const std::size_t steps = input == 3 ? 17 : 2;
        const std::size_t batch = input == 38 ? 1 : 3;
        SCOPED_TRACE(testing::describe(shape, steps, batch));
        EXPECT_EQ((forward_fault<TypeParam, 1>(case_from_zero<TypeParam>(shape, steps, batch))), "");
      }
    }
  }
}

TYPED_TEST(RecurrentOuterPrograms, TheForwardPassIsThatOfTheProcessor) {
  constexpr double kClose = std::is_same_v<TypeParam, float> ? 1e-4 : 1e-12;
  for (const CellShape& shape : testing::all_cells(2, 13, 2)) {
    const auto test = case_from_zero<TypeParam>(shape, 9, 2);
    const auto found = testing::forward_on_host<TypeParam, 1>(test.weights, test.inputs, 9, 2);
    const auto expect_near = [&](const std::vector<TypeParam>& a, const std::vector<TypeParam>& b, const char* name) {
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], kClose) << name << ", seed " << kSeed;
    };
    expect_near(found.hidden, test.states.hidden, "h");
    expect_near(found.r, test.states.r, "r");
    expect_near(found.z, test.states.z, "z");
    expect_near(found.n, test.states.n, "n");
    expect_near(found.m, test.states.m, "m");
  }
}

TYPED_TEST(RecurrentOuterPrograms, OneStepIsAForwardPassToo) {
  for (const CellShape& shape : testing::all_cells(3, 7, 2))
    EXPECT_EQ((forward_fault<TypeParam, 1>(case_from_zero<TypeParam>(shape, 1, 1))), "");
}

TYPED_TEST(RecurrentOuterPrograms, ParameterGradientsAreRightForEverySize) {
  for (const std::size_t hidden : {1, 7, 8, 20, 33, 64, 70}) {
    for (const std::size_t input : {1, 38}) {
      for (const CellShape& shape : testing::all_cells(input, hidden, 3)) {
        if (hidden > 33 && input == 1 && shape.kind == CellKind::gru) continue;
        const std::size_t steps = input == 1 ? 17 : 2;
        SCOPED_TRACE(testing::describe(shape, steps, 3));
        const auto test = testing::recurrent_case<TypeParam>(shape, steps, 3, kSeed);
        EXPECT_EQ(Expected<TypeParam>(test).template fault<1>(), "");
      }
    }
  }
}

TYPED_TEST(RecurrentOuterPrograms, ParameterGradientsAreTheSumsOfSeveralParts) {
  for (const CellShape& shape : testing::all_cells(3, 7, 40)) {
    for (const auto& [steps, batch] : {std::pair<std::size_t, std::size_t>{1, 1}, {150, 1}, {3, 70}, {64, 2}}) {
      SCOPED_TRACE(testing::describe(shape, steps, batch));
      const auto test = testing::recurrent_case<TypeParam>(shape, steps, batch, kSeed);
      EXPECT_EQ(Expected<TypeParam>(test).template fault<1>(), "");
    }
  }
}

// Threads with barriers: under ThreadSanitizer a missing one is a data race.
TYPED_TEST(RecurrentOuterPrograms, AgreeWhereThreadsShareTheWork) {
  for (const std::size_t hidden : {3, 33, 66}) {
    for (const CellShape& shape : testing::all_cells(2, hidden, 2)) {
      if (hidden > 3 && shape.nonlinearity == Nonlinearity::relu) continue;
      if (hidden == 66 && shape.kind == CellKind::rnn) continue;
      SCOPED_TRACE(testing::describe(shape, 5, 1));
      const auto test = case_from_zero<TypeParam>(shape, 5, 1);
      EXPECT_EQ((forward_fault<TypeParam, 4>(test)), "");
      if (hidden > 3) continue;
      Expected<TypeParam> expected(test);
      EXPECT_EQ(expected.template fault<4>(), "");
      EXPECT_EQ((testing::parameters_on_host<TypeParam, 4>(test, expected.gradients)),
                (testing::parameters_on_host<TypeParam, 1>(test, expected.gradients)))
          << "sums have one order, whoever forms them";
    }
  }
}

TYPED_TEST(RecurrentOuterPrograms, TheFirstStepThatIsNotFiniteIsNamedWithItsFirstSample) {
  for (const std::size_t hidden : {1, 33, 70}) {
    for (const CellShape& shape : testing::all_cells(1, hidden, 1)) {
      if (hidden == 33 && shape.kind == CellKind::rnn) continue;
      std::vector<TypeParam> inputs(24);
      inputs[3 * 5 + 2] = std::numeric_limits<TypeParam>::quiet_NaN();  // x_6 of sample 2 of 3
      inputs[3 * 5 + 1] = std::numeric_limits<TypeParam>::quiet_NaN();  // and of sample 1
      inputs[3 * 6 + 0] = std::numeric_limits<TypeParam>::quiet_NaN();  // x_7 of sample 0
      const auto weights = initial_weights<TypeParam>(shape, kSeed);
      const auto fault = [&](const auto& run) {
        try {
          run();
        } catch (const NonFiniteState& error) {
          return std::pair(error.step(), error.sample());
        }
        return std::pair<std::size_t, std::size_t>();
      };
      const auto found =
          fault([&] { static_cast<void>(testing::forward_on_host<TypeParam, 1>(weights, inputs, 8, 3)); });
      EXPECT_EQ(found, (std::pair<std::size_t, std::size_t>(6, 1))) << testing::describe(shape, 8, 3);
      EXPECT_EQ(found, fault([&] { static_cast<void>(run_forward<TypeParam>(weights, inputs, 8, 3)); }));
    }
  }
}

TEST(RecurrentOuterProgramsComparison, CanFail) {
  const auto test = case_from_zero<float>({CellKind::gru, Nonlinearity::tanh, 2, 8, 3}, 6, 2);
  Expected<float> expected(test);
  EXPECT_EQ(expected.fault<1>(), "");
  for (float& g : std::span(expected.gradients).subspan(2 * 16, 16)) g *= 1.01F;
  EXPECT_THAT(expected.fault<1>(), HasSubstr("gradient of")) << "one step is a percent off";
}

TEST(RecurrentOuterPlan, EveryRowIsInOnePartAndPartialSumsStaySmall) {
  for (const std::size_t hidden : {1, 31, 32, 64, 1000}) {
    for (const auto& [steps, batch] : {std::pair<std::size_t, std::size_t>{1, 1}, {30000, 1}, {1000, 256}}) {
      const PassShape shape{{CellKind::gru, Nonlinearity::tanh, 38, hidden, 10}, steps, batch, true};
      const kernels::OuterPlan plan = kernels::outer_plan(shape);
      SCOPED_TRACE(testing::describe(shape.cell, steps, batch));
      std::uint64_t teams = 0;
      for (const kernels::OuterProduct& product : plan.products) {
        EXPECT_EQ(product.first_team, teams);
        EXPECT_GE(product.parts * product.rows_per_part, product.rows);
        EXPECT_LT((product.parts - 1) * product.rows_per_part, product.rows) << "no part is empty";
        EXPECT_EQ(product.rows_per_part % kernels::OuterProduct::kRowsPerSum, 0U);
        EXPECT_GE(product.tiles() * 32 * 32, product.sums());
        teams += product.parts * product.tiles();
      }
      EXPECT_EQ(plan.teams, teams);
      EXPECT_LE(plan.partials, std::max<std::uint64_t>(2048 * 1024, plan.sums) + plan.products[2].sums());
      EXPECT_EQ(plan.sums, 3 * hidden * (hidden + 1 + 38 + 1) + 10 * (hidden + 1));
    }
  }
}

TEST(RecurrentOuterPlan, SaysWhatIsNotSupportedAndHowManyBytesAreNeeded) {
  const PassShape small{{CellKind::rnn, Nonlinearity::tanh, 2, 3, 4}, 5, 6, true};
  EXPECT_EQ(kernels::unsupported_cuda_forward(small), "");
  // States, inputs, weights with a bias per sum; 8 bytes for each element's fault.
  EXPECT_EQ(kernels::cuda_forward_bytes(small, 4), 4U * (6 * 6 * 3 + 5 * 6 * 2 + 3 * (2 + 3 + 1)) + 8 * 6 * 3);
  // States, gradients, inputs, gradients of the logits, result; one partial sum for each.
  const std::uint64_t sums = 3 * 4 + 3 * 3 + 4 * 4;
  EXPECT_EQ(kernels::cuda_parameter_bytes(small, 8), 8U * (2 * 6 * 6 * 3 + 5 * 6 * 2 + 6 * 4 + sums) + 8 * sums);
  PassShape wide = small;
  wide.cell.hidden = kernels::kMostHidden + 1;
  EXPECT_THAT(kernels::unsupported_cuda_forward(wide), HasSubstr("1025 hidden elements, accepted are up to 1024"));
}

}  // namespace
}  // namespace upsweep::recurrent_outer_programs_test

#include "upsweep/learning/network_gradients.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "support/random.hpp"
#include "upsweep/jacobian/forward.hpp"

namespace upsweep::network_gradients_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Vector = std::vector<double>;

struct Case {
  const char* name;
  OperatorKind kind;
  Shape input;
};

std::vector<Case> cases() {
  return {{"plain convolution", Conv2d{3, {3, 3}}, {2, 6, 5}},
          {"everything at once", Conv2d{6, {3, 2}, {1, 2}, {2, 1}, {2, 1}, 2}, {4, 8, 9}},
          {"stride beyond the kernel", Conv2d{2, {2, 1}, {3, 4}, {0, 0}}, {3, 10, 11}},
          {"padding beyond the stride", Conv2d{2, {5, 3}, {2, 1}, {4, 2}}, {1, 4, 6}},
          {"kernel as wide as the padded image", Conv2d{2, {5, 7}, {1, 1}, {1, 2}}, {2, 3, 3}},
          {"taps that meet padding alone", Conv2d{1, {2, 3}, {5, 5}, {1, 3}, {1, 4}}, {1, 3, 4}},
          {"one group per channel", Conv2d{4, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 4, false}, {4, 5, 4}},
          {"pointwise", Conv2d{5, {1, 1}}, {3, 2, 3}},
          {"linear", Linear{7}, {13}},
          {"linear without bias", Linear{1, false}, {5}},
          {"batch normalisation", BatchNorm2d{0.1, true}, {3, 4, 5}}};
}

class NetworkGradients : public testing::SeededTest {
 protected:
  Vector normals(std::size_t count) {
    Vector numbers(count);
    for (double& number : numbers) number = normal();
    return numbers;
  }

  /// An operator with random weights, all written out, and two samples.
  struct Setting {
    Network network;
    NetworkWeights weights;
    std::vector<Vector> inputs;
    std::vector<Vector> upstreams;

    [[nodiscard]] const Operator& op() const { return network.operators()[0]; }
    [[nodiscard]] std::vector<OperatorSample> samples() const {
      std::vector<OperatorSample> samples;
      for (std::size_t s = 0; s < inputs.size(); ++s) samples.push_back({inputs[s], upstreams[s]});
      return samples;
    }
    [[nodiscard]] ParameterGradients gradients() const { return operator_gradients(op(), weights[0], samples()); }
    /// A loss whose gradients with respect to the outputs are the upstreams.
    [[nodiscard]] double loss() const {
      double sum = 0;
      for (std::size_t s = 0; s < inputs.size(); ++s) {
        const Vector output = forward(op(), weights[0], inputs[s]);
        for (std::size_t i = 0; i < output.size(); ++i) sum += output[i] * upstreams[s][i];
      }
      return sum;
    }
  };

  Setting random_setting(const Case& a_case) {
    Setting setting{Network(a_case.input, {{"op", a_case.kind, {}}}), NetworkWeights(1), {}, {}};
    write_out_parameters(setting.network, setting.weights);
    OperatorWeights& weights = setting.weights[0];
    const Operator& op = setting.op();
    if (const auto shape = weight_shape(op.kind, op.in_shape)) weights.values = normals(elements(*shape));
    for (double& bias : weights.bias) bias = normal();
    if (std::holds_alternative<BatchNorm2d>(op.kind)) {
      weights.running_mean = normals(op.in_shape[0]);
      for (std::size_t c = 0; c < op.in_shape[0]; ++c) weights.running_var.push_back(0.5 + std::fabs(normal()));
    }
    for (int s = 0; s < 2; ++s) {
      setting.inputs.push_back(normals(elements(op.in_shape)));
      setting.upstreams.push_back(normals(elements(op.out_shape)));
    }
    return setting;
  }
};

/// Differences of a loss that is linear in every parameter: exact but for rounding.
void expect_differences(Vector& parameters, const Vector& gradient, const auto& loss) {
  constexpr double kStep = 0.5;
  ASSERT_EQ(parameters.size(), gradient.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double middle = std::exchange(parameters[i], parameters[i] + kStep);
    const double above = loss();
    parameters[i] = middle - kStep;
    const double below = loss();
    parameters[i] = middle;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * kStep), 1e-10) << "parameter " << i;
  }
}

TEST_F(NetworkGradients, AreThoseOfFiniteDifferencesForEveryKindAndOddShapes) {
  for (const Case& a_case : cases()) {
    SCOPED_TRACE(a_case.name);
    Setting setting = random_setting(a_case);
    const ParameterGradients gradients = setting.gradients();
    const auto loss = [&] { return setting.loss(); };
    expect_differences(setting.weights[0].values, gradients.values, loss);
    expect_differences(setting.weights[0].bias, gradients.bias, loss);
  }
}

TEST_F(NetworkGradients, ThatComparisonSeesAWrongGradient) {
  Setting setting = random_setting(cases()[1]);
  const Vector right = setting.gradients().values;
  setting.upstreams[0][0] += 0.01;
  EXPECT_NE(setting.gradients().values, right);
}

TEST_F(NetworkGradients, OfPrunedWeightsAreZeroAndTheOthersUnchanged) {
  for (const Case& a_case : cases()) {
    if (!weight_shape(a_case.kind, a_case.input)) continue;
    SCOPED_TRACE(a_case.name);
    Setting setting = random_setting(a_case);
    const Vector all = setting.gradients().values;
    OperatorWeights& weights = setting.weights[0];
    for (std::size_t i = 0; i < all.size(); ++i) weights.kept.push_back(i % 3 == 0 ? 0 : 1);
    const Vector masked = setting.gradients().values;
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(masked[i], i % 3 == 0 ? 0 : all[i]);
  }
}

TEST_F(NetworkGradients, AreEmptyWhereThereAreNoParameters) {
  const std::vector<Case> without = {{"tanh", Tanh{}, {3}},
                                     {"pooling", AvgPool2d{{2, 2}, {2, 2}}, {1, 4, 4}},
                                     {"normalisation without scales", BatchNorm2d{1e-5, false}, {2, 2, 2}}};
  for (const Case& a_case : without) {
    SCOPED_TRACE(a_case.name);
    const ParameterGradients gradients = random_setting(a_case).gradients();
    EXPECT_FALSE(has_parameters({"op", a_case.kind, a_case.input, {}}));
    EXPECT_THAT(gradients.values, IsEmpty());
    EXPECT_THAT(gradients.bias, IsEmpty());
  }
}

TEST_F(NetworkGradients, NameWhatHasTheWrongLength) {
  Setting setting = random_setting(cases()[8]);
  setting.inputs[1].pop_back();
  try {
    static_cast<void>(setting.gradients());
    FAIL() << "nothing was thrown";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("linear 'op': an input of 12 numbers, accepted are 13"));
  }
}

TEST_F(NetworkGradients, ParametersThatAModelLeavesOutAreWrittenOut) {
  const Network network({2, 3, 3}, {{"conv", Conv2d{4, {2, 2}}, {}},
                                    {"norm", BatchNorm2d{}, {}},
                                    {"bare", Conv2d{3, {1, 1}, {1, 1}, {0, 0}, {1, 1}, 1, false}, {}}});
  NetworkWeights weights(3);
  write_out_parameters(network, weights);
  EXPECT_EQ(weights[0].bias, Vector(4, 0));
  EXPECT_EQ(weights[1].bias, Vector(4, 0));
  EXPECT_EQ(weights[1].values, Vector(4, 1));
  EXPECT_THAT(weights[2].bias, IsEmpty());
}

}  // namespace
}  // namespace upsweep::network_gradients_test

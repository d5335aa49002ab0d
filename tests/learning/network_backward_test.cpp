#include "upsweep/learning/network_backward.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "support/random.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"
#include "upsweep/learning/network_gradients.hpp"
#include "upsweep/validate/direct_backprop.hpp"

namespace upsweep::network_backward_test {
namespace {

using Vector = std::vector<double>;

/// Every kind of operator, in one chain.
Network every_kind() {
  const std::vector<OperatorKind> kinds = {Conv2d{6, {3, 2}, {1, 2}, {2, 1}, {2, 1}, 2},
                                           BatchNorm2d{},
                                           Relu{},
                                           Conv2d{4, {2, 3}, {1, 1}, {1, 1}},
                                           LeakyRelu{0.2},
                                           MaxPool2d{{3, 2}, {2, 1}, {1, 1}, {1, 1}, true},
                                           Elu{0.7},
                                           AvgPool2d{{2, 3}, {1, 2}, {1, 1}, true, false},
                                           Gelu{false},
                                           Silu{},
                                           AdaptiveAvgPool2d{{2, 3}},
                                           Flatten{},
                                           Linear{13},
                                           Tanh{},
                                           Dropout{},
                                           Linear{7},
                                           Sigmoid{}};
  std::vector<OperatorSpec> specs;
  for (const OperatorKind& kind : kinds) specs.push_back({"op" + std::to_string(specs.size()), kind, {}});
  return {{4, 8, 9}, specs};
}

class NetworkBackward : public testing::SeededTest {
 protected:
  Vector normals(std::size_t count) {
    Vector numbers(count);
    for (double& number : numbers) number = normal();
    return numbers;
  }

  void draw_weights() {
    weights.assign(network.operators().size(), {});
    write_out_parameters(network, weights);
    for (std::size_t o = 0; o < weights.size(); ++o) {
      const Operator& op = network.operators()[o];
      if (const auto shape = weight_shape(op.kind, op.in_shape)) {
        weights[o].values = normals(elements(*shape));
        for (double& w : weights[o].values) {
          weights[o].kept.push_back(chance(0.7) ? 1 : 0);
          if (weights[o].kept.back() == 0) w = 0;
        }
      }
      for (double& bias : weights[o].bias) bias = normal();
    }
  }

  /// A batch, forward, with random gradients of the loss.
  void start(std::size_t samples) {
    draw_weights();
    SampleVectors images;
    for (std::size_t s = 0; s < samples; ++s) images.push_back(normals(elements(network.input())));
    inputs = forward_batch(network, weights, images);
    gradients.assign(inputs.size(), {});
    for (std::size_t s = 0; s < samples; ++s) gradients.back().push_back(normals(7));
  }

  /// Gradients of sample s by the oracle.
  [[nodiscard]] DirectGradients direct(std::size_t s) const {
    std::vector<Vector> of_sample;
    of_sample.reserve(inputs.size());
    for (const SampleVectors& vectors : inputs) of_sample.push_back(vectors[s]);
    return direct_backprop(network, weights, of_sample, gradients.back()[s]);
  }

  /// `roundoff`: times the sum of all paths' absolute values, what cancels in a derivative included.
  void expect_direct(double roundoff) const {
    for (std::size_t s = 0; s < inputs[0].size(); ++s) {
      const DirectGradients accepted = direct(s);
      for (std::size_t i = 1; i < inputs.size(); ++i) {
        ASSERT_EQ(gradients[i][s].size(), accepted.gradient[i].size()) << "link " << i;
        for (std::size_t e = 0; e < gradients[i][s].size(); ++e) {
          EXPECT_NEAR(gradients[i][s][e], accepted.gradient[i][e], roundoff * accepted.magnitude[i][e])
              << "link " << i << ", element " << e;
        }
      }
    }
  }

  Network network = every_kind();
  NetworkWeights weights;
  BatchVectors inputs;
  BatchVectors gradients;
};

TEST_F(NetworkBackward, ForwardOfABatchIsThatOfItsSamples) {
  start(3);
  for (std::size_t s = 0; s < 3; ++s) {
    const std::vector<Vector> alone = link_inputs(network, weights, inputs[0][s]);
    ASSERT_EQ(alone.size(), inputs.size());
    for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(inputs[i][s], alone[i]) << "link " << i;
  }
}

TEST_F(NetworkBackward, PlainGradientsAreThoseOfTheOracleForEveryKind) {
  start(3);
  plain_backward(network)(weights, inputs, gradients);
  expect_direct(0);
}

TEST_F(NetworkBackward, ScansGiveTheGradientsOfTheOracleForEveryKind) {
  for (const std::string schedule : {"linear", "hybrid:1", "hybrid:2", "blelloch"}) {
    SCOPED_TRACE(schedule);
    start(2);
    ScanBackward<double>(network, weights, schedule).run(weights, inputs, gradients);
    expect_direct(1e-13);
    ScanBackward<float>(network, weights, schedule).run(weights, inputs, gradients);
    expect_direct(1e-5);
  }
}

TEST_F(NetworkBackward, OnePlanServesOtherWeightsAndBatches) {
  start(2);
  ScanBackward<double> scan(network, weights, "blelloch");
  scan.run(weights, inputs, gradients);
  for (OperatorWeights& of_operator : weights) {
    for (double& w : of_operator.values) w *= 1.5;
    for (double& bias : of_operator.bias) bias -= 0.25;
  }
  inputs = forward_batch(network, weights, {inputs[0][1], inputs[0][0], normals(288)});
  gradients.back().push_back(normals(7));
  scan.run(weights, inputs, gradients);
  expect_direct(1e-13);
}

TEST_F(NetworkBackward, LossIsTheMeanCrossEntropyAndItsGradientThatOfDifferences) {
  SampleVectors outputs = {{0.5, -1, 2}, {1000, 0, 1000}};
  const std::vector<std::uint32_t> labels = {1, 2};
  const BatchLoss loss = batch_loss(outputs, labels);
  const double first = std::log(std::exp(0.5) + std::exp(-1) + std::exp(2)) + 1;
  EXPECT_NEAR(loss.mean, (first + std::log(2)) / 2, 1e-14);
  EXPECT_EQ(loss.correct, 0U) << "of equal outputs the first counts";
  constexpr double kStep = 1e-5;
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t i = 0; i < 3; ++i) {
      const double middle = std::exchange(outputs[s][i], outputs[s][i] + kStep);
      const double above = batch_loss(outputs, labels).mean;
      outputs[s][i] = middle - kStep;
      const double below = batch_loss(outputs, labels).mean;
      outputs[s][i] = middle;
      EXPECT_NEAR(loss.gradients[s][i], (above - below) / (2 * kStep), 1e-8);
    }
  }
  EXPECT_EQ(batch_loss(outputs, std::vector<std::uint32_t>{2, 0}).correct, 2U);
  EXPECT_THROW(static_cast<void>(batch_loss(outputs, std::vector<std::uint32_t>{1, 3})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(batch_loss(outputs, std::vector<std::uint32_t>{1})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(batch_loss({}, {})), std::invalid_argument);
}

TEST_F(NetworkBackward, AScanWritesOnlyNumbersThatChange) {
  start(1);
  const ScanBackward<float> scan(network, weights, "linear");
  std::uint64_t per_sample = 0;
  std::uint64_t per_iteration = 0;
  for (const std::size_t o : network.links()) {
    if (o == network.links().front()) continue;  // nothing needs the gradient of the images
    const Operator& op = network.operators()[o];
    const std::uint64_t nnz = guaranteed_pattern(op, weights[o]).nnz();
    const bool is_norm = std::holds_alternative<BatchNorm2d>(op.kind);
    if (std::holds_alternative<MaxPool2d>(op.kind) || (is_elementwise(op.kind) && !is_norm)) {
      per_sample += nnz;
    } else if (!std::visit([]<class K>(const K&) { return PoolingOperator<K>; }, op.kind)) {
      per_iteration += nnz;
    }
  }
  EXPECT_EQ(scan.values_per_sample(), per_sample);
  EXPECT_EQ(scan.values_per_iteration(), per_iteration);
  EXPECT_GT(scan.bytes(), (per_sample + per_iteration) * sizeof(float));
}

TEST_F(NetworkBackward, UnknownSchedulesAndOtherBatchesAreRejected) {
  start(2);
  for (const std::string name : {"bp", "hybrid", "hybrid:-1", "hybrid:1x", "Linear", ""})
    EXPECT_THROW(ScanBackward<float>(network, weights, name), std::invalid_argument) << name;
  EXPECT_THROW((void)network_backward_name("bptt"), std::invalid_argument);
  ScanBackward<float> scan(network, weights, "linear");
  gradients.back().pop_back();
  EXPECT_THROW(scan.run(weights, inputs, gradients), std::invalid_argument);
  EXPECT_THROW(plain_backward(network)(weights, inputs, gradients), std::invalid_argument);
  gradients.back().emplace_back(3);
  EXPECT_THROW(scan.run(weights, inputs, gradients), std::invalid_argument);
}

TEST(NetworkBackwardName, IsOneForAllThatMeanTheSame) {
  for (const std::string name : {"bp", "linear", "blelloch", "hybrid:3"}) EXPECT_EQ(network_backward_name(name), name);
  EXPECT_EQ(network_backward_name("hybrid:0"), "linear");
  EXPECT_EQ(network_backward_name("hybrid:03"), "hybrid:3");
  EXPECT_EQ(network_backward_name("hybrid:4294967295"), "blelloch");
}

}  // namespace
}  // namespace upsweep::network_backward_test

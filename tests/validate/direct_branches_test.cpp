#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "support/jacobian_values.hpp"
#include "support/random.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/validate/direct_backprop.hpp"
#include "upsweep/validate/direct_gradient.hpp"

// Direct back-propagation through networks with branches; direct_backprop_test.cpp has the operators.

namespace upsweep::direct_branches_test {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;
using Vector = std::vector<double>;

OperatorWeights with_values(const Vector& values) {
  OperatorWeights weights;
  weights.values = values;
  return weights;
}

/// Row-major.
struct Dense {
  std::size_t rows = 0;
  std::size_t cols = 0;
  Vector entries;

  [[nodiscard]] double& at(std::size_t r, std::size_t c) { return entries[r * cols + c]; }
  [[nodiscard]] double at(std::size_t r, std::size_t c) const { return entries[r * cols + c]; }
};

Dense zeros(std::size_t rows, std::size_t cols) { return {rows, cols, Vector(rows * cols)}; }

Dense identity(std::size_t size) {
  Dense result = zeros(size, size);
  for (std::size_t i = 0; i < size; ++i) result.at(i, i) = 1;
  return result;
}

/// x · y, every intermediate result rounded to T.
template <class T>
Dense multiply(const Dense& x, const Dense& y) {
  Dense product = zeros(x.rows, y.cols);
  for (std::size_t r = 0; r < x.rows; ++r) {
    for (std::size_t c = 0; c < y.cols; ++c) {
      T sum = 0;
      for (std::size_t k = 0; k < x.cols; ++k) sum += static_cast<T>(x.at(r, k)) * static_cast<T>(y.at(k, c));
      product.at(r, c) = static_cast<double>(sum);
    }
  }
  return product;
}

Dense absolute(Dense matrix) {
  for (double& entry : matrix.entries) entry = std::fabs(entry);
  return matrix;
}

/// The transposed Jacobians of a network's operators with respect to each of their inputs, as dense matrices.
class DenseJacobians {
 public:
  DenseJacobians(const Network& network, const NetworkWeights& weights, const Vector& x) : network_(network) {
    const std::vector<Vector> outputs = activations(network, weights, x);
    for (std::size_t o = 0; o < network.operators().size(); ++o) {
      const Operator& op = network.operators()[o];
      std::vector<Dense>& mine = of_.emplace_back();
      std::size_t offset = 0;
      for (const std::size_t source : network.inputs_of(o)) {
        const std::size_t count = elements(network.shape_of(source));
        Dense jacobian = zeros(count, elements(op.out_shape));
        for (std::size_t i = 0; i < count; ++i) {
          if (is_view(op.kind) || is_join(op.kind)) jacobian.at(i, offset + i) = 1;
        }
        if (std::holds_alternative<Concat>(op.kind)) offset += count;
        if (!is_view(op.kind) && !is_join(op.kind))
          fill(testing::jacobian_values(op, weights[o], source == kNetworkInput ? x : outputs[source]), jacobian);
        mine.push_back(std::move(jacobian));
      }
    }
  }

  /// Doubles the entry of operator `o` that hands back most of the loss gradient.
  void damage(std::size_t o, const Vector& loss) {
    const Dense upstream = multiply<double>(sum_over_paths<double>(o), {loss.size(), 1, loss});
    const auto handed = [&](std::size_t i) {
      return std::fabs(of_[o][0].entries[i] * upstream.entries[i % of_[o][0].cols]);
    };
    std::size_t most = 0;
    for (std::size_t i = 0; i < of_[o][0].entries.size(); ++i) most = handed(i) > handed(most) ? i : most;
    of_[o][0].entries[most] *= 2;
  }

  /// Sum over all paths from activation `from` to the network's output of the products of their Jacobians, from the
  /// end of each path on, rounded to T; with `absolutes` of their absolute values.
  template <class T>
  [[nodiscard]] Dense sum_over_paths(std::size_t from, bool absolutes = false) const {
    const std::size_t last = network_.operators().size() - 1;
    if (from == last) return identity(elements(network_.operators()[last].out_shape));
    Dense sum = zeros(elements(network_.shape_of(from)), elements(network_.operators()[last].out_shape));
    for (std::size_t o = from == kNetworkInput ? 0 : from + 1; o <= last; ++o) {
      for (std::size_t k = 0; k < network_.inputs_of(o).size(); ++k) {
        if (network_.inputs_of(o)[k] != from) continue;
        const Dense first = absolutes ? absolute(of_[o][k]) : of_[o][k];
        const Dense path = multiply<T>(first, sum_over_paths<T>(o, absolutes));
        for (std::size_t i = 0; i < sum.entries.size(); ++i) {
          sum.entries[i] =
              static_cast<double>(static_cast<T>(static_cast<T>(sum.entries[i]) + static_cast<T>(path.entries[i])));
        }
      }
    }
    return sum;
  }

 private:
  static void fill(const CsrMatrix<double>& from, Dense& to) {
    for (std::size_t r = 0; r < to.rows; ++r) {
      for (std::uint64_t at = from.pattern.indptr[r]; at < from.pattern.indptr[r + 1]; ++at)
        to.at(r, from.pattern.indices[at]) = from.values[at];
    }
  }

  const Network& network_;
  std::vector<std::vector<Dense>> of_;  // by operator and input
};

/// A residual block with a projection, as in ResNet.
Network residual() {
  return {{2, 4, 4},
          {{"stem", Conv2d{3, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"a", Conv2d{4, {3, 3}, {2, 2}, {1, 1}}, {}},
           {"norm", BatchNorm2d{}, {}},
           {"tanh", Tanh{}, {}},
           {"drop", Dropout{}, {}},
           {"b", Conv2d{4, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"short", Conv2d{4, {1, 1}, {2, 2}}, {{"stem"}}},
           {"sum", Add{}, {{"b", "short"}}},
           {"silu", Silu{}, {}},
           {"c", Conv2d{4, {1, 1}}, {}},
           {"again", Add{}, {{"silu", "c", "silu"}}},
           {"flat", Flatten{}, {}},
           {"fc", Linear{3}, {}}}};
}

/// A dense block whose layers read all before them.
Network densely_connected() {
  return {{2, 3, 3},
          {{"a", Conv2d{2, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"ab", Concat{}, {{"input", "a"}}},
           {"elu", Elu{}, {}},
           {"b", Conv2d{2, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"abc", Concat{}, {{"input", "a", "b"}}},
           {"gelu", Gelu{}, {}},
           {"c", Conv2d{1, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"all", Concat{}, {{"c", "input", "b", "a"}}},
           {"pool", AdaptiveAvgPool2d{{1, 1}}, {}}}};
}

/// An inception module, with a pooling, and an output that is the join itself.
Network inception() {
  return {{2, 4, 4},
          {{"stem", LeakyRelu{0.2}, {}},
           {"one", Conv2d{1, {1, 1}}, {}},
           {"reduce", Conv2d{2, {1, 1}}, {{"stem"}}},
           {"sigmoid", Sigmoid{}, {}},
           {"three", Conv2d{2, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"five", Conv2d{1, {5, 5}, {1, 1}, {2, 2}}, {{"stem"}}},
           {"pool", MaxPool2d{{3, 3}, {1, 1}, {1, 1}}, {{"stem"}}},
           {"all", Concat{}, {{"one", "three", "five", "pool"}}}}};
}

TEST(DirectBackpropWithBranches, AddsWhatAnOutputIsHandedBackByItsReaders) {
  const Network network({2}, {{"w", Linear{2, false}, {}}, {"sum", Add{}, {{"w", "input"}}}});
  const NetworkWeights weights = {with_values({1, 2, -3, 4}), {}};
  const DirectGradients got = direct_backprop(network, weights, {{0, 0}, {0, 0}}, Vector{10, 100});
  EXPECT_EQ(got.gradient, (std::vector<Vector>{{10 - 300 + 10, 20 + 400 + 100}, {10, 100}}));
  EXPECT_THAT(got.magnitude[0], Pointwise(DoubleNear(1e-30), Vector{10 + 300 + 10, 20 + 400 + 100}));
  // Deviations of the branches, the roots of sums of squares, are added: both carry the errors of one gradient. None is
  // less than its gradient.
  EXPECT_THAT(got.deviation[0], Pointwise(DoubleNear(1e-12), Vector{std::hypot(10, 300) + 10, 520}));
}

TEST(DirectBackpropWithBranches, HandsEachInputOfAConcatItsPart) {
  const Network network({1}, {{"w", Linear{2, false}, {}}, {"all", Concat{}, {{"input", "w", "input"}}}});
  const NetworkWeights weights = {with_values({5, -7}), {}};
  const DirectGradients got = direct_backprop(network, weights, {{0}, Vector(4)}, Vector{1, 10, 100, 1000});
  EXPECT_EQ(got.gradient[0], Vector{1 + 50 - 700 + 1000});
  EXPECT_THAT(got.magnitude[0], Pointwise(DoubleNear(1e-30), Vector{1 + 50 + 700 + 1000}));
}

TEST(DirectBackpropWithBranches, NeverLosesAnErrorThatBranchesShare) {
  // Eight times the same branch: an error of the loss gradient arrives eight times, not the square root of it.
  const Network network({1}, {{"relu", Relu{}, {}}, {"sum", Add{}, std::vector<std::string>(8, "relu")}});
  const DirectGradients got = direct_backprop(network, NetworkWeights(2), {{1}, {1}, {8}}, Vector{3});
  EXPECT_NEAR(got.deviation[0][0], 24, 1e-12);
  // Also where the branches cancel.
  const Network canceling({1}, {{"minus", Linear{1, false}, {}}, {"sum", Add{}, {{"minus", "input"}}}});
  const DirectGradients zero = direct_backprop(canceling, {with_values({-1}), {}}, {{1}, {0}}, Vector{3});
  EXPECT_EQ(zero.gradient[0][0], 0);
  EXPECT_NEAR(zero.deviation[0][0], 6, 1e-12);
  EXPECT_NEAR(zero.magnitude[0][0], 6, 1e-12);
}

TEST(DirectBackpropWithBranches, RefusesWrongLengthsInsideBlocks) {
  const Network network = residual();
  const auto message = [&](const NetworkWeights& weights, const std::vector<Vector>& inputs) {
    try {
      static_cast<void>(direct_backprop(network, weights, inputs, Vector(3)));
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  NetworkWeights weights(network.operators().size());
  for (std::size_t o = 0; o < weights.size(); ++o) {
    const Operator& op = network.operators()[o];
    if (const auto shape = weight_shape(op.kind, op.in_shape)) weights[o].values.assign(elements(*shape), 1);
  }
  std::vector<Vector> inputs = link_inputs(network, weights, Vector(32));
  EXPECT_EQ(message(weights, inputs), "accepted");
  weights[6].values.pop_back();
  EXPECT_EQ(message(weights, inputs), "weights of conv2d 'short': 11 numbers, accepted are 12");
  weights[6].values.push_back(1);
  inputs[1].pop_back();
  EXPECT_EQ(message(weights, inputs), "input of the block that ends in add 'sum': 47 numbers, accepted are 48");
}

class DirectBranchesTest : public testing::SeededTest {
 protected:
  Vector normals(std::size_t count) {
    Vector x(count);
    for (double& element : x) element = normal();
    return x;
  }

  NetworkWeights random_weights(const Network& network) {
    NetworkWeights weights;
    for (const Operator& op : network.operators()) {
      OperatorWeights& mine = weights.emplace_back();
      if (const auto shape = weight_shape(op.kind, op.in_shape)) {
        mine.values = normals(elements(*shape));
        for (double& weight : mine.values) weight = chance(0.3) ? 0 : weight / 2;
        mine.bias = normals((*shape)[0]);
      }
    }
    return weights;
  }

  /// A graph of linear layers with at most 4 features, joined at random; every output is read.
  Network random_graph() {
    std::vector<OperatorSpec> specs;
    std::vector<std::pair<std::string, std::size_t>> unread = {{kInputName, 2}};
    std::vector<std::pair<std::string, std::size_t>> all = unread;
    const auto put = [&](const OperatorKind& kind, std::vector<std::string> inputs, std::size_t features) {
      for (const std::string& input : inputs)
        std::erase_if(unread, [&](const auto& output) { return output.first == input; });
      specs.push_back({"op" + std::to_string(specs.size()), kind, std::move(inputs)});
      all.emplace_back(specs.back().name, features);
      unread.push_back(all.back());
    };
    for (std::uint64_t count = between(2, 6); count > 0; --count) {
      const auto& [name, features] = all[between(0, all.size() - 1)];
      const auto& [other, more] = all[between(0, all.size() - 1)];
      if (features == more && chance(0.4)) {
        put(Add{}, {name, other}, features);
      } else if (features + more <= 4 && chance(0.4)) {
        put(Concat{}, {other, name}, features + more);
      } else {
        const std::uint64_t out = between(1, 3);
        put(Linear{out, false}, {name}, out);
      }
    }
    if (unread.size() > 1 || specs.empty()) {
      std::vector<std::string> inputs;
      for (const auto& output : unread) inputs.push_back(output.first);
      put(Concat{}, inputs, 0);
    }
    return {{2}, specs};
  }

  static void expect_bounds_cover_gradient(const DirectGradients& got) {
    for (std::size_t i = 0; i < got.gradient.size(); ++i) {
      ASSERT_EQ(got.gradient[i].size(), got.magnitude[i].size());
      ASSERT_EQ(got.gradient[i].size(), got.deviation[i].size());
      for (std::size_t k = 0; k < got.gradient[i].size(); ++k) {
        EXPECT_LE(std::fabs(got.gradient[i][k]), got.magnitude[i][k]);
        EXPECT_LE(std::fabs(got.gradient[i][k]), got.deviation[i][k]);
        EXPECT_GT(got.magnitude[i][k], 0);
        EXPECT_GT(got.deviation[i][k], 0);
      }
    }
  }

  /// Gradient at the network's input against central differences of <loss, output>.
  void expect_differences(const Network& network) {
    constexpr double kStep = 1e-5;
    const NetworkWeights weights = random_weights(network);
    Vector x = normals(elements(network.input()));
    for (double& element : x) element += element < 0 ? -0.01 : 0.01;  // off the kink
    const std::vector<Vector> inputs = link_inputs(network, weights, x);
    const Vector loss = normals(inputs.back().size());
    const DirectGradients got = direct_backprop(network, weights, inputs, loss);
    EXPECT_EQ(got.gradient.back(), loss);
    expect_bounds_cover_gradient(got);
    const auto value = [&] {
      const Vector output = activations(network, weights, x).back();
      double sum = 0;
      for (std::size_t o = 0; o < output.size(); ++o) sum += loss[o] * output[o];
      return sum;
    };
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double middle = x[i];
      x[i] = middle + kStep;
      const double above = value();
      x[i] = middle - kStep;
      const double below = value();
      x[i] = middle;
      EXPECT_NEAR(got.gradient[0][i], (above - below) / (2 * kStep), 1e-6 * (1 + got.magnitude[0][i])) << i;
    }
  }

  /// Largest |sum over paths in type T - direct| / (unit roundoff · bound) over all links.
  template <class T>
  static double largest_error(const Network& network, const DenseJacobians& jacobians, const DirectGradients& direct,
                              const std::vector<Vector>& bound) {
    const Dense loss{direct.gradient.back().size(), 1, direct.gradient.back()};
    double largest = 0;
    for (std::size_t i = 0; i < network.links().size(); ++i) {
      const Dense block = jacobians.sum_over_paths<T>(network.link(i).input);
      const Dense other = multiply<T>(block, loss);
      for (std::size_t k = 0; k < other.rows; ++k) {
        const double error = std::fabs(other.entries[k] - direct.gradient[i][k]);
        largest = std::max(largest, 2 * error / (static_cast<double>(std::numeric_limits<T>::epsilon()) * bound[i][k]));
      }
    }
    return largest;
  }
};

TEST_F(DirectBranchesTest, EqualsFiniteDifferences) {
  for (int round = 0; round < 3; ++round) {
    expect_differences(residual());
    expect_differences(densely_connected());
  }
}

TEST_F(DirectBranchesTest, EqualsFiniteDifferencesThroughAMaxPooling) {
  const Network network = inception();
  // Inputs apart from each other: no tie and no kink within a difference's step.
  const NetworkWeights weights = random_weights(network);
  Vector x(32);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = (static_cast<double>(i) + 0.3) / 8 - 2;
  for (std::size_t i = x.size(); i > 1; --i) std::swap(x[i - 1], x[between(0, i - 1)]);
  const std::vector<Vector> inputs = link_inputs(network, weights, x);
  const Vector loss = normals(inputs.back().size());
  const DirectGradients got = direct_backprop(network, weights, inputs, loss);
  expect_bounds_cover_gradient(got);
  for (std::size_t i = 0; i < x.size(); ++i) {
    Vector above = x;
    Vector below = x;
    above[i] += 1e-5;
    below[i] -= 1e-5;
    const Vector high = activations(network, weights, above).back();
    const Vector low = activations(network, weights, below).back();
    double want = 0;
    for (std::size_t o = 0; o < loss.size(); ++o) want += loss[o] * (high[o] - low[o]) / 2e-5;
    EXPECT_NEAR(got.gradient[0][i], want, 1e-6 * (1 + got.magnitude[0][i])) << i;
  }
}

TEST_F(DirectBranchesTest, EqualsTheSumOverPathsByDefinition) {
  for (int round = 0; round < 60; ++round) {
    const Network network = random_graph();
    const NetworkWeights weights = random_weights(network);
    const Vector x(2, 1.0);
    const std::vector<Vector> inputs = link_inputs(network, weights, x);
    const Vector loss = normals(inputs.back().size());
    const DirectGradients direct = direct_backprop(network, weights, inputs, loss);
    expect_bounds_cover_gradient(direct);
    const DenseJacobians jacobians(network, weights, x);
    EXPECT_LT(largest_error<double>(network, jacobians, direct, direct.magnitude), 32);
    for (std::size_t i = 0; i < network.links().size(); ++i) {
      const Dense paths = jacobians.sum_over_paths<double>(network.link(i).input, true);
      const Dense want = multiply<double>(paths, absolute({loss.size(), 1, loss}));
      EXPECT_THAT(direct.magnitude[i], Pointwise(::testing::DoubleNear(1e-9 * (1 + want.entries[0])), want.entries));
    }
  }
}

TEST_F(DirectBranchesTest, BoundsTheErrorsOfBlocksThatAreFormedInSinglePrecision) {
  // 1000 seeds gave 3.7 and 5.0 at most, and 6e4 with a wrong number at least.
  constexpr double kMagnitudes = 32;
  constexpr double kDeviations = 32;
  // With a convolution inside a block of each, which reads what enters the block.
  const std::vector<std::pair<Network, std::size_t>> cases = {
      {residual(), 6}, {densely_connected(), 0}, {inception(), 5}};
  for (const auto& [network, inside] : cases) {
    const NetworkWeights weights = random_weights(network);
    const Vector x = normals(elements(network.input()));
    const std::vector<Vector> inputs = link_inputs(network, weights, x);
    const DirectGradients direct = direct_backprop(network, weights, inputs, normals(inputs.back().size()));
    DenseJacobians jacobians(network, weights, x);
    EXPECT_LT(largest_error<float>(network, jacobians, direct, direct.magnitude), kMagnitudes);
    EXPECT_LT(largest_error<float>(network, jacobians, direct, direct.deviation), kDeviations);
    // The same comparisons notice one wrong number.
    jacobians.damage(inside, direct.gradient.back());
    EXPECT_GT(largest_error<float>(network, jacobians, direct, direct.magnitude), kMagnitudes);
    EXPECT_GT(largest_error<float>(network, jacobians, direct, direct.deviation), kDeviations);
  }
}

TEST_F(DirectBranchesTest, IsStepByStepBackPropagationWhereThereAreNoBranches) {
  const Network network({2, 4, 4}, {{"a", Conv2d{3, {3, 3}, {1, 1}, {1, 1}}, {}},
                                    {"tanh", Tanh{}, {}},
                                    {"pool", MaxPool2d{{2, 2}, {2, 2}}, {}},
                                    {"flat", Flatten{}, {}},
                                    {"fc", Linear{3}, {}}});
  const NetworkWeights weights = random_weights(network);
  const std::vector<Vector> inputs = link_inputs(network, weights, normals(32));
  const DirectGradients got = direct_backprop(network, weights, inputs, normals(3));
  for (std::size_t i = 0; i < network.links().size(); ++i) {
    const std::size_t o = network.links()[i];
    EXPECT_EQ(got.gradient[i], direct_gradient(network.operators()[o], weights[o], inputs[i], got.gradient[i + 1]));
  }
  EXPECT_THROW(static_cast<void>(direct_gradient({"s", Add{}, {2}, {2}}, {}, Vector(2), Vector(2))),
               std::invalid_argument);
}

TEST_F(DirectBranchesTest, DoesNotDependOnTheNumberOfThreads) {
  const Network network = residual();
  const NetworkWeights weights = random_weights(network);
  const std::vector<Vector> inputs = link_inputs(network, weights, normals(elements(network.input())));
  const Vector loss = normals(3);
  const DirectGradients many = direct_backprop(network, weights, inputs, loss);
  const ThreadLimit one(1);
  const DirectGradients single = direct_backprop(network, weights, inputs, loss);
  EXPECT_EQ(single.gradient, many.gradient);
  EXPECT_EQ(single.magnitude, many.magnitude);
  EXPECT_EQ(single.deviation, many.deviation);
}

}  // namespace
}  // namespace upsweep::direct_branches_test

#include "upsweep/validate/direct_backprop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "support/finite_differences.hpp"
#include "support/jacobian_values.hpp"
#include "support/random.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/jacobian/patterns.hpp"

namespace upsweep::direct_backprop_test {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

using Vector = std::vector<double>;

/// Gradient and magnitude at the input of a network of one operator (and at the loss).
DirectGradients through(const OperatorKind& kind, const Shape& in, const OperatorWeights& weights, const Vector& x,
                        const Vector& loss_gradient) {
  const Network network(in, {{"op", kind, {}}});
  return direct_backprop(network, {weights}, link_inputs(network, {weights}, x), loss_gradient);
}

Vector gradient_through(const OperatorKind& kind, const Shape& in, const OperatorWeights& weights, const Vector& x,
                        const Vector& loss_gradient) {
  return through(kind, in, weights, x, loss_gradient).gradient[0];
}

OperatorWeights with_values(const Vector& values) {
  OperatorWeights weights;
  weights.values = values;
  return weights;
}

double slope_at(const OperatorKind& kind, double x) { return gradient_through(kind, {1}, {}, {x}, {1})[0]; }

TEST(DirectBackprop, OfLinearIsTheTransposedProduct) {
  const DirectGradients got = through(Linear{2}, {2}, with_values({1, -2, 3, 4}), {7, 8}, {5, -1});
  EXPECT_EQ(got.gradient, (std::vector<Vector>{{2, -14}, {5, -1}}));
  EXPECT_THAT(got.magnitude[0], Pointwise(DoubleNear(1e-30), Vector{8, 14}));
  EXPECT_THAT(got.magnitude[1], Pointwise(DoubleNear(1e-30), Vector{5, 1}));
}

TEST(DirectBackprop, OfConvolutionsEqualsHandComputedValues) {
  const Vector loss = {10, 100};
  // (0, a), (b, c)
  EXPECT_EQ(gradient_through(Conv2d{1, {1, 2}, {1, 2}, {0, 1}}, {1, 1, 3}, with_values({2, 3}), {0, 0, 0}, loss),
            (Vector{30, 200, 300}));
  // (a, d), (b, e)
  EXPECT_EQ(
      gradient_through(Conv2d{1, {1, 2}, {1, 1}, {0, 0}, {1, 3}}, {1, 1, 5}, with_values({2, 3}), Vector(5), loss),
      (Vector{20, 200, 0, 30, 300}));
  EXPECT_EQ(
      gradient_through(Conv2d{2, {1, 1}, {1, 1}, {0, 0}, {1, 1}, 2}, {2, 1, 1}, with_values({2, -3}), {0, 0}, loss),
      (Vector{20, -300}));
  // A column: y and x are not mixed up.
  EXPECT_EQ(gradient_through(Conv2d{1, {2, 1}}, {1, 3, 1}, with_values({2, 3}), Vector(3), loss),
            (Vector{20, 230, 300}));
}

TEST(DirectBackprop, OfConvolutionAddsAbsoluteValuesInItsMagnitude) {
  const DirectGradients got = through(Conv2d{1, {1, 2}}, {1, 1, 3}, with_values({2, -3}), Vector(3), {10, 100});
  EXPECT_EQ(got.gradient[0], (Vector{20, 170, -300}));
  EXPECT_THAT(got.magnitude[0], Pointwise(DoubleNear(1e-30), Vector{20, 230, 300}));
}

TEST(DirectBackprop, GivesTiedMaximaToTheFirstInTheWindow) {
  EXPECT_EQ(gradient_through(MaxPool2d{{1, 2}, {1, 2}}, {1, 1, 4}, {}, {4, 4, 4, 4}, {10, 100}),
            (Vector{10, 0, 100, 0}));
  EXPECT_EQ(gradient_through(MaxPool2d{{2, 2}, {2, 2}}, {1, 2, 2}, {}, {1, 5, 5, 5}, {10}), (Vector{0, 10, 0, 0}));
  EXPECT_EQ(gradient_through(MaxPool2d{{2, 2}, {2, 2}}, {1, 2, 2}, {}, {0.0, -0.0, 0.0, -1}, {10}),
            (Vector{10, 0, 0, 0}));
}

TEST(DirectBackprop, OfMaxPoolingIgnoresThePaddingAndAddsOverlaps) {
  EXPECT_EQ(gradient_through(MaxPool2d{{1, 2}, {1, 1}, {0, 1}}, {1, 1, 2}, {}, {-5, -3}, {1, 10, 100}),
            (Vector{1, 110}));
  EXPECT_EQ(gradient_through(MaxPool2d{{2, 2}, {1, 1}}, {1, 3, 3}, {}, {0, 0, 0, 0, 9, 0, 0, 0, 0}, {1, 10, 100, 1000}),
            (Vector{0, 0, 0, 0, 1111, 0, 0, 0, 0}));
  // Windows (a, c), (c, beyond).
  EXPECT_EQ(gradient_through(MaxPool2d{{1, 2}, {1, 2}, {0, 0}, {1, 2}, true}, {1, 1, 4}, {}, {1, 9, 3, 9}, {1, 10}),
            (Vector{0, 0, 11, 0}));
}

TEST(DirectBackprop, OfAveragePoolingDividesAsPyTorchDoes) {
  const auto gradient = [](const AvgPool2d& pool, std::size_t in, const Vector& loss) {
    return gradient_through(pool, {1, 1, in}, {}, Vector(in), loss);
  };
  EXPECT_EQ(gradient({{1, 2}, {1, 2}, {0, 1}}, 2, {2, 4}), (Vector{1, 2})) << "(0, a), (b, 0)";
  EXPECT_EQ(gradient({{1, 2}, {1, 2}, {0, 1}, false, false}, 2, {2, 4}), (Vector{2, 4}));
  EXPECT_EQ(gradient({{1, 2}, {1, 2}, {0, 1}, false, false, 8}, 2, {2, 4}), (Vector{0.25, 0.5}));
  EXPECT_EQ(gradient({{1, 2}, {1, 2}}, 3, {2}), (Vector{1, 1, 0}));
  EXPECT_EQ(gradient({{1, 2}, {1, 2}, {0, 0}, true}, 3, {2, 4}), (Vector{1, 1, 4})) << "(a, b), (c, beyond)";
  EXPECT_EQ(gradient({{1, 2}, {1, 2}, {0, 0}, true, true, 2}, 3, {2, 4}), (Vector{1, 1, 2}));
  // (0, a, b), (b, c, d), (d, 0, beyond): what lies beyond the padding never counts.
  EXPECT_EQ(gradient({{1, 3}, {1, 2}, {0, 1}, true}, 4, {6, 60, 600}), (Vector{2, 22, 20, 320}));
  EXPECT_EQ(gradient({{1, 3}, {1, 2}, {0, 1}, true, false}, 4, {6, 60, 600}), (Vector{3, 23, 20, 620}));
}

TEST(DirectBackprop, OfAdaptivePoolingSharesBinsThatOverlap) {
  EXPECT_EQ(gradient_through(AdaptiveAvgPool2d{{1, 2}}, {1, 1, 3}, {}, Vector(3), {2, 4}), (Vector{1, 3, 2}));
  EXPECT_EQ(gradient_through(AdaptiveAvgPool2d{{3, 1}}, {1, 2, 1}, {}, Vector(2), {1, 2, 4}), (Vector{2, 5}));
  EXPECT_EQ(gradient_through(AdaptiveAvgPool2d{{1, 1}}, {2, 2, 2}, {}, Vector(8), {4, 8}),
            (Vector{1, 1, 1, 1, 2, 2, 2, 2}));
}

TEST(DirectBackprop, OfActivationsEqualsKnownDerivatives) {
  EXPECT_EQ(gradient_through(Relu{}, {4}, {}, {-1, 0, -0.0, 2}, {3, 3, 3, 3}), (Vector{0, 0, 0, 3}));
  EXPECT_EQ(gradient_through(LeakyRelu{0.25}, {3}, {}, {-1, 0, 2}, {8, 8, 8}), (Vector{2, 2, 8}));
  EXPECT_EQ(gradient_through(Elu{2}, {3}, {}, {-std::log(2.0), 0, 5}, {3, 3, 3}), (Vector{3, 6, 3}));
  EXPECT_EQ(slope_at(Sigmoid{}, 0), 0.25);
  EXPECT_NEAR(slope_at(Sigmoid{}, std::log(3)), 0.1875, 1e-15);
  EXPECT_EQ(slope_at(Tanh{}, 0), 1);
  EXPECT_NEAR(slope_at(Tanh{}, -std::log(2)), 0.64, 1e-15);
  EXPECT_EQ(slope_at(Silu{}, 0), 0.5);
  EXPECT_NEAR(slope_at(Silu{}, std::log(3)), 0.75 + std::log(3) * 0.1875, 1e-15);
  EXPECT_EQ(slope_at(Gelu{false}, 0), 0.5);
  EXPECT_NEAR(slope_at(Gelu{false}, 1), 1.0833154705876864, 1e-15) << "Φ(1) + φ(1)";
  EXPECT_NEAR(slope_at(Gelu{false}, -1), -0.0833154705876864, 1e-15);
  EXPECT_EQ(slope_at(Gelu{true}, 0), 0.5);
}

TEST(DirectBackprop, OfActivationsStaysFiniteAndRightFarFromZero) {
  for (const double far : {40.0, 1e3, 1e160, 1e300}) {
    for (const OperatorKind& kind : std::vector<OperatorKind>{Gelu{false}, Gelu{true}, Silu{}}) {
      EXPECT_DOUBLE_EQ(slope_at(kind, far), 1) << canonical_text(kind) << far;
      EXPECT_NEAR(slope_at(kind, -far), 0, 1e-15) << canonical_text(kind) << -far;
    }
    for (const OperatorKind& kind : std::vector<OperatorKind>{Tanh{}, Sigmoid{}}) {
      EXPECT_NEAR(slope_at(kind, far), 0, 1e-15) << canonical_text(kind) << far;
      EXPECT_NEAR(slope_at(kind, -far), 0, 1e-15) << canonical_text(kind) << -far;
    }
    EXPECT_NEAR(slope_at(Elu{2}, -far), 0, 1e-15);
  }
  EXPECT_NEAR(slope_at(Sigmoid{}, 50) * std::exp(50), 1, 1e-14) << "no cancellation in the oracle itself";
  EXPECT_NEAR(slope_at(Tanh{}, 25) * std::exp(50), 4, 1e-14);
}

TEST(DirectBackprop, OfActivationsHasAMagnitudeThatCoversCancellation) {
  const auto magnitude = [](const OperatorKind& kind, double x) {
    return through(kind, {1}, {}, {x}, {1}).magnitude[0][0];
  };
  EXPECT_NEAR(magnitude(Tanh{}, 20), 2, 1e-12);
  EXPECT_NEAR(magnitude(Sigmoid{}, 40), 2, 1e-12);
  EXPECT_NEAR(magnitude(Silu{}, 0), 0.5, 1e-12);
  EXPECT_NEAR(magnitude(Gelu{false}, 0), 0.5, 1e-12);
  EXPECT_NEAR(magnitude(Gelu{false}, -1), 1 - 0.8413447460685429 + 1.5 * 0.24197072451914337, 1e-12);
  EXPECT_NEAR(magnitude(Relu{}, 3), 1, 1e-12);
}

TEST(DirectBackprop, OfActivationsCoversTheRoundingOfOtherFormulas) {
  Vector x;
  for (int i = -40000; i <= 40000; ++i) x.push_back(i * 1e-3 + 1e-4);
  const Vector loss(x.size(), 1);
  for (const OperatorKind& kind : std::vector<OperatorKind>{Relu{}, LeakyRelu{0.3}, Elu{1.3}, Gelu{false}, Gelu{true},
                                                            Silu{}, Tanh{}, Sigmoid{}}) {
    const Shape shape = {x.size()};
    const DirectGradients got = through(kind, shape, {}, x, loss);
    const CsrMatrix<double> other = testing::jacobian_values({"op", kind, shape, shape}, {}, x);
    ASSERT_EQ(other.values.size(), x.size());
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      largest = std::max(largest, std::fabs(other.values[i] - got.gradient[0][i]) / got.magnitude[0][i]);
    EXPECT_LT(largest, 8 * std::numeric_limits<double>::epsilon()) << canonical_text(kind);
  }
}

TEST(DirectBackprop, OfBatchNormIsTheScalePerChannel) {
  OperatorWeights weights = with_values({6, -1});
  weights.running_var = {3, 0};
  const DirectGradients got = through(BatchNorm2d{1}, {2, 1, 2}, weights, Vector(4), {1, 2, 3, 4});
  EXPECT_EQ(got.gradient[0], (Vector{3, 6, -3, -4}));
  EXPECT_THAT(got.magnitude[0], Pointwise(DoubleNear(1e-30), Vector{3, 6, 3, 4}));
  EXPECT_EQ(gradient_through(BatchNorm2d{0}, {1, 1, 2}, {}, Vector(2), {1, 2}), (Vector{1, 2}));
}

TEST(DirectBackprop, PassesViewsOn) {
  const Network network({1, 2, 2}, {{"drop", Dropout{}, {}},
                                    {"relu", Relu{}, {}},
                                    {"flat", Flatten{}, {}},
                                    {"fc", Linear{1}, {}},
                                    {"last", Dropout{}, {}}});
  NetworkWeights weights(5);
  weights[3].values = {1, 2, 3, 4};
  const DirectGradients got =
      direct_backprop(network, weights, link_inputs(network, weights, Vector{1, -1, 1, 1}), Vector{2});
  EXPECT_EQ(got.gradient, (std::vector<Vector>{{2, 0, 6, 8}, {2, 4, 6, 8}, {2}}));
}

TEST(DirectBackprop, HasTheRootOfTheSquaresAsDeviationButNoLessThanTheGradient) {
  // d = (1 * 25 + 9 * 1, 4 * 25 + 16 * 1), gradient (2, -14).
  const DirectGradients got = through(Linear{2}, {2}, with_values({1, -2, 3, 4}), {7, 8}, {5, -1});
  EXPECT_THAT(got.deviation[0], Pointwise(DoubleNear(1e-14), Vector{std::sqrt(34.0), 14}));
  EXPECT_THAT(got.deviation[1], Pointwise(DoubleNear(1e-30), Vector{5, 1}));
}

TEST(DirectBackprop, NeverHasAZeroMagnitude) {
  constexpr double kSmallest = std::numeric_limits<float>::min();
  const DirectGradients got = through(Relu{}, {2}, {}, {-1, 1}, {0, 0});
  EXPECT_EQ(got.gradient[0], (Vector{0, 0}));
  EXPECT_EQ(got.magnitude, (std::vector<Vector>{{kSmallest, 2 * kSmallest}, {kSmallest, kSmallest}}));
}

TEST(DirectBackprop, CoversWhatUnderflowsInAProductOfJacobians) {
  const Network network({1}, {{"a", Linear{1}, {}}, {"b", Linear{1}, {}}, {"c", Linear{1}, {}}});
  const NetworkWeights weights(3, with_values({1e-15}));
  const DirectGradients got = direct_backprop(network, weights, link_inputs(network, weights, Vector{1}), Vector{1e30});
  const auto w = static_cast<float>(1e-15);
  const double product = static_cast<double>(w * w * w) * static_cast<double>(1e30F);
  const double difference = std::fabs(product - got.gradient[0][0]);
  const double roundoff = std::numeric_limits<float>::epsilon() / 2;
  EXPECT_GT(difference, 6 * roundoff * got.gradient[0][0]) << "the test is about an underflow";
  EXPECT_LT(difference, 6 * roundoff * got.magnitude[0][0]);
}

TEST(DirectBackprop, CountsOneCancellationAtATime) {
  std::vector<OperatorSpec> specs;
  for (int i = 0; i < 100; ++i) specs.push_back({"tanh" + std::to_string(i), Tanh{}, {}});
  const Network network({1}, specs);
  const NetworkWeights weights(specs.size());
  const std::vector<Vector> inputs = link_inputs(network, weights, Vector{2});
  const DirectGradients got = direct_backprop(network, weights, inputs, Vector{1});
  double factor = 1;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const double t2 = std::pow(std::tanh(inputs[i][0]), 2);
    factor += 2 * t2 / (1 - t2);
  }
  EXPECT_NEAR(got.magnitude[0][0], factor * got.gradient[0][0], 1e-9 * got.magnitude[0][0]);
}

TEST(DirectBackprop, RefusesWrongLengths) {
  const Network network({1, 1, 2}, {{"norm", BatchNorm2d{}, {}}, {"flat", Flatten{}, {}}, {"fc", Linear{2}, {}}});
  NetworkWeights weights(3);
  weights[2].values = {1, 2, 3, 4};
  const std::vector<Vector> inputs = link_inputs(network, weights, Vector{1, 2});
  const auto message = [&](const NetworkWeights& some_weights, const std::vector<Vector>& some_inputs,
                           const Vector& loss) {
    try {
      static_cast<void>(direct_backprop(network, some_weights, some_inputs, loss));
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(weights, inputs, {1, 2}), "");
  EXPECT_EQ(message(weights, inputs, {1}), "loss gradient: 1 numbers, accepted are 2");
  EXPECT_THAT(message({}, inputs, {1, 2}), HasSubstr("weights of 0 operators, accepted are those of 3"));
  EXPECT_THAT(message(weights, {{1, 2}}, {1, 2}), HasSubstr("1 activations"));
  EXPECT_EQ(message(weights, {{1, 2}, {1}, {1, 2}}, {1, 2}), "input of linear 'fc': 1 numbers, accepted are 2");
  EXPECT_THAT(message(weights, {{1, 2}, {1, 2}, {1}}, {1, 2}), HasSubstr("output of the network: 1"));
  NetworkWeights wrong = weights;
  wrong[2].values.clear();
  EXPECT_EQ(message(wrong, inputs, {1, 2}), "weights of linear 'fc': 0 numbers, accepted are 4");
  wrong = weights;
  wrong[0].values = {1, 2};
  EXPECT_THAT(message(wrong, inputs, {1, 2}), HasSubstr("scales of batchnorm2d 'norm': 2"));
  wrong = weights;
  wrong[0].running_var = {1, 2};
  EXPECT_THAT(message(wrong, inputs, {1, 2}), HasSubstr("running variances of batchnorm2d 'norm': 2"));
}

/// Row-major.
struct Dense {
  std::size_t rows = 0;
  std::size_t cols = 0;
  Vector entries;
};

Dense to_dense(const CsrMatrix<double>& matrix) {
  Dense dense{matrix.pattern.rows, matrix.pattern.cols, Vector(std::size_t{matrix.pattern.rows} * matrix.pattern.cols)};
  for (std::size_t r = 0; r < dense.rows; ++r) {
    for (std::uint64_t at = matrix.pattern.indptr[r]; at < matrix.pattern.indptr[r + 1]; ++at)
      dense.entries[r * dense.cols + matrix.pattern.indices[at]] = matrix.values[at];
  }
  return dense;
}

/// The product with every intermediate result rounded to T.
template <class T>
Dense multiply(const Dense& x, const Dense& y) {
  Dense product{x.rows, y.cols, Vector(x.rows * y.cols)};
  for (std::size_t r = 0; r < x.rows; ++r) {
    for (std::size_t c = 0; c < y.cols; ++c) {
      T sum = 0;
      for (std::size_t k = 0; k < x.cols; ++k)
        sum += static_cast<T>(x.entries[r * x.cols + k]) * static_cast<T>(y.entries[k * y.cols + c]);
      product.entries[r * y.cols + c] = static_cast<double>(sum);
    }
  }
  return product;
}

class DirectBackpropTest : public testing::SeededTest {
 protected:
  PerAxis pair(std::uint64_t low, std::uint64_t high) { return {between(low, high), between(low, high)}; }

  Vector normals(std::size_t count) {
    Vector x(count);
    for (double& element : x) element = normal();
    return x;
  }

  /// Numbers in [-2, 2] in random order, apart from each other and from 0: no kink and no tie within a difference's
  /// step.
  Vector separated(std::size_t count) {
    Vector x(count);
    for (std::size_t i = 0; i < count; ++i) x[i] = 4 * (static_cast<double>(i) + 0.3) / static_cast<double>(count) - 2;
    for (std::size_t i = count; i > 1; --i) std::swap(x[i - 1], x[between(0, i - 1)]);
    return x;
  }

  /// Random weights, some of them zero.
  OperatorWeights random_weights(const Operator& op) {
    OperatorWeights weights;
    if (const auto shape = weight_shape(op.kind, op.in_shape)) {
      weights.values = normals(elements(*shape));
      for (double& w : weights.values) {
        if (chance(0.4)) w = 0;
        weights.kept.push_back(w != 0 ? 1 : 0);
      }
      weights.bias = normals((*shape)[0]);
    }
    if (std::holds_alternative<BatchNorm2d>(op.kind)) {
      weights.values = normals(op.in_shape[0]);
      weights.bias = normals(op.in_shape[0]);
      weights.running_mean = normals(op.in_shape[0]);
      for (std::size_t c = 0; c < op.in_shape[0]; ++c) weights.running_var.push_back(0.5 + std::fabs(normal()));
    }
    return weights;
  }

  NetworkWeights random_weights(const Network& network) {
    NetworkWeights weights;
    for (const Operator& op : network.operators()) weights.push_back(random_weights(op));
    return weights;
  }

  static void expect_magnitude_covers_gradient(const DirectGradients& got) {
    for (std::size_t i = 0; i < got.gradient.size(); ++i) {
      ASSERT_EQ(got.gradient[i].size(), got.magnitude[i].size());
      ASSERT_EQ(got.gradient[i].size(), got.deviation[i].size());
      for (std::size_t k = 0; k < got.gradient[i].size(); ++k) {
        EXPECT_LE(std::fabs(got.gradient[i][k]), got.magnitude[i][k]);
        EXPECT_GT(got.magnitude[i][k], 0);
        EXPECT_LE(std::fabs(got.gradient[i][k]), got.deviation[i][k]);
        EXPECT_GT(got.deviation[i][k], 0);
      }
    }
  }

  /// Gradient through one operator against central differences of its forward pass.
  void expect_differences(const OperatorKind& kind, const Shape& in) {
    const Network network(in, {{"op", kind, {}}});
    const Operator& op = network.operators()[0];
    const NetworkWeights weights = random_weights(network);
    const Vector x = separated(elements(in));
    const Vector loss = normals(elements(op.out_shape));
    const Vector transposed = testing::transposed_jacobian_by_differences(op, weights[0], x);
    const DirectGradients got = direct_backprop(network, weights, link_inputs(network, weights, x), loss);
    EXPECT_EQ(got.gradient[1], loss);
    ASSERT_EQ(got.gradient[0].size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      double want = 0;
      for (std::size_t o = 0; o < loss.size(); ++o) want += transposed[i * loss.size() + o] * loss[o];
      EXPECT_NEAR(got.gradient[0][i], want, 1e-6 * (1 + got.magnitude[0][i]))
          << canonical_text(kind) << ", input " << i;
    }
    expect_magnitude_covers_gradient(got);
  }

  /// A network with every kind of operator.
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
                                             AvgPool2d{{2, 2}, {2, 2}, {1, 0}, true},
                                             Gelu{true},
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

  /// The transposed Jacobians of all links at `inputs`, first link first.
  static std::vector<Dense> transposed_jacobians(const Network& network, const NetworkWeights& weights,
                                                 const std::vector<Vector>& inputs) {
    std::vector<Dense> jacobians;
    for (std::size_t i = 0; i < network.links().size(); ++i) {
      const std::size_t o = network.links()[i];
      jacobians.push_back(to_dense(testing::jacobian_values(network.operators()[o], weights[o], inputs[i])));
    }
    return jacobians;
  }

  /// Largest |difference| / (unit roundoff of T · magnitude).
  template <class T>
  static double largest_error(const Vector& other, const DirectGradients& direct, std::size_t link) {
    double largest = 0;
    for (std::size_t k = 0; k < other.size(); ++k) {
      const double error = std::fabs(other[k] - direct.gradient[link][k]);
      largest = std::max(
          largest, 2 * error / (static_cast<double>(std::numeric_limits<T>::epsilon()) * direct.magnitude[link][k]));
    }
    return largest;
  }

  /// Largest such error of the gradients that Jacobians in type T give, multiplied from the loss on (as
  /// back-propagation does) and from the input on (matrix by matrix, the gradient last).
  template <class T>
  static double largest_error_of_products(const std::vector<Dense>& jacobians, const DirectGradients& direct) {
    const Dense loss{direct.gradient.back().size(), 1, direct.gradient.back()};
    double largest = 0;
    Dense vector = loss;
    for (std::size_t i = jacobians.size(); i-- > 0;) {
      vector = multiply<T>(jacobians[i], vector);
      largest = std::max(largest, largest_error<T>(vector.entries, direct, i));
    }
    Dense matrix = jacobians[0];
    for (std::size_t i = 1; i < jacobians.size(); ++i) matrix = multiply<T>(matrix, jacobians[i]);
    return std::max(largest, largest_error<T>(multiply<T>(matrix, loss).entries, direct, 0));
  }
};

TEST_F(DirectBackpropTest, OfConvolutionsEqualsFiniteDifferences) {
  for (int round = 0; round < 60; ++round) {
    const std::uint64_t groups = between(1, 3);
    Conv2d conv{groups * between(1, 2), pair(1, 3), pair(1, 3), pair(0, 2), pair(1, 3), groups};
    const Shape in = {groups * between(1, 2), between(1, 6), between(1, 6)};
    conv.kernel.y = std::min(conv.kernel.y, (in[1] + 2 * conv.padding.y - 1) / conv.dilation.y + 1);
    conv.kernel.x = std::min(conv.kernel.x, (in[2] + 2 * conv.padding.x - 1) / conv.dilation.x + 1);
    expect_differences(conv, in);
  }
}

TEST_F(DirectBackpropTest, OfPoolingsEqualsFiniteDifferences) {
  for (int round = 0; round < 40; ++round) {
    const Shape in = {between(1, 3), between(5, 8), between(5, 8)};
    const PerAxis kernel = pair(1, 3);
    const PerAxis padding{between(0, kernel.y / 2), between(0, kernel.x / 2)};
    expect_differences(MaxPool2d{kernel, pair(1, 3), padding, pair(1, 2), chance(0.5)}, in);
    expect_differences(AvgPool2d{kernel, pair(1, 3), padding, chance(0.5), chance(0.5),
                                 chance(0.3) ? std::optional(between(1, 9)) : std::nullopt},
                       in);
    expect_differences(AdaptiveAvgPool2d{pair(1, 9)}, in);
  }
}

TEST_F(DirectBackpropTest, OfElementwiseOperatorsEqualsFiniteDifferences) {
  for (const OperatorKind& kind : std::vector<OperatorKind>{Relu{}, LeakyRelu{0.1}, Elu{1.3}, Gelu{false}, Gelu{true},
                                                            Silu{}, Tanh{}, Sigmoid{}, BatchNorm2d{1e-3}}) {
    for (int round = 0; round < 5; ++round) expect_differences(kind, {2, 3, 3});
  }
}

TEST_F(DirectBackpropTest, OfLinearEqualsFiniteDifferences) {
  for (int round = 0; round < 10; ++round) expect_differences(Linear{between(1, 12)}, {between(1, 12)});
}

TEST_F(DirectBackpropTest, OfEveryKindInOneNetworkEqualsTheProductsOfItsJacobians) {
  const Network network = every_kind();
  for (int round = 0; round < 3; ++round) {
    const NetworkWeights weights = random_weights(network);
    const std::vector<Vector> inputs = link_inputs(network, weights, normals(elements(network.input())));
    const DirectGradients direct = direct_backprop(network, weights, inputs, normals(7));
    expect_magnitude_covers_gradient(direct);
    std::vector<Dense> jacobians = transposed_jacobians(network, weights, inputs);
    ASSERT_EQ(direct.gradient.size(), jacobians.size() + 1);
    // 17 links; 150 seeds gave 4.5 at most.
    EXPECT_LT(largest_error_of_products<double>(jacobians, direct), 32);
    EXPECT_LT(largest_error_of_products<float>(jacobians, direct), 32);
    // The same comparison notices one wrong number.
    double& entry = *std::max_element(jacobians.back().entries.begin(), jacobians.back().entries.end());
    entry *= 1.01;
    EXPECT_GT(largest_error_of_products<float>(jacobians, direct), 32);
  }
}

TEST_F(DirectBackpropTest, DoesNotDependOnTheNumberOfThreads) {
  const Network network = every_kind();
  const NetworkWeights weights = random_weights(network);
  const std::vector<Vector> inputs = link_inputs(network, weights, normals(elements(network.input())));
  const Vector loss = normals(7);
  const DirectGradients many = direct_backprop(network, weights, inputs, loss);
  const ThreadLimit one(1);
  const DirectGradients single = direct_backprop(network, weights, inputs, loss);
  EXPECT_EQ(single.gradient, many.gradient);
  EXPECT_EQ(single.magnitude, many.magnitude);
}

}  // namespace
}  // namespace upsweep::direct_backprop_test

#include "upsweep/jacobian/forward.hpp"

#include <gtest/gtest.h>

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/random.hpp"

namespace upsweep::forward_test {
namespace {

using ForwardTest = testing::SeededTest;
using Vector = std::vector<double>;

Operator make(const OperatorKind& kind, const Shape& in) { return {"op", kind, in, infer_shape(kind, in)}; }

/// A convolution by its definition, six loops over outputs and kernel.
std::vector<double> convolve_by_definition(const Operator& op, const Conv2d& conv, const OperatorWeights& weights,
                                           const std::vector<double>& x) {
  std::vector<double> out;
  const std::uint64_t group_inputs = op.in_shape[0] / conv.groups;
  for (std::uint64_t co = 0; co < op.out_shape[0]; ++co) {
    const std::uint64_t first = co / (conv.out_channels / conv.groups) * group_inputs;
    for (std::uint64_t oy = 0; oy < op.out_shape[1]; ++oy) {
      for (std::uint64_t ox = 0; ox < op.out_shape[2]; ++ox) {
        double sum = weights.bias[co];
        for (std::uint64_t ci = 0; ci < group_inputs; ++ci) {
          for (std::uint64_t ky = 0; ky < conv.kernel.y; ++ky) {
            for (std::uint64_t kx = 0; kx < conv.kernel.x; ++kx) {
              const auto iy = static_cast<std::int64_t>(oy * conv.stride.y + ky * conv.dilation.y) -
                              static_cast<std::int64_t>(conv.padding.y);
              const auto ix = static_cast<std::int64_t>(ox * conv.stride.x + kx * conv.dilation.x) -
                              static_cast<std::int64_t>(conv.padding.x);
              if (iy < 0 || ix < 0 || iy >= static_cast<std::int64_t>(op.in_shape[1]) ||
                  ix >= static_cast<std::int64_t>(op.in_shape[2]))
                continue;
              sum += weights.values[((co * group_inputs + ci) * conv.kernel.y + ky) * conv.kernel.x + kx] *
                     x[((first + ci) * op.in_shape[1] + static_cast<std::uint64_t>(iy)) * op.in_shape[2] +
                       static_cast<std::uint64_t>(ix)];
            }
          }
        }
        out.push_back(sum);
      }
    }
  }
  return out;
}

TEST_F(ForwardTest, ConvolutionEqualsItsDefinition) {
  for (int round = 0; round < 30; ++round) {
    const std::uint64_t groups = between(1, 2);
    const Conv2d conv{groups * between(1, 3),         {between(1, 3), between(1, 3)}, {between(1, 3), between(1, 3)},
                      {between(0, 2), between(0, 2)}, {between(1, 2), between(1, 2)}, groups};
    const Operator op = make(conv, {groups * between(1, 3), between(5, 8), between(5, 8)});
    OperatorWeights weights;
    for (std::uint64_t i = 0; i < elements(*weight_shape(conv, op.in_shape)); ++i)
      weights.values.push_back(chance(0.3) ? 0 : normal());
    for (std::uint64_t i = 0; i < conv.out_channels; ++i) weights.bias.push_back(normal());
    std::vector<double> x(elements(op.in_shape));
    for (double& element : x) element = normal();
    const std::vector<double> want = convolve_by_definition(op, conv, weights, x);
    const std::vector<double> got = forward(op, weights, x);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-12) << canonical_text(conv);
  }
}

TEST(Forward, OfPoolingsEqualsHandComputedValues) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(forward(make(MaxPool2d{{2, 2}, {2, 2}, {0, 0}, {1, 1}, true}, {1, 3, 3}), {}, x),
            (std::vector<double>{5, 6, 8, 9}));
  EXPECT_EQ(forward(make(AvgPool2d{{2, 2}, {1, 1}}, {1, 3, 3}), {}, x), (std::vector<double>{3, 4, 6, 7}));
  // PyTorch: padding counts in the divisor unless told otherwise; a window that ceil_mode adds counts what lies in the
  // padded input.
  EXPECT_EQ(forward(make(AvgPool2d{{2, 2}, {2, 2}, {1, 1}}, {1, 3, 3}), {}, x),
            (std::vector<double>{0.25, 1.25, 2.75, 7}));
  EXPECT_EQ(forward(make(AvgPool2d{{2, 2}, {2, 2}, {1, 1}, false, false}, {1, 3, 3}), {}, x),
            (std::vector<double>{1, 2.5, 5.5, 7}));
  EXPECT_EQ(forward(make(AvgPool2d{{2, 2}, {2, 2}, {0, 0}, true}, {1, 3, 3}), {}, x),
            (std::vector<double>{3, 4.5, 7.5, 9}));
  EXPECT_EQ(forward(make(AvgPool2d{{2, 2}, {2, 2}, {0, 0}, false, true, 2}, {1, 3, 3}), {}, x),
            (std::vector<double>{6}));
  EXPECT_EQ(forward(make(AdaptiveAvgPool2d{{2, 1}}, {1, 3, 3}), {}, x), (std::vector<double>{3.5, 6.5}));
}

TEST(Forward, OfBatchNormUsesTheRunningStatistics) {
  OperatorWeights weights;
  weights.values = {2};
  weights.bias = {1};
  weights.running_mean = {3};
  weights.running_var = {4};
  EXPECT_EQ(forward(make(BatchNorm2d{0}, {1, 1, 2}), weights, std::vector<double>{3, 5}), (std::vector<double>{1, 3}));
  EXPECT_EQ(forward(make(BatchNorm2d{0}, {1, 1, 2}), {}, std::vector<double>{3, 5}), (std::vector<double>{3, 5}))
      << "defaults 1, 0, 0, 1";
}

TEST(Forward, OfViewsIsTheIdentity) {
  const std::vector<double> x = {1, 2, 3, 4};
  EXPECT_EQ(forward(make(Flatten{}, {1, 2, 2}), {}, x), x);
  EXPECT_EQ(forward(make(Dropout{}, {4}), {}, x), x);
}

Vector join(const OperatorKind& kind, const std::vector<Shape>& shapes, const std::vector<Vector>& inputs) {
  const Operator op{"join", kind, shapes[0], infer_shape(kind, shapes)};
  return forward(op, {}, std::vector<std::span<const double>>(inputs.begin(), inputs.end()));
}

TEST(Forward, OfJoinsEqualsHandComputedValues) {
  EXPECT_EQ(join(Add{}, {{2}, {2}, {2}}, {{1, 2}, {10, 20}, {100, 200}}), (Vector{111, 222}));
  EXPECT_EQ(join(Add{}, {{1}, {1}, {1}}, {{1e30}, {-1e30}, {1}}), Vector{1}) << "from the first to the last";
  EXPECT_EQ(join(Concat{}, {{1, 1, 2}, {2, 1, 2}}, {{1, 2}, {3, 4, 5, 6}}), (Vector{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(join(Concat{}, {{2}, {1}, {1}}, {{1, 2}, {3}, {4}}), (Vector{1, 2, 3, 4}));
}

TEST(Forward, RefusesInputsOfAnotherNumberOrLength) {
  const Vector one = {1};
  const Vector two = {1, 2};
  const Operator relu = make(Relu{}, {2});
  const Operator sum{"sum", Add{}, {2}, {2}};
  const Operator both{"both", Concat{}, {2}, {3}};
  const auto message = [](const Operator& op, const std::vector<std::span<const double>>& inputs) {
    try {
      static_cast<void>(forward(op, {}, inputs));
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message(relu, {two}), "accepted");
  EXPECT_EQ(message(relu, {one}), "relu 'op': 1 inputs of 1 numbers together, accepted are one of 2 each");
  EXPECT_EQ(message(relu, {two, two}), "relu 'op': 2 inputs of 4 numbers together, accepted are one of 2 each");
  EXPECT_EQ(message(relu, {}), "relu 'op': 0 inputs of 0 numbers together, accepted are one of 2 each");
  EXPECT_EQ(message(sum, {two, two}), "accepted");
  EXPECT_EQ(message(sum, {two, one}), "add 'sum': 2 inputs of 3 numbers together, accepted are two or more of 2 each");
  EXPECT_EQ(message(both, {two, one}), "accepted");
  EXPECT_EQ(message(both, {two, two}), "concat 'both': 2 inputs of 4 numbers together, accepted are two or more of 3");
  EXPECT_THROW(static_cast<void>(forward(sum, {}, two)), std::invalid_argument);
}

/// up = 2·flat, sum = up + flat, both = (sum, flat), end = the sum of its elements.
struct Branched {
  Network network{{1, 1, 2},
                  {{"flat", Flatten{}, {}},
                   {"up", Linear{2, false}, {}},
                   {"sum", Add{}, {{"up", "flat"}}},
                   {"both", Concat{}, {{"sum", "flat"}}},
                   {"end", Linear{1, false}, {}}}};
  NetworkWeights weights = NetworkWeights(5);

  Branched() {
    weights[1].values = {2, 0, 0, 2};
    weights[4].values = {1, 1, 1, 1};
  }
};

TEST(Activations, AreTheOutputsOfAllOperatorsByPosition) {
  const Branched made;
  EXPECT_EQ(activations(made.network, made.weights, Vector{1, 10}),
            (std::vector<Vector>{{1, 10}, {2, 20}, {3, 30}, {3, 30, 1, 10}, {44}}));
}

TEST(Activations, GiveTheInputsOfLinksAndTheOutput) {
  const Branched made;
  ASSERT_EQ(made.network.links(), (std::vector<std::size_t>{3, 4})) << "a block from flat to both, and end";
  EXPECT_EQ(link_inputs(made.network, made.weights, Vector{1, 10}),
            (std::vector<Vector>{{1, 10}, {3, 30, 1, 10}, {44}}));
  const Network views({1, 1, 2}, {{"d", Dropout{}, {}}, {"r", Relu{}, {}}, {"f", Flatten{}, {}}});
  EXPECT_EQ(link_inputs(views, NetworkWeights(3), Vector{-1, 1}), (std::vector<Vector>{{-1, 1}, {0, 1}}))
      << "views in front and behind are no links";
}

TEST(Activations, NameTheOperatorThatOverflows) {
  Branched made;
  made.weights[1].values[3] = 1e308;
  try {
    static_cast<void>(activations(made.network, made.weights, Vector{1, 10}));
    FAIL() << "no overflow was found";
  } catch (const OperatorError& error) {
    EXPECT_EQ(error.index(), 1U);
    EXPECT_STREQ(error.what(), "linear 'up': element 1 of its output is inf, accepted are finite numbers");
  }
  EXPECT_THROW(static_cast<void>(activations(made.network, made.weights, Vector{1})), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::forward_test

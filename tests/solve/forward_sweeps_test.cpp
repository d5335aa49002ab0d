#include "upsweep/solve/forward_sweeps.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "support/random.hpp"
#include "upsweep/jacobian/forward.hpp"

namespace upsweep::forward_sweeps_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Vector = std::vector<double>;

OperatorWeights with_values(Vector values, Vector bias = {}) {
  OperatorWeights weights;
  weights.values = std::move(values);
  weights.bias = std::move(bias);
  return weights;
}

/// `layers` times y = z, z = f(y), on one element.
Network scalar_chain(const OperatorKind& f, std::size_t layers) {
  std::vector<OperatorSpec> specs;
  for (std::size_t k = 0; k < layers; ++k) {
    specs.push_back({fmt::format("w{}", k), Linear{1, false}, {}});
    specs.push_back({fmt::format("f{}", k), f, {}});
  }
  return {{1}, specs};
}

NetworkWeights scalar_weights(std::size_t layers, double w) {
  NetworkWeights weights;
  for (std::size_t k = 0; k < layers; ++k) {
    weights.push_back(with_values({w}));
    weights.emplace_back();
  }
  return weights;
}

/// Gains at the one-element input `y` of `f`.
double gain_of(const OperatorKind& f, double y) {
  const Network network({1}, {{"f", f, {}}});
  return held_operators(network, {{}}, Vector{y}, {{0}})[0].gain[0];
}

class ForwardSweeps : public testing::SeededTest {
 protected:
  Vector integers(std::size_t count, std::uint64_t most) {
    Vector values(count);
    for (double& value : values) value = static_cast<double>(between(0, 2 * most)) - static_cast<double>(most);
    return values;
  }
  Vector normals(std::size_t count) {
    Vector values(count);
    for (double& value : values) value = normal();
    return values;
  }
};

/// A small image network of every affine kind, with `f` as activation, and max-pooling.
Network image_network(const OperatorKind& f) {
  return {{2, 6, 6},
          {{"conv", Conv2d{3, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"norm", BatchNorm2d{0.0, true}, {}},
           {"f1", f, {}},
           {"max", MaxPool2d{{2, 2}, {2, 2}}, {}},
           {"conv2", Conv2d{4, {2, 2}}, {}},
           {"f2", f, {}},
           {"average", AvgPool2d{{2, 2}, {2, 2}}, {}},
           {"flatten", Flatten{}, {}},
           {"drop", Dropout{}, {}},
           {"linear", Linear{5}, {}},
           {"f3", f, {}},
           {"last", Linear{3}, {}}}};
}

NetworkWeights image_weights(const Vector& conv, const Vector& conv2, const Vector& linear, const Vector& last,
                             const Vector& biases) {
  NetworkWeights weights(12);
  const auto bias = [&](std::size_t count) {
    return Vector(biases.begin(), biases.begin() + static_cast<long>(count));
  };
  weights[0] = with_values(conv, bias(3));
  weights[1] = with_values({2, 1, -1}, bias(3));
  weights[4] = with_values(conv2, bias(4));
  weights[9] = with_values(linear, bias(5));
  weights[11] = with_values(last, bias(3));
  return weights;
}

// Numbers are integers and quarters of them, so that equal means equal.
TEST_F(ForwardSweeps, EndAtTheExactPassOneActivationMorePerSweep) {
  for (const OperatorKind& f : {OperatorKind(Relu{}), OperatorKind(LeakyRelu{0.5})}) {
    const Network network = image_network(f);
    for (int repetition = 0; repetition < 20; ++repetition) {
      const NetworkWeights weights =
          image_weights(integers(54, 3), integers(48, 3), integers(20, 3), integers(15, 3), integers(5, 4));
      const Vector x = integers(72, 4);
      const Vector earlier = integers(72, 4);
      const auto exact = activations(network, weights, x);
      HeldOperators held = repetition % 2 == 0
                               ? unit_operators(network)
                               : held_operators(network, weights, earlier, activations(network, weights, earlier));
      const std::vector<std::size_t> until = sweeps_until_exact(network);
      EXPECT_THAT(until, ElementsAre(1, 1, 2, 3, 3, 4, 4, 4, 4, 4, 5, 5));
      for (std::size_t s = 1; s <= until.back() + 1; ++s) {
        const auto found = sweep(network, weights, held, x);
        for (std::size_t o = 0; o < until.size(); ++o) {
          if (until[o] <= s) {
            EXPECT_EQ(found[o], exact[o]) << "operator " << o << ", sweep " << s;
          }
        }
        held = held_operators(network, weights, x, found);
      }
    }
  }
}

TEST_F(ForwardSweeps, OfEveryActivationEndWithinRounding) {
  for (const OperatorKind& f :
       {OperatorKind(Relu{}), OperatorKind(LeakyRelu{}), OperatorKind(Elu{0.7}), OperatorKind(Gelu{}),
        OperatorKind(Gelu{true}), OperatorKind(Silu{}), OperatorKind(Tanh{}), OperatorKind(Sigmoid{})}) {
    const Network network = image_network(f);
    const NetworkWeights weights = image_weights(normals(54), normals(48), normals(20), normals(15), normals(5));
    const Vector earlier = normals(72);
    const SweepHistory history = forward_sweeps(network, weights, normals(72), earlier, 1e-9);
    ASSERT_EQ(history.errors.size(), 5U) << kind_name(f);
    for (std::size_t o = 0; o < history.until_exact.size(); ++o) {
      for (std::size_t sweep = history.until_exact[o]; sweep <= 5; ++sweep) {
        EXPECT_LT(history.errors[sweep - 1][o], 1e-10) << kind_name(f) << ", operator " << o << ", sweep " << sweep;
      }
    }
    ASSERT_TRUE(history.needed);
    EXPECT_LE(history.output_error(*history.needed), 1e-9);
  }
}

/// A residual branch and a concatenation: sweeps go by the longest path.
TEST_F(ForwardSweeps, FollowTheBranchesOfANetwork) {
  const Network network({4}, {{"w1", Linear{4}, {}},
                              {"f1", Relu{}, {}},
                              {"w2", Linear{4}, {}},
                              {"f2", LeakyRelu{0.5}, {}},
                              {"sum", Add{}, std::vector<std::string>{"f2", "w1"}},
                              {"both", Concat{}, std::vector<std::string>{"sum", "w2"}},
                              {"f3", Relu{}, {}}});
  EXPECT_THAT(sweeps_until_exact(network), ElementsAre(1, 2, 2, 3, 3, 3, 4));
  for (int repetition = 0; repetition < 20; ++repetition) {
    NetworkWeights weights(7);
    weights[0] = with_values(integers(16, 3), integers(4, 4));
    weights[2] = with_values(integers(16, 3), integers(4, 4));
    const Vector x = integers(4, 4);
    const Vector earlier = integers(4, 4);
    const SweepHistory history = forward_sweeps(network, weights, x, earlier, 0);
    EXPECT_EQ(history.last, activations(network, weights, x));
    for (std::size_t o = 0; o < 7; ++o) {
      for (std::size_t s = history.until_exact[o]; s <= 4; ++s) EXPECT_EQ(history.errors[s - 1][o], 0);
    }
  }
}

TEST(ForwardSweepsBound, IsReachedByAChainOfTanh) {
  const std::size_t layers = 6;
  const Network network = scalar_chain(Tanh{}, layers);
  const SweepHistory history = forward_sweeps(network, scalar_weights(layers, 1.5), Vector{1}, {}, 1e-12);
  EXPECT_EQ(history.errors.size(), layers + 1);
  EXPECT_EQ(history.needed, layers + 1);
  EXPECT_GT(history.output_error(layers), 1e-6) << "one sweep less is not enough";
}

TEST(ForwardSweepsStart, AtTheSameInputNeedsOneSweep) {
  const Network network = scalar_chain(Silu{}, 4);
  const Vector x = {1.25};
  EXPECT_EQ(forward_sweeps(network, scalar_weights(4, 1.5), x, std::span<const double>(x), 1e-12).needed, 1U);
}

TEST(ForwardSweepsStart, WithUnitDLeavesAffineNetworksExactAtOnce) {
  const Network network({2}, {{"a", Linear{2, false}, {}}, {"b", Linear{1, false}, {}}});
  const NetworkWeights weights = {with_values({1, 2, 3, 4}), with_values({5, 6})};
  const SweepHistory history = forward_sweeps(network, weights, Vector{1, -1}, {}, 0);
  EXPECT_EQ(history.errors, (std::vector<Vector>{{0, 0}}));
  EXPECT_EQ(history.needed, 1U);
}

TEST(ForwardSweepsHold, TheLimitWhereYAndFOfYAreZero) {
  for (const OperatorKind& f :
       {OperatorKind(Relu{}), OperatorKind(LeakyRelu{}), OperatorKind(Elu{3.0}), OperatorKind(Tanh{})}) {
    EXPECT_EQ(gain_of(f, 0), 1) << kind_name(f) << ": the paper's entry";
  }
  for (const OperatorKind& f : {OperatorKind(Gelu{}), OperatorKind(Gelu{true}), OperatorKind(Silu{})}) {
    EXPECT_EQ(gain_of(f, 0), 0.5) << kind_name(f);
    EXPECT_NEAR(gain_of(f, 1e-9), 0.5, 1e-8) << kind_name(f) << ": a small y has a neighbour of the limit";
  }
}

TEST(ForwardSweepsHold, FOfYOverYElsewhere) {
  EXPECT_EQ(gain_of(Relu{}, -3), 0) << "f(y) = 0 is no division by 0";
  EXPECT_EQ(gain_of(Relu{}, 3), 1);
  EXPECT_EQ(gain_of(LeakyRelu{0.25}, -3), 0.25);
  EXPECT_EQ(gain_of(Tanh{}, 2), std::tanh(2.0) / 2);
}

TEST(ForwardSweepsHold, RefuseSigmoidAtZeroAndNameTheOperator) {
  const Network network({2}, {{"w", Linear{2, false}, {}}, {"gate", Sigmoid{}, {}}});
  const NetworkWeights weights = {with_values({1, 0, 0, 1}), {}};
  try {
    static_cast<void>(forward_sweeps(network, weights, Vector{1, 2}, Vector{3, 0}, 1e-6));
    FAIL() << "y = 0 was taken";
  } catch (const OperatorError& error) {
    EXPECT_EQ(error.index(), 1U);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("the earlier pass"), HasSubstr("sigmoid 'gate': element 1 has y = 0"),
                                    HasSubstr("f(y) = 0.5"), HasSubstr("accepted")));
  }
  EXPECT_EQ(forward_sweeps(network, weights, Vector{1, 2}, Vector{3, -1}, 1e-6).needed, 2U) << "y = 0 does not occur";
  EXPECT_THROW(static_cast<void>(gain_of(Sigmoid{}, 1e-310)), OperatorError) << "f(y) / y overflows";
}

TEST(ForwardSweepsHold, RefuseZeroInASweepByItsNumber) {
  // The sweep with D = I hands 1 on to a unit that subtracts 1.
  const Network network({1}, {{"f", Tanh{}, {}}, {"w", Linear{1}, {}}, {"gate", Sigmoid{}, {}}});
  const NetworkWeights weights = {{}, with_values({1}, {-1}), {}};
  try {
    static_cast<void>(forward_sweeps(network, weights, Vector{1}, {}, 1e-6));
    FAIL() << "y = 0 was taken";
  } catch (const OperatorError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("sweep 1, sigmoid 'gate'"), HasSubstr("y = 0")));
  }
}

TEST(ForwardSweepsHold, TheArgMaxOfTheEarlierPass) {
  const Network network({1, 1, 4}, {{"max", MaxPool2d{{1, 2}, {1, 2}}, {}}});
  const Vector x = {1, 5, 7, 2};
  const HeldOperators held = held_operators(network, {{}}, Vector{9, 0, 0, 9}, {{9, 9}});
  EXPECT_EQ(sweep(network, {{}}, held, x)[0], (Vector{1, 2}));
  const SweepHistory history = forward_sweeps(network, {{}}, x, Vector{9, 0, 0, 9}, 0);
  EXPECT_EQ(history.last[0], (Vector{5, 7}));
  EXPECT_EQ(history.needed, 2U);
}

TEST(ForwardSweepsComparison, SeesAnyDifference) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(relative_error(Vector{1, 4}, Vector{1, 4}), 0);
  EXPECT_EQ(relative_error(Vector{1, 3}, Vector{1, 4}), 0.25);
  EXPECT_EQ(relative_error(Vector{0, 3}, Vector{0, 0}), 3) << "absolute where there is nothing to relate to";
  EXPECT_EQ(relative_error(Vector{std::nan(""), 4}, Vector{1, 4}), inf);
  EXPECT_EQ(relative_error(Vector{1, inf}, Vector{1, 4}), inf);
  EXPECT_THROW(static_cast<void>(relative_error(Vector{1}, Vector{1, 2})), std::invalid_argument);
}

TEST(ForwardSweepsComparison, CountsTheSweepFromWhichOnTheErrorStaysSmall) {
  const Network network = scalar_chain(Tanh{}, 2);
  const SweepHistory loose = forward_sweeps(network, scalar_weights(2, 1), Vector{1}, {}, 10);
  EXPECT_EQ(loose.needed, 1U);
  EXPECT_THROW(static_cast<void>(forward_sweeps(network, scalar_weights(2, 1), Vector{1}, {}, -1)),
               std::invalid_argument);
}

TEST(ForwardSweepsCost, CountsProductsEvaluationsAndDivisions) {
  const Network network(
      {1, 1, 4},
      {{"max", MaxPool2d{{1, 2}, {1, 2}}, {}}, {"flatten", Flatten{}, {}}, {"w", Linear{3}, {}}, {"f", Tanh{}, {}}});
  const NetworkWeights weights(4);
  const SweepCost cost = sweep_cost(network, weights);
  EXPECT_EQ(cost.plain_flops, 2U * 6);
  EXPECT_EQ(cost.flops, 2U * (2 + 6 + 3)) << "2 outputs of the max-pool, 6 weights, 3 gains";
  EXPECT_EQ(cost.evaluations, 4U + 3) << "4 elements compared, 3 values of tanh";
  EXPECT_EQ(cost.divisions, 3U);
}

TEST(ForwardSweepsCost, CountsTheAdditionsOfAdd) {
  const Network network(
      {4}, {{"w", Linear{4}, {}}, {"f", Relu{}, {}}, {"sum", Add{}, std::vector<std::string>{"w", "f", "input"}}});
  const SweepCost cost = sweep_cost(network, NetworkWeights(3));
  EXPECT_EQ(cost.plain_flops, 2U * 16 + 2 * 4) << "16 weights, 2 additions of 4 elements";
  EXPECT_EQ(cost.flops, cost.plain_flops + 2 * 4);
}

TEST(ForwardSweepsInput, OfWrongLengthsIsRefused) {
  const Network network = scalar_chain(Tanh{}, 1);
  const NetworkWeights weights = scalar_weights(1, 1);
  EXPECT_THROW(static_cast<void>(sweep(network, weights, {}, Vector{1})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(sweep(network, weights, HeldOperators(2), Vector{1})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(sweep(network, weights, unit_operators(network), Vector{1, 2})),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(held_operators(network, weights, Vector{1}, {{1}})), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::forward_sweeps_test

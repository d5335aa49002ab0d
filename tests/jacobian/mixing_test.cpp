#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>

#include "support/random.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "validate/direct_operators.hpp"

namespace upsweep::mixing_test {
namespace {

Operator make(const OperatorKind& kind, const std::vector<Shape>& in) {
  return {"op", kind, in[0], infer_shape(kind, in), {in.begin() + 1, in.end()}};
}

class MixingTest : public testing::SeededTest {
 protected:
  /// Numbers apart from each other, and from 0: no kink, no tie, and no division by almost 0.
  std::vector<double> separated(std::size_t count) {
    std::vector<double> x(count);
    for (std::size_t i = 0; i < count; ++i) x[i] = 0.3 + 2 * static_cast<double>(i) / static_cast<double>(count);
    for (std::size_t i = count; i > 1; --i) std::swap(x[i - 1], x[between(0, i - 1)]);
    for (double& number : x) number = chance(0.5) ? number : -number;
    return x;
  }

  static double difference(const Operator& op, const OperatorWeights& weights, std::vector<std::vector<double>> inputs,
                           std::size_t input, std::size_t row, std::size_t column) {
    constexpr double kStep = 1e-6;
    const auto at = [&](double step) {
      std::vector<std::vector<double>> moved = inputs;
      moved[input][row] += step;
      const std::vector<std::span<const double>> views(moved.begin(), moved.end());
      return forward(op, weights, views)[column];
    };
    return (at(kStep) - at(-kStep)) / (2 * kStep);
  }

  /// The Jacobian with respect to every input against central differences, and what the oracle hands back against it.
  void expect_jacobians(const Operator& op, const OperatorWeights& weights = {}) {
    std::vector<std::vector<double>> inputs = {separated(elements(op.in_shape))};
    for (const Shape& shape : op.other_shapes) {
      inputs.push_back(separated(elements(shape)));
      for (double& number : inputs.back()) number *= 0.93;  // no tie with the first input
    }
    const std::vector<std::span<const double>> views(inputs.begin(), inputs.end());
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      const Pattern pattern = guaranteed_pattern(op, weights, PatternForm::rows, input);
      EXPECT_EQ(unpruned_nnz(op, input), pattern.nnz()) << canonical_text(op.kind);
      const Pattern classes = guaranteed_pattern(op, weights, PatternForm::classes, input);
      EXPECT_EQ(in_rows(classes), pattern) << canonical_text(op.kind);
      std::vector<double> values(pattern.nnz());
      fill_jacobian_values<double>(op, weights, views, input, pattern, values);
      const std::vector<double> upstream = separated(elements(op.out_shape));
      const std::vector<double> direct = hand_back(op, weights, views, input, upstream, PassKind::gradient);
      std::size_t at = 0;
      for (Index r = 0; r < pattern.rows(); ++r) {
        std::vector<double> dense(pattern.cols());
        double handed = 0;
        pattern.row(r).for_each([&](Index c) {
          handed += values[at] * upstream[c];
          dense[c] = values[at++];
        });
        for (Index c = 0; c < pattern.cols(); ++c) {
          const double want = difference(op, weights, inputs, input, r, c);
          EXPECT_NEAR(dense[c], want, 1e-5 * (1 + std::fabs(want))) << canonical_text(op.kind) << r << ", " << c;
        }
        EXPECT_NEAR(direct[r], handed, 1e-9 * (1 + std::fabs(handed))) << canonical_text(op.kind);
      }
    }
  }
};

TEST_F(MixingTest, JacobiansOfPairsEqualDifferencesWithBroadcasting) {
  const std::vector<std::vector<Shape>> shapes = {
      {{2, 3, 2}, {2, 3, 2}}, {{2, 3, 2}, {2, 1, 1}}, {{3, 1}, {1, 4}}, {{2, 3}, {3}}, {{1, 3, 3}, {2, 3, 3}}};
  for (const auto& in : shapes) {
    for (const PairRule rule : {PairRule::sum, PairRule::difference, PairRule::product, PairRule::quotient,
                                PairRule::least, PairRule::largest})
      expect_jacobians(make(Pairwise{rule}, in));
  }
}

TEST_F(MixingTest, JacobiansOfGroupsEqualDifferences) {
  for (const GroupRule rule :
       {GroupRule::softmax, GroupRule::log_softmax, GroupRule::normalise, GroupRule::mean, GroupRule::sum,
        GroupRule::least, GroupRule::largest, GroupRule::product, GroupRule::norm}) {
    expect_jacobians(make(Grouped{rule, 4}, {{3, 4}}));
    expect_jacobians(make(Grouped{rule, 3, 4}, {{2, 3, 4}}));
    expect_jacobians(make(Grouped{rule, 2, 6}, {{2, 3, 2}}));  // all channels at a position
    expect_jacobians(make(Grouped{rule, 6, 1}, {{2, 3, 2}}));  // all positions of a channel
  }
  const OperatorWeights affine{{}, {0.5, -2, 1.5, 3}, {1, 2, 3, 4}, {}, {}};
  expect_jacobians(make(Grouped{GroupRule::normalise, 4, 1, 1e-3, 4, 1}, {{3, 4}}), affine);
  expect_jacobians(make(Grouped{GroupRule::normalise, 4, 3, 1e-3, 4, 3}, {{4, 3}}), affine);
}

TEST_F(MixingTest, JacobiansOfProductsEqualDifferences) {
  expect_jacobians(make(MatMul{}, {{3, 4}, {4, 2}}));
  expect_jacobians(make(MatMul{}, {{2, 3, 2}, {2, 2, 4}}));
}

TEST_F(MixingTest, JacobiansOfMovesEqualDifferences) {
  auto from = std::make_shared<std::vector<std::uint32_t>>();
  for (std::size_t o = 0; o < 12; ++o)
    from->push_back(chance(0.2) ? IndexMap::kFill : static_cast<std::uint32_t>(between(0, 8)));
  expect_jacobians(make(IndexMap{{3, 4}, {from}, 0.5}, {{2, 3}, {3}}));
}

TEST_F(MixingTest, RecurrentLayersDependOnEarlierSteps) {
  const Operator op = make(Recurrence{RecurrentCell::gru, 2}, {{3, 4}});
  const Pattern pattern = guaranteed_pattern(op, {});
  EXPECT_EQ(pattern.nnz(), 4U * 2 * (3 + 2 + 1));
  EXPECT_EQ(unpruned_nnz(op), pattern.nnz());
  EXPECT_EQ(pattern.row(0).nnz(), 6U);
  EXPECT_EQ(pattern.row(11).nnz(), 2U);
}

TEST_F(MixingTest, JacobiansOfTransposedConvolutionsEqualDifferencesWithColumnsInOrder) {
  for (const std::uint64_t stride : {1U, 2U, 3U}) {
    for (const std::uint64_t dilation : {1U, 2U}) {
      for (const std::uint64_t groups : {1U, 2U}) {
        const ConvTranspose2d kind{4, {3, 2}, {stride, 2}, {1, 0}, {0, 1}, {dilation, 1}, groups, true};
        const Operator op = make(kind, {{2, 3, 4}});
        OperatorWeights weights;
        for (std::uint64_t i = 0; i < elements(*weight_shape(op.kind, op.in_shape)); ++i) {
          weights.values.push_back(chance(0.3) ? 0 : normal());
          weights.kept.push_back(weights.values.back() != 0 ? 1 : 0);
        }
        const std::vector<double> x = separated(24), upstream = separated(elements(op.out_shape));
        const Pattern pattern = guaranteed_pattern(op, weights);
        EXPECT_EQ(in_rows(guaranteed_pattern(op, weights, PatternForm::classes)), pattern);
        std::vector<double> values(pattern.nnz());
        fill_jacobian_values<double>(op, weights, x, pattern, values);
        const std::vector<double> direct = hand_back(op, weights, x, upstream, PassKind::gradient);
        std::size_t at = 0;
        for (Index r = 0; r < pattern.rows(); ++r) {
          std::vector<double> one(24, 0.0);
          one[r] = 1;
          const std::vector<double> want = forward(op, weights, one);  // linear, without a bias here
          double handed = 0;
          std::optional<Index> before;
          pattern.row(r).for_each([&](Index c) {
            EXPECT_TRUE(!before || *before < c);
            before = c;
            handed += values[at] * upstream[c];
            EXPECT_NEAR(values[at++], want[c], 1e-12);
          });
          EXPECT_NEAR(direct[r], handed, 1e-9 * (1 + std::fabs(handed)));
        }
      }
    }
  }
}

TEST_F(MixingTest, JacobiansOfRecurrentLayersEqualDifferences) {
  for (const RecurrentCell cell : {RecurrentCell::rnn, RecurrentCell::gru, RecurrentCell::lstm}) {
    for (const bool reversed : {false, true}) {
      for (const bool other : {false, true}) {  // relu of an rnn, the other reset of a gru
        Recurrence kind{cell, 3, reversed};
        kind.relu = other && cell == RecurrentCell::rnn;
        kind.reset_after = !other;
        kind.bias = !other;
        const Operator op = make(kind, {{4, 2}});
        const OperatorParameters parameters = parameters_of(op.kind, op.in_shape);
        OperatorWeights weights;
        for (std::uint64_t i = 0; i < parameters.values(); ++i) weights.values.push_back(0.7 * normal());
        for (std::uint64_t i = 0; i < parameters.biases; ++i) weights.bias.push_back(0.4 * normal());
        expect_jacobians(op, weights);
      }
    }
  }
}

TEST_F(MixingTest, BoundsOfRecurrentLayersHold) {
  const Operator op = make(Recurrence{RecurrentCell::lstm, 3}, {{5, 2}});
  OperatorWeights weights;
  for (std::size_t i = 0; i < 12 * 5; ++i) weights.values.push_back(normal());
  const std::vector<double> x = separated(10);
  const std::span<const double> view(x);
  std::vector<double> upstream = separated(15);
  const auto handed = [&](PassKind pass) { return hand_back(op, weights, std::span(&view, 1), 0, upstream, pass); };
  const std::vector<double> gradient = handed(PassKind::gradient);
  for (double& number : upstream) number = std::fabs(number);
  const std::vector<double> magnitude = handed(PassKind::magnitude);
  for (std::size_t i = 0; i < gradient.size(); ++i) EXPECT_GE(magnitude[i], std::fabs(gradient[i]));
}

TEST_F(MixingTest, EqualRowsAreKeptOnce) {
  const Pattern pattern = guaranteed_pattern(make(MatMul{}, {{2, 30, 8}, {2, 8, 50}}), {});
  EXPECT_EQ(pattern.rows(), 480U);
  EXPECT_EQ(pattern.stored_rows(), 60U);
}

}  // namespace
}  // namespace upsweep::mixing_test

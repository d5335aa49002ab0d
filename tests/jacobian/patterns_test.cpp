#include "upsweep/jacobian/patterns.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "support/finite_differences.hpp"
#include "support/jacobian_values.hpp"
#include "support/random.hpp"

namespace upsweep::patterns_test {
namespace {

using testing::transposed_jacobian_by_differences;

Operator make(const OperatorKind& kind, const Shape& in) { return {"op", kind, in, infer_shape(kind, in)}; }

class JacobianTest : public testing::SeededTest {
 protected:
  PerAxis pair(std::uint64_t low, std::uint64_t high) { return {between(low, high), between(low, high)}; }

  std::vector<double> normals(std::size_t count) {
    std::vector<double> x(count);
    for (double& element : x) element = normal();
    return x;
  }

  /// Numbers in [-2, 2] in random order, apart from each other and from 0: no kink and no tie within a difference's
  /// step.
  std::vector<double> separated(std::size_t count) {
    std::vector<double> x(count);
    for (std::size_t i = 0; i < count; ++i) x[i] = 4 * (static_cast<double>(i) + 0.3) / static_cast<double>(count) - 2;
    for (std::size_t i = count; i > 1; --i) std::swap(x[i - 1], x[between(0, i - 1)]);
    return x;
  }

  /// Random weights, some of them zero.
  OperatorWeights random_weights(const Operator& op) {
    OperatorWeights weights;
    const auto shape = weight_shape(op.kind, op.in_shape);
    if (shape) {
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

  static bool guaranteed_entry(const Pattern& pattern, std::size_t entry) {
    bool found = false;
    pattern.row(static_cast<Index>(entry / pattern.cols())).for_each([&](Index c) {
      found = found || c == entry % pattern.cols();
    });
    return found;
  }

  /// Pattern and values of `op` against central differences. Every nonzero difference must be in the guaranteed
  /// pattern; what the pattern has beyond them must be an entry that other inputs can fill (`may_vanish`).
  void expect_jacobian(const Operator& op, bool may_vanish) {
    const OperatorWeights weights = random_weights(op);
    const std::vector<double> x = separated(elements(op.in_shape));
    const std::vector<double> want = transposed_jacobian_by_differences(op, weights, x);
    const CsrMatrix<double> got = testing::jacobian_values(op, weights, x);
    const Pattern guaranteed = guaranteed_pattern(op, weights);
    const Pattern sample = sample_pattern(op, weights, x);
    ASSERT_EQ(got.pattern, guaranteed.to_csr()) << canonical_text(op.kind);
    const auto cols = static_cast<Index>(elements(op.out_shape));
    std::vector<double> dense(want.size(), 0.0);
    std::vector<int> in_sample(want.size(), 0);
    for (Index r = 0; r < got.pattern.rows; ++r) {
      for (std::uint64_t at = got.pattern.indptr[r]; at < got.pattern.indptr[r + 1]; ++at) {
        const std::size_t entry = std::size_t{r} * cols + got.pattern.indices[at];
        dense[entry] = got.values[at];
        EXPECT_TRUE(may_vanish || got.values[at] != 0) << canonical_text(op.kind);
      }
      sample.row(r).for_each([&](Index c) { in_sample[std::size_t{r} * cols + c] = 1; });
    }
    for (std::size_t entry = 0; entry < want.size(); ++entry) {
      EXPECT_NEAR(dense[entry], want[entry], 1e-6 * (1 + std::fabs(want[entry])))
          << canonical_text(op.kind) << ", entry " << entry;
      const bool want_in_sample = depends_on_input(op.kind) ? dense[entry] != 0 : guaranteed_entry(guaranteed, entry);
      EXPECT_EQ(in_sample[entry] != 0, want_in_sample) << canonical_text(op.kind) << ", entry " << entry;
    }
  }

  /// The number of entries that a network without masks would have, counted and by formula.
  void expect_unpruned_count(const Operator& op) {
    EXPECT_EQ(unpruned_nnz(op), guaranteed_pattern(op, {}).nnz()) << canonical_text(op.kind);
  }
};

TEST_F(JacobianTest, OfConvolutionsEqualsFiniteDifferences) {
  for (int round = 0; round < 60; ++round) {
    const std::uint64_t groups = between(1, 3);
    Conv2d conv{groups * between(1, 2), pair(1, 3), pair(1, 3), pair(0, 2), pair(1, 2), groups};
    const Shape in = {groups * between(1, 2), between(1, 6), between(1, 6)};
    conv.kernel.y = std::min(conv.kernel.y, (in[1] + 2 * conv.padding.y - 1) / conv.dilation.y + 1);
    conv.kernel.x = std::min(conv.kernel.x, (in[2] + 2 * conv.padding.x - 1) / conv.dilation.x + 1);
    const Operator op = make(conv, in);
    expect_jacobian(op, false);
    expect_unpruned_count(op);
  }
}

TEST_F(JacobianTest, OfPoolingsEqualsFiniteDifferences) {
  for (int round = 0; round < 40; ++round) {
    const Shape in = {between(1, 3), between(3, 7), between(3, 7)};
    const PerAxis kernel = pair(1, 3);
    const PerAxis padding{between(0, kernel.y / 2), between(0, kernel.x / 2)};
    const MaxPool2d max_pool{kernel, pair(1, 3), padding, {1, 1}, chance(0.5)};
    const AvgPool2d average{kernel,      pair(1, 3),  padding,
                            chance(0.5), chance(0.5), chance(0.3) ? std::optional(between(1, 9)) : std::nullopt};
    const AdaptiveAvgPool2d adaptive{pair(1, 8)};
    expect_jacobian(make(max_pool, in), true);
    expect_jacobian(make(average, in), false);
    expect_jacobian(make(adaptive, in), false);
    for (const OperatorKind& kind : std::vector<OperatorKind>{max_pool, average, adaptive})
      expect_unpruned_count(make(kind, in));
  }
}

TEST_F(JacobianTest, OfDilatedMaxPoolingEqualsFiniteDifferences) {
  expect_jacobian(make(MaxPool2d{{2, 3}, {1, 2}, {1, 1}, {2, 2}, true}, {2, 7, 8}), true);
}

TEST_F(JacobianTest, OfElementwiseOperatorsEqualsFiniteDifferences) {
  const std::vector<OperatorKind> kinds = {Relu{}, LeakyRelu{0.1}, Elu{1.3},  Gelu{false},      Gelu{true},
                                           Silu{}, Tanh{},         Sigmoid{}, BatchNorm2d{1e-3}};
  for (const OperatorKind& kind : kinds) {
    for (int round = 0; round < 5; ++round) expect_jacobian(make(kind, {2, 3, 3}), true);
    expect_unpruned_count(make(kind, {2, 3, 3}));
  }
}

TEST_F(JacobianTest, OfLinearEqualsFiniteDifferences) {
  for (int round = 0; round < 10; ++round) {
    const Operator op = make(Linear{between(1, 12)}, {between(1, 12)});
    expect_jacobian(op, false);
    expect_unpruned_count(op);
  }
}

TEST(GuaranteedPattern, HasTheFiguresOfTheFirstVggOperators) {
  const Operator conv = make(Conv2d{64, {3, 3}, {1, 1}, {1, 1}}, {3, 32, 32});
  const Pattern pattern = guaranteed_pattern(conv, {});
  EXPECT_EQ(pattern.rows(), 3072U);
  EXPECT_EQ(pattern.cols(), 65536U);
  EXPECT_EQ(pattern.nnz(), 1'696'512U);
  EXPECT_NEAR(1 - 1696512.0 / (3072.0 * 65536), 0.991573, 5e-7);
  EXPECT_EQ(guaranteed_pattern(make(Relu{}, {64, 32, 32}), {}).nnz(), 65536U);
  EXPECT_EQ(guaranteed_pattern(make(MaxPool2d{{2, 2}, {2, 2}}, {64, 32, 32}), {}).nnz(), 65536U);
}

TEST(SamplePattern, SwitchesAReluOffAtZeroAndGivesTiedMaximaToTheFirst) {
  const Pattern relu = sample_pattern(make(Relu{}, {4}), {}, std::vector<double>{-1, 0, -0.0, 2});
  EXPECT_EQ(relu.to_csr(), (CsrPattern{4, 4, {0, 0, 0, 0, 1}, {3}}));
  const Operator pool = make(MaxPool2d{{2, 2}, {2, 2}}, {1, 2, 4});
  const Pattern chosen = sample_pattern(pool, {}, std::vector<double>{1, 5, 0, 0, 5, 5, 0, 0});
  EXPECT_EQ(chosen.to_csr(), (CsrPattern{8, 2, {0, 0, 1, 2, 2, 2, 2, 2, 2}, {0, 1}}));
}

TEST(SamplePattern, OfOverlappingWindowsMayPutSeveralOutputsIntoOneRow) {
  const Operator pool = make(MaxPool2d{{2, 2}, {1, 1}}, {1, 3, 3});
  const Pattern chosen = sample_pattern(pool, {}, std::vector<double>{0, 0, 0, 0, 9, 0, 0, 0, 0});
  EXPECT_EQ(chosen.row(4).nnz(), 4U);
  EXPECT_EQ(chosen.nnz(), 4U);
}

TEST(GuaranteedPattern, IsRefusedForViews) {
  EXPECT_THROW(static_cast<void>(guaranteed_pattern(make(Flatten{}, {4}), {})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(guaranteed_pattern(make(Dropout{}, {4}), {})), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::patterns_test

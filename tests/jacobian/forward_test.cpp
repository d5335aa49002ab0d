#include "upsweep/jacobian/forward.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace upsweep {
namespace {

using ForwardTest = testing::SeededTest;

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

}  // namespace
}  // namespace upsweep

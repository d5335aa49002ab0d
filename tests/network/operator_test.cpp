#include "upsweep/network/operator.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "upsweep/network/window.hpp"

namespace upsweep::operator_test {
namespace {

std::string refusal(const OperatorKind& kind, const Shape& in) {
  try {
    return "accepted " + to_string(infer_shape(kind, in));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

MaxPool2d pool(std::uint64_t kernel, std::uint64_t stride, std::uint64_t padding, bool ceil_mode,
               std::uint64_t dilation = 1) {
  return {{kernel, kernel}, {stride, stride}, {padding, padding}, {dilation, dilation}, ceil_mode};
}

// Expected shapes are those of torch.nn on the same settings.
TEST(InferShape, FollowsPyTorchForConvolutions) {
  EXPECT_EQ(infer_shape(Conv2d{64, {3, 3}, {1, 1}, {1, 1}}, {3, 32, 32}), (Shape{64, 32, 32}));
  EXPECT_EQ(infer_shape(Conv2d{8, {5, 3}, {2, 1}, {0, 2}, {1, 2}}, {4, 20, 11}), (Shape{8, 8, 11}));
  EXPECT_EQ(infer_shape(Conv2d{6, {7, 7}, {2, 2}, {3, 3}, {1, 1}, 3}, {3, 224, 224}), (Shape{6, 112, 112}));
}

TEST(InferShape, FollowsPyTorchForPoolingAndItsCeilMode) {
  EXPECT_EQ(infer_shape(pool(2, 2, 0, false), {3, 7, 7}), (Shape{3, 3, 3}));
  EXPECT_EQ(infer_shape(pool(2, 2, 0, true), {3, 7, 7}), (Shape{3, 4, 4}));
  EXPECT_EQ(infer_shape(pool(3, 2, 1, true), {3, 6, 6}), (Shape{3, 4, 4}));
  // A last window that would start in the padding behind the input is dropped.
  EXPECT_EQ(infer_shape(pool(2, 3, 1, true), {3, 5, 5}), (Shape{3, 2, 2}));
  EXPECT_EQ(infer_shape(pool(3, 3, 1, true), {1, 5, 5}), (Shape{1, 2, 2}));
  EXPECT_EQ(infer_shape(pool(3, 1, 0, false, 2), {1, 9, 9}), (Shape{1, 5, 5}));
  EXPECT_EQ(infer_shape(AdaptiveAvgPool2d{{7, 3}}, {5, 10, 2}), (Shape{5, 7, 3}));
}

TEST(InferShape, ACeilModeWindowMayReachOverThePaddedInputByLessThanAStride) {
  // torch.nn.functional.max_pool2d(torch.zeros(1, 1, 3, 3), 4, 2, 0, ceil_mode=True) has one output.
  EXPECT_EQ(infer_shape(pool(4, 2, 0, true), {1, 3, 3}), (Shape{1, 1, 1}));
  EXPECT_EQ(infer_shape(pool(5, 3, 0, true), {1, 3, 3}), (Shape{1, 1, 1}));
  EXPECT_THROW(static_cast<void>(infer_shape(pool(5, 2, 0, true), {1, 3, 3})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(infer_shape(pool(4, 2, 0, false), {1, 3, 3})), std::invalid_argument);
}

TEST(InferShape, LeavesElementwiseShapesAloneAndFlattens) {
  EXPECT_EQ(infer_shape(Relu{}, {3, 4, 5}), (Shape{3, 4, 5}));
  EXPECT_EQ(infer_shape(Gelu{}, {17}), (Shape{17}));
  EXPECT_EQ(infer_shape(Flatten{}, {3, 4, 5}), (Shape{60}));
  EXPECT_EQ(infer_shape(Dropout{}, {3, 4, 5}), (Shape{3, 4, 5}));
  EXPECT_EQ(infer_shape(Linear{10}, {60}), (Shape{10}));
}

TEST(InferShape, SaysWhatWasFoundAndWhatIsAccepted) {
  EXPECT_EQ(refusal(Conv2d{4, {3, 3}}, {60}), "its input has shape [60], accepted is [channels, height, width]");
  EXPECT_EQ(refusal(Linear{4}, {3, 2, 2}),
            "its input has shape [3, 2, 2], accepted is [features]: put a flatten in front");
  EXPECT_EQ(refusal(Conv2d{4, {5, 3}}, {1, 4, 4}),
            "the kernel covers 5 elements in y, accepted is at most the padded input, 4");
  EXPECT_EQ(refusal(Conv2d{4, {3, 3}, {1, 1}, {0, 0}, {1, 2}}, {1, 4, 4}),
            "the kernel covers 5 elements in x, accepted is at most the padded input, 4");
  EXPECT_EQ(refusal(Conv2d{4, {1, 1}, {1, 1}, {0, 0}, {1, 1}, 2}, {3, 4, 4}),
            "its input has 3 channels, accepted is a multiple of groups, 2");
  EXPECT_EQ(refusal(Conv2d{3, {1, 1}, {1, 1}, {0, 0}, {1, 1}, 2}, {4, 4, 4}),
            "out_channels is 3, accepted is a multiple of groups, 2");
  EXPECT_EQ(refusal(Conv2d{4, {1, 1}, {0, 1}}, {4, 4, 4}), "stride is 0, accepted is an integer of at least 1");
  EXPECT_EQ(refusal(pool(3, 1, 2, false), {1, 8, 8}),
            "padding is 2 in y, accepted is at most half of the kernel's extent, 1");
  EXPECT_EQ(refusal(pool(2, 4, 2, false, 4), {1, 1, 1}),
            "window 0 in y lies wholly in the padding, accepted are windows with at least one input");
}

TEST(InferShape, OfHostileSizesEndsSoon) {
  const std::uint64_t huge = 0x7fffffff;
  EXPECT_NE(refusal(pool(huge, 1, huge / 2, false, huge), {1, 4, 4}).find("accepted"), std::string::npos);
  EXPECT_NE(refusal(Conv2d{1, {1, 1}, {1, 1}, {huge, huge}}, {1, 4, 4}).find("accepted"), std::string::npos);
}

TEST(AxisWindows, PairsInputsAndOutputsByTheDefinitionOfAConvolution) {
  for (std::uint64_t in = 1; in < 9; ++in) {
    for (std::uint64_t kernel = 1; kernel < 5; ++kernel) {
      for (std::uint64_t stride = 1; stride < 4; ++stride) {
        for (std::uint64_t padding = 0; padding < 4; ++padding) {
          for (std::uint64_t dilation = 1; dilation < 3; ++dilation) {
            if (dilation * (kernel - 1) + 1 > in + 2 * padding) continue;
            const std::uint64_t out = (in + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
            const AxisWindows windows = AxisWindows::sliding(in, out, kernel, stride, padding, dilation);
            std::uint64_t pairs = 0;
            for (std::uint64_t i = 0; i < in; ++i) {
              std::vector<std::pair<std::uint64_t, std::uint64_t>> want;
              for (std::uint64_t o = 0; o < out; ++o) {
                for (std::uint64_t k = 0; k < kernel; ++k) {
                  if (o * stride + k * dilation == i + padding) want.emplace_back(k, o);
                }
              }
              std::vector<std::pair<std::uint64_t, std::uint64_t>> got;
              for (const Tap& tap : windows.by_input(i)) got.emplace_back(tap.kernel, tap.position);
              EXPECT_EQ(got, want);
              pairs += want.size();
            }
            EXPECT_EQ(windows.pairs(), pairs);
          }
        }
      }
    }
  }
}

TEST(AxisWindows, OfAdaptivePoolingCoverTheInputAsPyTorchDoes) {
  const AxisWindows windows = AxisWindows::adaptive(5, 3);  // bins 0..1, 1..3, 3..4
  std::vector<std::vector<std::uint32_t>> bins(3);
  for (std::size_t o = 0; o < 3; ++o) {
    for (const Tap& tap : windows.by_output(o)) bins[o].push_back(tap.position);
  }
  EXPECT_EQ(bins, (std::vector<std::vector<std::uint32_t>>{{0, 1}, {1, 2, 3}, {3, 4}}));
}

}  // namespace
}  // namespace upsweep::operator_test

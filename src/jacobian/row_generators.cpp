#include "row_generators.hpp"

namespace upsweep {
namespace {

ImageWindows windows_of(const Operator& op) {
  if (std::holds_alternative<Conv2d>(op.kind)) return image_windows(op);
  const auto point = [] { return AxisWindows::sliding(1, 1, 1, 1, 0, 1); };
  return {point(), point()};
}

}  // namespace

UsedPositions::UsedPositions(const AxisWindows& windows, std::size_t in) {
  for (std::size_t i = 0; i < in; ++i) {
    for (const Tap& tap : windows.by_input(i)) positions_.push_back(tap.kernel);
  }
  std::sort(positions_.begin(), positions_.end());
  positions_.erase(std::unique(positions_.begin(), positions_.end()), positions_.end());
}

ConvolutionRows::ConvolutionRows(const Operator& op, const OperatorWeights& weights)
    : windows_(windows_of(op)),
      used_y_(windows_.y, op.in_shape.size() == 3 ? op.in_shape[1] : 1),
      used_x_(windows_.x, op.in_shape.size() == 3 ? op.in_shape[2] : 1) {
  std::size_t kernel_width = 1;
  std::size_t groups = 1;
  if (const auto* conv = std::get_if<Conv2d>(&op.kind)) {
    in_width_ = op.in_shape[2];
    in_plane_ = op.in_shape[1] * in_width_;
    out_width_ = op.out_shape[2];
    out_plane_ = op.out_shape[1] * out_width_;
    kernel_width = conv->kernel.x;
    kernel_size_ = conv->kernel.y * kernel_width;
    groups = conv->groups;
  }
  const std::size_t in_channels = op.in_shape[0];
  const std::size_t out_channels = op.out_shape[0];
  const std::size_t group_outputs = out_channels / groups;
  group_inputs_ = in_channels / groups;

  for (std::size_t y = 0; y < used_y_.size(); ++y) {
    for (std::size_t x = 0; x < used_x_.size(); ++x) taps_.push_back(used_y_[y] * kernel_width + used_x_[x]);
  }

  const auto for_each_kept = [&](auto visit) {
    std::size_t base = 0;  // position of the first weight of (output, input channel)
    for (std::size_t output = 0; output < out_channels; ++output) {
      const std::size_t first_input = output / group_outputs * group_inputs_;
      for (std::size_t input = 0; input < group_inputs_; ++input, base += kernel_size_) {
        for (std::size_t tap = taps_.size(); tap-- > 0;) {
          if (weights.keeps(base + taps_[tap])) visit(first_input + input, output, tap);
        }
      }
    }
  };
  weight_start_.assign(in_channels + 1, 0);
  for_each_kept([&](std::size_t channel, std::size_t, std::size_t) { ++weight_start_[channel + 1]; });
  for (std::size_t c = 0; c < in_channels; ++c) weight_start_[c + 1] += weight_start_[c];
  weights_.resize(weight_start_.back());
  std::vector<std::size_t> next(weight_start_.begin(), weight_start_.end() - 1);
  for_each_kept([&](std::size_t channel, std::size_t output, std::size_t tap) {
    weights_[next[channel]++] = {static_cast<std::uint32_t>(output), static_cast<std::uint32_t>(tap)};
  });
}

PoolingRows::PoolingRows(const Operator& op)
    : windows_(image_windows(op)),
      in_plane_(op.in_shape[1] * op.in_shape[2]),
      in_width_(op.in_shape[2]),
      out_plane_(op.out_shape[1] * op.out_shape[2]),
      out_width_(op.out_shape[2]) {}

}  // namespace upsweep

#include "row_generators.hpp"

namespace upsweep {
namespace {

ImageWindows windows_of(const Operator& op) {
  if (std::holds_alternative<Conv2d>(op.kind)) return image_windows(op);
  const auto point = [] { return AxisWindows::sliding(1, 1, 1, 1, 0, 1); };
  return {point(), point()};
}

}  // namespace

ConvolutionRows::ConvolutionRows(const Operator& op, const OperatorWeights& weights) : windows_(windows_of(op)) {
  std::size_t groups = 1;
  if (const auto* conv = std::get_if<Conv2d>(&op.kind)) {
    in_width_ = op.in_shape[2];
    in_plane_ = op.in_shape[1] * in_width_;
    out_width_ = op.out_shape[2];
    out_plane_ = op.out_shape[1] * out_width_;
    kernel_width_ = conv->kernel.x;
    kernel_size_ = conv->kernel.y * kernel_width_;
    groups = conv->groups;
  }
  const std::size_t in_channels = op.in_shape[0];
  const std::size_t out_channels = op.out_shape[0];
  const std::size_t group_outputs = out_channels / groups;
  group_inputs_ = in_channels / groups;

  const auto for_each_kept = [&](auto visit) {
    std::size_t base = 0;  // position of the first weight of (output, input channel)
    for (std::size_t output = 0; output < out_channels; ++output) {
      const std::size_t first_input = output / group_outputs * group_inputs_;
      for (std::size_t input = 0; input < group_inputs_; ++input, base += kernel_size_) {
        for (std::size_t k = kernel_size_; k-- > 0;) {
          if (weights.keeps(base + k)) visit(first_input + input, output, k);
        }
      }
    }
  };
  weight_start_.assign(in_channels + 1, 0);
  for_each_kept([&](std::size_t channel, std::size_t, std::size_t) { ++weight_start_[channel + 1]; });
  for (std::size_t c = 0; c < in_channels; ++c) weight_start_[c + 1] += weight_start_[c];
  weights_.resize(weight_start_.back());
  std::vector<std::size_t> next(weight_start_.begin(), weight_start_.end() - 1);
  for_each_kept([&](std::size_t channel, std::size_t output, std::size_t k) {
    weights_[next[channel]++] = {static_cast<std::uint32_t>(output), static_cast<std::uint32_t>(k)};
  });
}

PoolingRows::PoolingRows(const Operator& op)
    : windows_(image_windows(op)),
      in_plane_(op.in_shape[1] * op.in_shape[2]),
      in_width_(op.in_shape[2]),
      out_plane_(op.out_shape[1] * op.out_shape[2]),
      out_width_(op.out_shape[2]) {}

}  // namespace upsweep

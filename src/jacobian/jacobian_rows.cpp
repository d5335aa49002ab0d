#include "jacobian_rows.hpp"

namespace upsweep {
namespace {

/// Of features 1: they are the channels of a 1 × 1 image.
std::size_t size_along(const Shape& shape, std::size_t axis) { return axis < shape.size() ? shape[axis] : 1; }

/// Of a linear of several vectors that of one; any other operator as it is.
Operator one_of(Operator op) {
  if (structure_of(op.kind) != Structure::contraction) return op;
  op.in_shape = {op.in_shape.back()};
  op.out_shape = {op.out_shape.back()};
  return op;
}

}  // namespace

WeightedWindows weighted_windows(const Operator& op) {
  return visit_operator(
      op.kind, [&](const WeightedOperator auto& kind) { return kind.weighted_windows(op); },
      [&]<class K>(const K&) -> WeightedWindows requires(!WeightedOperator<K>) {
        throw std::invalid_argument(kind_name(op.kind) + " has no weight");
      });
}

std::invalid_argument no_jacobian(const Operator& op) {
  return std::invalid_argument(kind_name(op.kind) + (is_view(op.kind) ? " is a view: it has no Jacobian of its own"
                                                                      : " has a Jacobian with respect to each input"));
}

UsedPositions::UsedPositions(const AxisWindows& windows, std::size_t in) {
  for (std::size_t i = 0; i < in; ++i) {
    for (const Tap& tap : windows.by_input(i)) positions_.push_back(tap.kernel);
  }
  std::sort(positions_.begin(), positions_.end());
  positions_.erase(std::unique(positions_.begin(), positions_.end()), positions_.end());
}

ConvolutionRows::ConvolutionRows(const Operator& whole, const OperatorWeights& weights)
    : ConvolutionRows(whole, one_of(whole), weights) {}

ConvolutionRows::ConvolutionRows(const Operator& whole, const Operator& op, const OperatorWeights& weights)
    : weighted_(weighted_windows(whole)),
      period_(elements(op.in_shape)),
      out_period_(elements(op.out_shape)),
      in_width_(size_along(op.in_shape, 2)),
      in_plane_(size_along(op.in_shape, 1) * in_width_),
      out_width_(size_along(op.out_shape, 2)),
      out_plane_(size_along(op.out_shape, 1) * out_width_),
      kernel_size_(weighted_.kernel.y * weighted_.kernel.x),
      group_inputs_(op.in_shape[0] / weighted_.groups),
      used_y_(weighted_.windows.y, size_along(op.in_shape, 1)),
      used_x_(weighted_.windows.x, in_width_) {
  const std::size_t in_channels = op.in_shape[0];
  const std::size_t out_channels = op.out_shape[0];
  const std::size_t group_outputs = out_channels / weighted_.groups;

  for (std::size_t y = 0; y < used_y_.size(); ++y) {
    for (std::size_t x = 0; x < used_x_.size(); ++x) taps_.push_back(used_y_[y] * weighted_.kernel.x + used_x_[x]);
  }

  const auto for_each_kept = [&](auto visit) {
    std::size_t base = 0;  // position of the first weight of (output, input channel)
    for (std::size_t output = 0; output < out_channels; ++output) {
      const std::size_t first_input = output / group_outputs * group_inputs_;
      for (std::size_t input = 0; input < group_inputs_; ++input, base += kernel_size_) {
        for (std::size_t k = 0; k < taps_.size(); ++k) {
          const std::size_t tap = weighted_.is_transposed ? k : taps_.size() - 1 - k;
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
    : windows_(pooling_windows(op)),
      in_plane_(op.in_shape[1] * op.in_shape[2]),
      in_width_(op.in_shape[2]),
      out_plane_(op.out_shape[1] * op.out_shape[2]),
      out_width_(op.out_shape[2]) {}

}  // namespace upsweep

#include "upsweep/network/operators/conv_transpose2d.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/network/window.hpp"

namespace upsweep {
namespace {

using Axis = std::uint64_t PerAxis::*;

/// Source: the shape formula in PyTorch's documentation of ConvTranspose2d.
std::uint64_t output_size(const ConvTranspose2d& conv, std::uint64_t in, Axis at) {
  require_positive("kernel", conv.kernel.*at);
  const std::uint64_t most = std::max(conv.stride.*at, conv.dilation.*at) - 1;
  if (conv.output_padding.*at > most) {
    throw std::invalid_argument(
        fmt::format("output_padding is {}, accepted is less than the stride or the dilation, "
                    "at most {}",
                    conv.output_padding.*at, most));
  }
  const std::uint64_t reach = checked_add(
      checked_add(checked_mul(in - 1, conv.stride.*at), checked_mul(conv.dilation.*at, conv.kernel.*at - 1)),
      conv.output_padding.*at + 1);
  if (reach <= 2 * (conv.padding.*at)) {
    throw std::invalid_argument(
        fmt::format("padding is {} of an output of {} elements, accepted is less than half", conv.padding.*at, reach));
  }
  return reach - 2 * (conv.padding.*at);
}

/// Calls visit(output, input, weight) for every pair that a weight joins, by output channel.
template <class Visit>
void for_each_pair(const Operator& op, const ConvTranspose2d& conv, const Visit& visit) {
  const WeightedWindows weighted = conv.weighted_windows(op);
  const std::size_t group_inputs = op.in_shape[0] / conv.groups;
  const std::size_t group_outputs = conv.out_channels / conv.groups;
  for (std::size_t co = 0; co < conv.out_channels; ++co) {
    for (std::size_t k = 0; k < group_inputs; ++k) {
      const std::size_t ci = co / group_outputs * group_inputs + k;
      const std::size_t weight = (co * group_inputs + k) * conv.kernel.y * conv.kernel.x;
      for (std::size_t y = 0; y < op.in_shape[1]; ++y) {
        for (const Tap& ty : weighted.windows.y.by_input(y)) {
          for (std::size_t x = 0; x < op.in_shape[2]; ++x) {
            for (const Tap& tx : weighted.windows.x.by_input(x)) {
              visit((co * op.out_shape[1] + ty.position) * op.out_shape[2] + tx.position,
                    (ci * op.in_shape[1] + y) * op.in_shape[2] + x, weight + ty.kernel * conv.kernel.x + tx.kernel);
            }
          }
        }
      }
    }
  }
}

}  // namespace

Shape ConvTranspose2d::shape(const Shape& in) const {
  require_image(in);
  require_positive("out_channels", out_channels);
  require_positive("groups", groups);
  if (in[0] % groups != 0 || out_channels % groups != 0) {
    throw std::invalid_argument(
        fmt::format("it takes {} channels to {}, accepted are multiples of groups, {}", in[0], out_channels, groups));
  }
  return {out_channels, output_size(*this, in[1], &PerAxis::y), output_size(*this, in[2], &PerAxis::x)};
}

OperatorParameters ConvTranspose2d::parameters(const Shape& in) const {
  return {.weight = Shape{out_channels, in[0] / groups, kernel.y, kernel.x}, .biases = bias ? out_channels : 0};
}

std::vector<std::uint32_t> ConvTranspose2d::stored_order(std::uint64_t in_channels) const {
  const std::uint64_t area = kernel.y * kernel.x;
  const std::uint64_t group_inputs = in_channels / groups;
  const std::uint64_t group_outputs = out_channels / groups;
  std::vector<std::uint32_t> order;
  order.reserve(out_channels * group_inputs * area);
  for (std::uint64_t co = 0; co < out_channels; ++co) {
    for (std::uint64_t k = 0; k < group_inputs * area; ++k) {
      const std::uint64_t ci = co / group_outputs * group_inputs + k / area;
      order.push_back(static_cast<std::uint32_t>((ci * group_outputs + co % group_outputs) * area + k % area));
    }
  }
  return order;
}

WeightedWindows ConvTranspose2d::weighted_windows(const Operator& op) const {
  const auto along = [&](Axis at, std::size_t axis) {
    // The windows of the convolution from the output back to the input.
    return AxisWindows::sliding(op.out_shape[axis], op.in_shape[axis], kernel.*at, stride.*at, padding.*at,
                                dilation.*at)
        .transposed();
  };
  return {{along(&PerAxis::y, 1), along(&PerAxis::x, 2)}, kernel, groups, true};
}

void ConvTranspose2d::add_product(const Operator& op, const OperatorWeights& weights, std::span<const double> x,
                                  std::span<double> out) const {
  for_each_pair(op, *this, [&](std::size_t o, std::size_t i, std::size_t w) { out[o] += weights.values[w] * x[i]; });
}

void ConvTranspose2d::add_value_gradients(const Operator& op, const OperatorWeights& weights,
                                          std::span<const OperatorSample> samples, std::span<double> gradient) const {
  for (const OperatorSample& sample : samples) {
    for_each_pair(op, *this, [&](std::size_t o, std::size_t i, std::size_t w) {
      if (weights.keeps(w)) gradient[w] += sample.upstream[o] * sample.input[i];
    });
  }
}

}  // namespace upsweep

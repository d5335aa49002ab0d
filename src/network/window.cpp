#include "upsweep/network/window.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

using Axis = std::uint64_t PerAxis::*;

/// Windows along one axis. Source: the shape formulas in PyTorch's documentation of Conv2d and MaxPool2d; with
/// ceil_mode a last window that would start in the padding behind the input is dropped.
std::uint64_t window_count(const char* axis, std::uint64_t in, const WindowSpec& spec, Axis at) {
  const std::uint64_t stride = spec.stride.*at;
  const std::uint64_t padded = checked_add(in, checked_mul(2, spec.padding.*at));
  const std::uint64_t extent = checked_add(checked_mul(spec.dilation.*at, spec.kernel.*at - 1), 1);
  // With ceil_mode a window may reach over the padded input by less than a stride.
  if (spec.ceil_mode && extent > padded && extent - padded < stride) return 1;
  if (extent > padded) {
    throw std::invalid_argument(fmt::format(
        "the kernel covers {} elements in {}, accepted is at most the padded input, {}", extent, axis, padded));
  }
  const std::uint64_t room = padded - extent;
  std::uint64_t out = room / stride + 1;
  if (out > kMaxElements) {
    throw std::invalid_argument(
        fmt::format("its output has {} elements in {}, accepted are at most {}", out, axis, kMaxElements));
  }
  if (spec.ceil_mode && room % stride != 0 && checked_mul(out, stride) < in + spec.padding.*at) ++out;
  return out;
}

/// PyTorch's limit for pooling, so that no window lies wholly in the padding.
void require_pool_padding(const char* axis, const WindowSpec& spec, Axis at) {
  const std::uint64_t most = (spec.dilation.*at * (spec.kernel.*at - 1) + 1) / 2;
  if (spec.padding.*at <= most) return;
  throw std::invalid_argument(fmt::format("padding is {} in {}, accepted is at most half of the kernel's extent, {}",
                                          spec.padding.*at, axis, most));
}

}  // namespace

AxisWindows AxisWindows::sliding(std::uint64_t in, std::uint64_t out, std::uint64_t kernel, std::uint64_t stride,
                                 std::uint64_t padding, std::uint64_t dilation) {
  AxisWindows windows;
  windows.output_start_.push_back(0);
  for (std::uint64_t o = 0; o < out; ++o) {
    // Skip the taps in the padding in front; positions below are shifted by `padding` to stay unsigned.
    const std::uint64_t first = o * stride;
    std::uint64_t k = first >= padding ? 0 : (padding - first + dilation - 1) / dilation;
    for (; k < kernel && first + k * dilation < padding + in; ++k) {
      windows.by_output_.push_back(
          {static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(first + k * dilation - padding)});
    }
    windows.output_start_.push_back(windows.by_output_.size());
  }
  windows.index_by_input(in);
  return windows;
}

AxisWindows AxisWindows::adaptive(std::uint64_t in, std::uint64_t out) {
  AxisWindows windows;
  windows.output_start_.push_back(0);
  for (std::uint64_t o = 0; o < out; ++o) {
    const std::uint64_t begin = o * in / out;
    const std::uint64_t end = ((o + 1) * in + out - 1) / out;
    for (std::uint64_t i = begin; i < end; ++i) {
      windows.by_output_.push_back({static_cast<std::uint32_t>(i - begin), static_cast<std::uint32_t>(i)});
    }
    windows.output_start_.push_back(windows.by_output_.size());
  }
  windows.index_by_input(in);
  return windows;
}

AxisWindows AxisWindows::listed(std::uint64_t in, const std::vector<std::vector<std::uint32_t>>& inputs) {
  AxisWindows windows;
  windows.output_start_.push_back(0);
  for (const std::vector<std::uint32_t>& mine : inputs) {
    for (const std::uint32_t input : mine)
      windows.by_output_.push_back({static_cast<std::uint32_t>(windows.by_output_.size()), input});
    windows.output_start_.push_back(windows.by_output_.size());
  }
  windows.index_by_input(in);
  return windows;
}

void AxisWindows::index_by_input(std::size_t in) {
  input_start_.assign(in + 1, 0);
  for (const Tap& tap : by_output_) ++input_start_[tap.position + 1];
  for (std::size_t i = 0; i < in; ++i) input_start_[i + 1] += input_start_[i];
  by_input_.resize(by_output_.size());
  std::vector<std::size_t> next(input_start_.begin(), input_start_.end() - 1);
  for (std::size_t o = 0; o + 1 < output_start_.size(); ++o) {
    for (const Tap& tap : by_output(o)) by_input_[next[tap.position]++] = {tap.kernel, static_cast<std::uint32_t>(o)};
  }
}

PerAxis WindowSpec::counts(const Shape& in) const {
  require_positive("kernel", kernel);
  require_positive("stride", stride);
  require_positive("dilation", dilation);
  return {window_count("y", in[1], *this, &PerAxis::y), window_count("x", in[2], *this, &PerAxis::x)};
}

Shape WindowSpec::pooled(const Shape& in) const {
  require_image(in);
  const PerAxis out = counts(in);
  require_pool_padding("y", *this, &PerAxis::y);
  require_pool_padding("x", *this, &PerAxis::x);
  return {in[0], out.y, out.x};
}

ImageWindows WindowSpec::on(const Operator& op) const {
  const auto axis = [&](std::size_t dimension, std::uint64_t PerAxis::*at) {
    return AxisWindows::sliding(op.in_shape[dimension], op.out_shape[dimension], kernel.*at, stride.*at, padding.*at,
                                dilation.*at);
  };
  return {axis(1, &PerAxis::y), axis(2, &PerAxis::x)};
}

ImageWindows pooling_windows(const Operator& op) {
  return visit_operator(
      op.kind, [&](const PoolingOperator auto& k) { return k.windows(op); },
      [&]<class K>(const K&) -> ImageWindows requires(!PoolingOperator<K>) {
        throw std::invalid_argument(kind_name(op.kind) + " is no pooling");
      });
}

std::vector<double> window_sizes(const Operator& op) {
  std::vector<double> sizes(elements(op.out_shape), 0.0);
  for_each_window_input(op, [&](std::size_t output, std::size_t) { sizes[output] += 1; });
  return sizes;
}

}  // namespace upsweep

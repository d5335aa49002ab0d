#include "upsweep/network/window.hpp"

#include <stdexcept>

namespace upsweep {

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

ImageWindows image_windows(const Operator& op) {
  const auto sliding = [&](const PerAxis& kernel, const PerAxis& stride, const PerAxis& padding,
                           const PerAxis& dilation) {
    const auto axis = [&](std::size_t dimension, std::uint64_t PerAxis::*at) {
      return AxisWindows::sliding(op.in_shape[dimension], op.out_shape[dimension], kernel.*at, stride.*at, padding.*at,
                                  dilation.*at);
    };
    return ImageWindows{axis(1, &PerAxis::y), axis(2, &PerAxis::x)};
  };
  return std::visit(
      Overload{
          [&](const Conv2d& k) { return sliding(k.kernel, k.stride, k.padding, k.dilation); },
          [&](const MaxPool2d& k) { return sliding(k.kernel, k.stride, k.padding, k.dilation); },
          [&](const AvgPool2d& k) {
            return sliding(k.kernel, k.stride, k.padding, {1, 1});
          },
          [&](const AdaptiveAvgPool2d&) {
            return ImageWindows{AxisWindows::adaptive(op.in_shape[1], op.out_shape[1]),
                                AxisWindows::adaptive(op.in_shape[2], op.out_shape[2])};
          },
          [&](const auto&) -> ImageWindows { throw std::invalid_argument(kind_name(op.kind) + " has no windows"); },
      },
      op.kind);
}

}  // namespace upsweep

#include "upsweep/network/operators/maxpool2d.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "upsweep/network/window.hpp"

namespace upsweep {
namespace {

WindowSpec spec_of(const MaxPool2d& pool) {
  return {pool.kernel, pool.stride, pool.padding, pool.dilation, pool.ceil_mode};
}

/// A dilated window can step over a small input altogether; its output would be minus infinity.
void require_inputs(const char* axis, std::uint64_t in, std::uint64_t out, const MaxPool2d& pool,
                    std::uint64_t PerAxis::*at) {
  const std::uint64_t dilation = pool.dilation.*at;
  const std::uint64_t padding = pool.padding.*at;
  // Taps no further apart than the input is long cannot step over it, and no window starts behind it.
  if (dilation <= in) return;
  for (std::uint64_t o = 0; o < out; ++o) {
    const std::uint64_t start = o * (pool.stride.*at);
    const std::uint64_t first = start >= padding ? 0 : (padding - start + dilation - 1) / dilation;
    if (first < pool.kernel.*at && start + first * dilation < padding + in) continue;
    throw std::invalid_argument(fmt::format(
        "window {} in {} lies wholly in the padding, accepted are windows with at least one input", o, axis));
  }
}

}  // namespace

Shape MaxPool2d::shape(const Shape& in) const {
  Shape out = spec_of(*this).pooled(in);
  require_inputs("y", in[1], out[1], *this, &PerAxis::y);
  require_inputs("x", in[2], out[2], *this, &PerAxis::x);
  return out;
}

ImageWindows MaxPool2d::windows(const Operator& op) const { return spec_of(*this).on(op); }

std::vector<std::uint32_t> MaxPool2d::chosen(const Operator& op, std::span<const double> x) const {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> best(elements(op.out_shape), kNone);
  for_each_window_input(op, [&](std::size_t output, std::size_t input) {
    if (best[output] == kNone || x[input] > x[best[output]]) best[output] = static_cast<std::uint32_t>(input);
  });
  return best;
}

}  // namespace upsweep

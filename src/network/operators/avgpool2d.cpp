#include "upsweep/network/operators/avgpool2d.hpp"

#include <algorithm>

#include "upsweep/network/window.hpp"

namespace upsweep {
namespace {

WindowSpec spec_of(const AvgPool2d& pool) { return {pool.kernel, pool.stride, pool.padding, {1, 1}, pool.ceil_mode}; }

/// Length of window o along one axis as it is counted, padding included.
std::uint64_t padded_length(std::uint64_t o, std::uint64_t in, const AvgPool2d& pool, std::uint64_t PerAxis::*at) {
  const std::uint64_t start = o * (pool.stride.*at);
  return std::min(start + pool.kernel.*at, in + 2 * (pool.padding.*at)) - start;
}

}  // namespace

Shape AvgPool2d::shape(const Shape& in) const {
  Shape out = spec_of(*this).pooled(in);
  if (divisor_override) require_positive("divisor_override", *divisor_override);
  return out;
}

ImageWindows AvgPool2d::windows(const Operator& op) const { return spec_of(*this).on(op); }

std::vector<double> AvgPool2d::divisors(const Operator& op) const {
  if (!count_include_pad && !divisor_override) return window_sizes(op);
  std::vector<double> divisors;
  for (std::size_t c = 0; c < op.out_shape[0]; ++c) {
    for (std::size_t oy = 0; oy < op.out_shape[1]; ++oy) {
      const std::uint64_t height = padded_length(oy, op.in_shape[1], *this, &PerAxis::y);
      for (std::size_t ox = 0; ox < op.out_shape[2]; ++ox) {
        const std::uint64_t width = padded_length(ox, op.in_shape[2], *this, &PerAxis::x);
        divisors.push_back(static_cast<double>(divisor_override.value_or(height * width)));
      }
    }
  }
  return divisors;
}

}  // namespace upsweep

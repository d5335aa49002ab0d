#include "upsweep/scan/builders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "recorder.hpp"

namespace upsweep {
namespace {

/// Calls visit(l, r) for the pairs of sweep level d.
template <class Visit>
void for_each_pair(std::int64_t last, std::uint32_t d, Visit visit) {
  const std::int64_t half = std::int64_t{1} << d;
  for (std::int64_t i = 0; i <= last - half; i += 2 * half) visit(i + half - 1, std::min(i + 2 * half - 1, last));
}

}  // namespace

std::uint32_t max_depth(std::size_t length) {
  return static_cast<std::uint32_t>(std::bit_width(length - 1)) - 1;  // bit_width(N - 1) = ceil(log2 N)
}

Schedule hybrid_schedule(std::size_t length, std::uint32_t depth) {
  Recorder a(length);
  const std::uint32_t levels = std::min(depth, max_depth(length));
  const auto last = static_cast<std::int64_t>(length) - 1;

  for (std::uint32_t d = 0; d < levels; ++d) {
    a.start_level(Phase::up);
    for_each_pair(last, d, [&](std::int64_t l, std::int64_t r) { a.join(l, r); });
  }

  const std::int64_t block = std::int64_t{1} << levels;
  ValueId& reduction = a.at(Combine::kReduction);
  for (std::int64_t i = 0; i <= last - block; i += block) {
    const std::int64_t k = i + block - 1;
    a.start_level(Phase::middle);
    const ValueId before = reduction;
    reduction = a.combine(Combine::kReduction, reduction, k, a.at(k), Combine::kReduction);
    a.at(k) = before;
  }
  a.at(last) = reduction;

  for (std::uint32_t d = levels; d-- > 0;) {
    a.start_level(Phase::down);
    for_each_pair(last, d, [&](std::int64_t l, std::int64_t r) {
      const ValueId left = a.at(l);
      a.at(l) = a.at(r);
      a.at(r) = a.combine(r, a.at(r), l, left, r);
    });
  }
  return a.finish(levels == 0 ? "linear" : fmt::format("hybrid:{}", levels), levels);
}

Schedule linear_schedule(std::size_t length) { return hybrid_schedule(length, 0); }

Schedule blelloch_schedule(std::size_t length) { return hybrid_schedule(length, max_depth(length)); }

}  // namespace upsweep

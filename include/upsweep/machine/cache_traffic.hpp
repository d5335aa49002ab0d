#pragma once

#include <cstdint>

#include "upsweep/machine/machine.hpp"

namespace upsweep {

/// Bytes that pass through the cache before an iteration comes back to a number: its own `working_set`, and what those
/// with whom it shares the cache bring in meanwhile. `seconds_with(bytes)`: what an iteration takes where so many do,
/// for OpPlace::working_set, never less for more bytes.
///
/// The longer an iteration takes the more of its numbers are gone when it comes back, which makes it longer: the least
/// such time is approached from below, in at most twelve rounds, until one adds less than a hundredth.
template <class Seconds>
[[nodiscard]] std::uint64_t cache_traffic(const Machine& machine, std::uint64_t working_set,
                                          const Seconds& seconds_with) {
  std::uint64_t bytes = working_set;
  if (machine.churn_bytes_per_s <= 0) return bytes;
  constexpr int kMostRounds = 12;
  for (int round = 0; round < kMostRounds && uncached_share(machine, bytes) < 1; ++round) {
    const double others = machine.churn_bytes_per_s * seconds_with(bytes);
    constexpr double kMost = 1e18;  // bytes: far beyond any memory
    const std::uint64_t next = working_set + static_cast<std::uint64_t>(others < kMost ? others : kMost);
    if (next - bytes <= bytes / 128) return next;
    bytes = next;
  }
  return bytes;
}

}  // namespace upsweep

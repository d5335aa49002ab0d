#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// Largest hybrid depth for an array of `length` >= 2 elements: ceil(log2 length) - 1.
[[nodiscard]] std::uint32_t max_depth(std::size_t length);

/// The array folded from the left: plain back-propagation written as products. Throws std::invalid_argument below 2
/// elements.
[[nodiscard]] Schedule linear_schedule(std::size_t length);

/// BPPSA's scan, cut: an up-sweep of D = min(depth, max_depth(length)) levels, a linear fold over the block ends, and a
/// down-sweep of D levels. Depth 0 is linear_schedule(). Throws std::invalid_argument below 2 elements.
///
/// Source: Wang, Bai and Pekhimenko, "BPPSA", MLSys 2020, Algorithm 1; index ranges for any length as README.md states
/// them.
[[nodiscard]] Schedule hybrid_schedule(std::size_t length, std::uint32_t depth);

/// hybrid_schedule() at the largest depth: the full Blelloch scan.
[[nodiscard]] Schedule blelloch_schedule(std::size_t length);

}  // namespace upsweep

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "upsweep/scan/execution.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// Values start at multiples of this many bytes.
inline constexpr std::uint64_t kArenaAlignment = 256;

/// Where the values that combines produce lie in one block of memory.
struct Arena {
  /// Offset of an array element: it is an input and lies elsewhere.
  static constexpr std::uint64_t kNotInArena = ~std::uint64_t{0};

  std::vector<std::uint64_t> offsets;  ///< by value, bytes; multiples of kArenaAlignment, or kNotInArena
  std::uint64_t bytes = 0;             ///< size of the block; 0 where nothing needs memory
};

/// Lays out the values of a schedule, so that values that are live at the same time do not overlap.
///
/// Under Execution::level a value is live from its level to the level of its last use, results to the end; dead values
/// in their own level only. What died in an earlier level is used again. Under Execution::dag nothing is used again.
/// A value of length 0 gets an offset, but no memory.
///
/// Shapes: `lengths` has the elements of every value (schedule.values()). Units: `element_bytes` is the size of one
/// element. Throws std::invalid_argument for a wrong length, CountOverflow. Cost: O(values · log values).
[[nodiscard]] Arena plan_arena(const Schedule& schedule, std::span<const std::uint64_t> lengths,
                               std::size_t element_bytes, Execution execution);

}  // namespace upsweep

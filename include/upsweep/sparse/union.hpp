#pragma once

#include <cstdint>
#include <memory>

#include "upsweep/sparse/pattern.hpp"

namespace upsweep {

/// The symbolic sum A + B of two patterns.
struct Union {
  std::uint64_t common = 0;                ///< entries that both have: one addition each
  std::shared_ptr<const Pattern> pattern;  ///< the entries that one of them has; structural, no cancellation
};

/// Structure and counts of A + B, on the threads of parallel_chunks().
///
/// Shapes: A and B alike, else std::invalid_argument. Rows that come from equal rows of both are stored once; where one
/// pattern contains the other it is handed back itself. Cost: the entries of the distinct pairs of rows. The result
/// does not depend on the threads.
[[nodiscard]] Union unite(const std::shared_ptr<const Pattern>& a, const std::shared_ptr<const Pattern>& b);

/// Whether every entry there could be is there.
[[nodiscard]] bool is_full(const Pattern& pattern);

/// A full pattern: one row, shared by all.
[[nodiscard]] Pattern full_pattern(Index rows, Index cols);

/// Rows [first, first + count) of a pattern, which keep their memory. Throws std::invalid_argument past the last row.
[[nodiscard]] Pattern row_range(const Pattern& pattern, Index first, Index count);

}  // namespace upsweep

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "range_products.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/sparse/row_walk.hpp"

namespace upsweep {

/// Ranges and splits of one end whose rows come from a walk, by falling first position.
struct EndRange {
  std::size_t number = 0;  ///< of the range
  std::uint32_t first = 0;
};
struct EndSplit {
  std::size_t number = 0;  ///< of the split
  std::uint32_t first = 0;
  std::uint32_t split = 0;
};

/// Products that end at one element of the array: their rows are rows of that element's base.
struct RowEnd {
  std::uint32_t position = 0;
  std::vector<Index> source;  ///< by row: the row of the base, RowReader::kNone; empty: itself
  std::vector<std::uint32_t>
      uses;                      ///< by number of a row of the base: rows of this element that it makes; empty: 1 each
  std::vector<EndRange> ranges;  ///< that reach down to the base
  std::vector<EndSplit> splits;  ///< whose later operand does
  std::vector<EndRange> selected_ranges;  ///< the others: at most an entry in each row
  std::vector<EndSplit> selected_splits;  ///< whose later operand is such a range
  HeldMemory held;

  [[nodiscard]] std::uint32_t uses_of(Index number) const { return uses.empty() ? 1 : uses[number]; }
};

/// An element with more than an entry in some row, the base, and those after it that select rows or leave them as they
/// are: their products have the rows of the base's. Positions are those of the scan array, from 1.
struct RowGroup {
  std::uint32_t base = 0;  ///< 0: there is none before the first such element
  std::vector<RowEnd> ends;
  std::vector<Index> rows;  ///< of the base, the first of each number; empty: each is one. kNone: no row has the number
  HeldMemory held;

  [[nodiscard]] Index row_of(Index number) const { return rows.empty() ? number : rows[number]; }
  [[nodiscard]] const RowEnd& end(std::uint32_t position) const { return ends[position - ends.front().position]; }
};

/// The groups of a chain with what a plan asks of each; `chain` has element p at p - 1. Throws OutOfRoom.
[[nodiscard]] std::vector<RowGroup> row_groups(const WalkedChain& chain, const ProductPlan& plan);

/// By position: the group of the element.
[[nodiscard]] const RowGroup& group_of(const std::vector<RowGroup>& groups, std::uint32_t position);

}  // namespace upsweep

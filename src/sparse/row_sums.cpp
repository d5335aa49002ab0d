#include "row_sums.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace upsweep {
namespace {

constexpr std::size_t kSumBlockBytes = std::size_t{1} << 16;
constexpr std::size_t kMostKnown = 8;  // sums that are looked for

/// A row as what others may have in common with it, and one column.
struct PartsOfRow {
  WindowRow common;     // where it is empty, its position is that of the row
  WindowColumn column;  // counted from the first position of `common`
};

PartsOfRow parts_of(WindowRow row) {
  if (row.nnz != 1) {
    const WindowColumn column = std::exchange(row.beside, {});
    if (column.is_there()) --row.nnz;
    return {row, column};
  }
  // The window of a single entry is its position.
  Index channel = 0;
  if (row.bits != nullptr) {
    const std::uint64_t* word = row.bits;
    while (*word == 0) ++word;
    channel = static_cast<Index>(static_cast<std::size_t>(word - row.bits) * 64 +
                                 static_cast<std::size_t>(std::countr_zero(*word)));
  }
  return {{row.y, row.x}, {channel}};
}

}  // namespace

RowSums::RowSums(Index channels)
    : channels_(channels), words_(bitmap_words(channels)), sink_(channels, kSumBlockBytes), accumulator_(channels) {}

WindowRow RowSums::sum(const ShiftedRow& a, const ShiftedRow& b) {
  const PartsOfRow of_a = parts_of(a.row);
  const PartsOfRow of_b = parts_of(b.row);
  if (!of_a.column.is_there() && !of_b.column.is_there()) return common_sum(a, b);
  if (of_a.common.nnz == 0 && of_b.common.nnz == 0) return stored(a, b);
  const ShiftedRow common_a{of_a.common, a.y, a.x};
  const ShiftedRow common_b{of_b.common, b.y, b.x};
  WindowRow row = common_sum(common_a, common_b);
  if (add_column(of_a.column, common_a, row) && add_column(of_b.column, common_b, row)) return row;
  return stored(a, b);
}

WindowRow RowSums::common_sum(const ShiftedRow& a, const ShiftedRow& b) {
  const auto known = std::ranges::find_if(
      known_, [&](const Known& other) { return other.a.shares_bits(a.row) && other.b.shares_bits(b.row); });
  if (known != known_.end()) return known->sum;
  if (known_.size() == kMostKnown) known_.erase(known_.begin());
  known_.push_back({a.row, b.row, stored(a, b)});
  return known_.back().sum;
}

WindowRow RowSums::stored(const ShiftedRow& a, const ShiftedRow& b) {
  const Window of_a = shifted(window_of(a.row), a.y, a.x);
  const Window of_b = shifted(window_of(b.row), b.y, b.x);
  accumulator_.start(a.row.nnz == 0   ? of_b
                     : b.row.nnz == 0 ? of_a
                                      : Window{joined(of_a.y, of_b.y), joined(of_a.x, of_b.x)});
  if (a.row.nnz > 0) accumulator_.add(a.row, a.y, a.x);
  if (b.row.nnz > 0) accumulator_.add(b.row, b.y, b.x);
  return stored_row(accumulator_.finish(), channels_, sink_);
}

/// Puts a column beside the bits of the sum; false where it has another there, or the column lies outside.
bool RowSums::add_column(const WindowColumn& column, const ShiftedRow& from, WindowRow& sum) const {
  if (!column.is_there()) return true;
  const std::int64_t dy = from.row.y + from.y + column.dy - sum.y;
  const std::int64_t dx = from.row.x + from.x + column.dx - sum.x;
  if (dy < 0 || dx < 0 || dy >= sum.height || dx >= sum.width) return false;
  const WindowColumn mine{column.channel, static_cast<Index>(dy), static_cast<Index>(dx)};
  if (sum.has(mine.channel, mine.dy, mine.dx, words_)) return true;
  if (sum.beside.is_there()) return false;
  sum.beside = mine;
  ++sum.nnz;
  return true;
}

}  // namespace upsweep

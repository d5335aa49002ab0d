#include "adding_order.hpp"

#include <algorithm>

#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

/// Columns by first meeting, over the rows in order.
std::vector<Index> first_met(const Layout& matrix) {
  constexpr Index kUnmet = ~Index{0};
  std::vector<Index> position(matrix.cols, kUnmet);
  Index met = 0;
  for (Index r = 0; r < matrix.rows && met < matrix.cols; ++r) {
    for (const Index column : matrix.columns(r)) {
      if (position[column] == kUnmet) position[column] = met++;
    }
  }
  // Columns that no row has: nothing is ever added there.
  for (Index& at : position) {
    if (at == kUnmet) at = met++;
  }
  return position;
}

}  // namespace

AddingOrder adding_order(const Layout& y, const Layout& c, std::size_t value_bytes) {
  constexpr std::size_t kSmallCache = 16 << 10;
  AddingOrder order;
  if (c.cols * kTeamRows * value_bytes > kSmallCache) {
    order.position = first_met(c);
    order.y_positions.reserve(y.lists->columns.size());
    for (const Index column : y.lists->columns) order.y_positions.push_back(order.position[column]);
  }
  const std::vector<Index>& positions = order.y_positions.empty() ? y.lists->columns : order.y_positions;
  order.y_contiguous.resize(y.rows);
  for (Index k = 0; k < y.rows; ++k) {
    const auto begin = positions.begin() + static_cast<std::ptrdiff_t>(y.list_begin[k]);
    const auto end = begin + y.row_nnz(k);
    order.y_contiguous[k] =
        end - begin > 4 && std::adjacent_find(begin, end, [](Index a, Index b) { return b != a + 1; }) == end;
  }
  return order;
}

}  // namespace upsweep

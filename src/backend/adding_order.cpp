#include "adding_order.hpp"

#include "upsweep/sparse/runs.hpp"

namespace upsweep {
namespace {

/// Bytes of Y that stay in the caches of one core, of 2 MiB, beside X, C and the sums. Asking for rows that are there
/// takes 4 to 15 % longer (reports/validation.md).
constexpr std::uint64_t kNearBytes = std::uint64_t{3} << 19;

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

AddingOrder adding_order(const Layout& x, const Layout& y, const Layout& c, std::size_t value_bytes) {
  AddingOrder order;
  order.y_is_run.resize(y.rows);
  for (Index k = 0; k < y.rows; ++k) {
    const std::span<const Index> columns = y.columns(k);
    order.y_is_run[k] = !columns.empty() && is_run(columns.front(), columns.back(), columns.size());
  }
  std::uint64_t steps = 0;
  std::uint64_t run_steps = 0;
  for (std::size_t team = 0; team < x.teams(); ++team) {
    for (const Index k : x.columns(x.team_rows[x.team_begin[team]])) {
      steps += y.row_nnz(k);
      run_steps += order.y_is_run[k] ? y.row_nnz(k) : 0;
    }
  }
  const bool keeps = keeps_columns(c.cols, steps, run_steps, value_bytes);
  std::uint64_t columns = 0;  // that are read
  for (Index k = 0; k < y.rows; ++k) columns += keeps && order.y_is_run[k] ? 1 : y.row_nnz(k);
  order.y_is_far = y.nnz() * value_bytes + columns * sizeof(Index) > kNearBytes;
  if (keeps) return order;
  order.y_is_run.assign(y.rows, false);
  order.position = first_met(c);
  order.y_positions.reserve(y.lists->columns.size());
  for (const Index column : y.lists->columns) order.y_positions.push_back(order.position[column]);
  return order;
}

}  // namespace upsweep

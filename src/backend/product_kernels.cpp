#include "product_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "ask_ahead.hpp"
#include "upsweep/machine/op_parts.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

/// kTeamRows numbers that are computed together.
template <class T>
struct Lanes {
  using Vector [[gnu::vector_size(kTeamRows * sizeof(T)), gnu::may_alias]] = T;
};
template <class T>
using LaneVector = typename Lanes<T>::Vector;

/// The rows of X (and of C) that a team stands for. A team of fewer than kTeamRows rows repeats its first row as
/// padding; the result of a padding lane is dropped.
struct ProductTeam {
  std::array<Index, kTeamRows> rows;
  std::size_t members;
};

ProductTeam team_at(const Layout& x, std::size_t number) {
  ProductTeam team{};
  const std::size_t begin = x.team_begin[number];
  team.members = x.team_begin[number + 1] - begin;
  for (std::size_t m = 0; m < kTeamRows; ++m) team.rows[m] = x.team_rows[begin + (m < team.members ? m : 0)];
  return team;
}

template <class T>
std::array<const T*, kTeamRows> lanes_of(const Layout& x, const T* values, const ProductTeam& team) {
  std::array<const T*, kTeamRows> lanes{};
  for (std::size_t m = 0; m < kTeamRows; ++m) lanes[m] = values + x.value_begin[team.rows[m]];
  return lanes;
}

template <class T>
LaneVector<T> gathered(const std::array<const T*, kTeamRows>& lanes, std::size_t e) {
  return LaneVector<T>{lanes[0][e], lanes[1][e], lanes[2][e], lanes[3][e]};
}
static_assert(kTeamRows == 4, "gathered() writes its lanes out");

/// Numbers after which streams ask again: of T a line of the cache.
template <class T>
constexpr std::size_t kLine = 64 / sizeof(T);

template <class T>
T dot(const Index* columns, const T* values, std::size_t count, const T* vector) {
  // Four sums hide the latency of the addition.
  T sums[4] = {0, 0, 0, 0};
  std::size_t e = 0;
  for (; e + kLine<T> <= count; e += kLine<T>) {
    ask_ahead(values + e);
    ask_ahead(columns + e);
    for (std::size_t s = 0; s < kLine<T>; ++s) sums[s % 4] += values[e + s] * vector[columns[e + s]];
  }
  for (; e + 4 <= count; e += 4) {
    for (std::size_t s = 0; s < 4; ++s) sums[s] += values[e + s] * vector[columns[e + s]];
  }
  for (; e < count; ++e) sums[0] += values[e] * vector[columns[e]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class T>
void vector_team(const ProductTask<T>& task, const ProductTeam& team, std::size_t count, const Index* columns) {
  if (team.members == 1) {
    const Index r = team.rows[0];
    task.c_values[r] = dot(columns, task.x_values + task.x->value_begin[r], count, task.y_values);
    return;
  }
  const auto lanes = lanes_of(*task.x, task.x_values, team);
  LaneVector<T> even{};
  LaneVector<T> odd{};
  std::size_t e = 0;
  for (; e + 2 <= count; e += 2) {
    if (e % kLine<T> == 0) {
      for (const T* const lane : lanes) ask_ahead(lane + e);
      ask_ahead(columns + e);
    }
    even += gathered(lanes, e) * task.y_values[columns[e]];
    odd += gathered(lanes, e + 1) * task.y_values[columns[e + 1]];
  }
  if (e < count) even += gathered(lanes, e) * task.y_values[columns[e]];
  even += odd;
  for (std::size_t m = 0; m < team.members; ++m) task.c_values[team.rows[m]] = even[m];
}

/// A vector whose elements are picked and scaled: X has at most one entry per row.
template <class T>
bool scales_vector(const ProductTask<T>& task) {
  return task.form == ProductForm::vector && task.x->is_single;
}

/// Rows [begin, end) of such a vector.
template <class T>
void scale_vector(const ProductTask<T>& task, std::size_t begin, std::size_t end) {
  const Layout& x = *task.x;
  const Index* const columns = x.lists->columns.data();
  if (x.nnz() == x.rows) {
    for (std::size_t r = begin; r < end; ++r)
      task.c_values[r] = task.x_values[r] * task.y_values[columns[x.list_begin[r]]];
    return;
  }
  for (std::size_t r = begin; r < end; ++r) {
    const std::uint64_t at = x.value_begin[r];
    const bool has_entry = x.value_begin[r + 1] > at;
    task.c_values[r] = has_entry ? task.x_values[at] * task.y_values[columns[x.list_begin[r]]] : T{0};
  }
}

template <class T>
void scale_rows(const ProductTask<T>& task, std::size_t begin, std::size_t end) {
  for (std::size_t r = begin; r < end; ++r) {
    const auto row = static_cast<Index>(r);
    if (task.x->row_nnz(row) == 0) continue;
    const Index k = task.x->columns(row).front();
    const T factor = task.x_values[task.x->value_begin[row]];
    const T* from = task.y_values + task.y->value_begin[k];
    T* to = task.c_values + task.c->value_begin[row];
    const std::size_t count = task.y->row_nnz(k);
    std::size_t e = 0;
    for (; e + kLine<T> <= count; e += kLine<T>) {
      ask_ahead(from + e);
      ask_ahead_to_write(to + e);
      for (std::size_t i = e; i < e + kLine<T>; ++i) to[i] = factor * from[i];
    }
    for (; e < count; ++e) to[e] = factor * from[e];
  }
}

template <class T>
void scale_columns_row(const ProductTask<T>& task, Index r) {
  const std::span<const Index> columns = task.x->columns(r);
  const T* const from = task.x_values + task.x->value_begin[r];
  T* const to = task.c_values + task.x->value_begin[r];
  std::size_t e = 0;
  for (; e + kLine<T> <= columns.size(); e += kLine<T>) {
    ask_ahead(from + e);
    ask_ahead_to_write(to + e);
    ask_ahead(columns.data() + e);
    for (std::size_t i = e; i < e + kLine<T>; ++i) to[i] = from[i] * task.y_values[columns[i]];
  }
  for (; e < columns.size(); ++e) to[e] = from[e] * task.y_values[columns[e]];
}

/// Calls visit(position) for the sums of row r of C, in the order of its columns.
template <class T, class Visit>
void for_each_position(const ProductTask<T>& task, Index r, const Visit& visit) {
  const std::vector<Index>& position = task.order->position;
  if (position.empty()) {
    for (const Index column : task.c->columns(r)) visit(column);
  } else {
    for (const Index column : task.c->columns(r)) visit(position[column]);
  }
}

/// Positions of the sums that row k of Y adds to.
template <class T>
const Index* y_positions(const ProductTask<T>& task, Index k) {
  const std::vector<Index>& positions =
      task.order->y_positions.empty() ? task.y->lists->columns : task.order->y_positions;
  return positions.data() + task.y->list_begin[k];
}

/// Moves the sums of a row of C out of the accumulators and clears those.
template <class T>
void harvest_row(const ProductTask<T>& task, Index r, T* sums) {
  T* to = task.c_values + task.c->value_begin[r];
  std::size_t e = 0;
  for_each_position(task, r, [&](std::size_t position) {
    if (e % kLine<T> == 0) ask_ahead_to_write(to + e);
    to[e++] = sums[position];
    sums[position] = 0;
  });
}

template <class T>
void harvest_team(const ProductTask<T>& task, const ProductTeam& team, LaneVector<T>* sums) {
  std::array<T*, kTeamRows> to{};
  for (std::size_t m = 0; m < kTeamRows; ++m) to[m] = task.c_values + task.c->value_begin[team.rows[m]];
  std::size_t e = 0;
  for_each_position(task, team.rows[0], [&](std::size_t position) {
    const LaneVector<T> sum = sums[position];
    sums[position] = LaneVector<T>{};
    if (e % kLine<T> == 0) {
      for (T* const lane : to) ask_ahead_to_write(lane + e);
    }
    // A padding lane holds the same sum as the row that it repeats.
    for (std::size_t m = 0; m < kTeamRows; ++m) to[m][e] = sum[m];
    ++e;
  });
}

/// A row of Y out of the near caches takes 20 to 170 ns more than one in them, more than adding it up takes where it
/// has 100 entries (reports/validation.md). The first lines of the next one are asked for before a row is added up, and
/// within a row what is a little further on: beyond its end as well, where the row after it often comes next.
constexpr std::uintptr_t kFirstLines = 4;
constexpr std::uintptr_t kAheadInRow = 768;  // bytes

/// Asks for the beginning of row k of Y.
template <class T>
[[gnu::always_inline]] inline void ask_for_row(const ProductTask<T>& task, Index k) {
  constexpr std::uintptr_t kLineBytes = 64;
  const T* const values = task.y_values + task.y->value_begin[k];
  for (std::uintptr_t line = 0; line < kFirstLines; ++line) ask_ahead(values, line * kLineBytes);
  if (task.order->y_is_run[k]) return;
  const Index* const positions = y_positions(task, k);
  for (std::uintptr_t line = 0; line < kFirstLines; ++line) ask_ahead(positions, line * kLineBytes);
}

/// sums += factor · kLine numbers; a line that is asked for in the same loop keeps a compiler from doing so by vectors.
template <class T>
void add_line(const T* values, T factor, T* sums) {
  static_assert(kLine<T> % kTeamRows == 0);
  for (std::size_t e = 0; e < kLine<T>; e += kTeamRows) {
    LaneVector<T> some;
    LaneVector<T> sum;
    std::memcpy(&some, values + e, sizeof some);
    std::memcpy(&sum, sums + e, sizeof sum);
    sum += factor * some;
    std::memcpy(sums + e, &sum, sizeof sum);
  }
}
template <class T>
void add_line(const T* values, LaneVector<T> factor, LaneVector<T>* sums) {
  for (std::size_t e = 0; e < kLine<T>; ++e) sums[e] += factor * values[e];
}

/// sums += factor · `count` numbers that follow one another. `kFar`: AddingOrder::y_is_far.
template <bool kFar, class T, class Sum>
void add_run(const T* values, std::size_t count, Sum factor, Sum* sums) {
  const bool is_long = count > kAheadInRow / sizeof(T);  // what follows shorter runs slows them down
  for (; count >= kLine<T>; count -= kLine<T>, values += kLine<T>, sums += kLine<T>) {
    if (kFar && is_long) ask_ahead(values, kAheadInRow);
    add_line(values, factor, sums);
  }
  for (std::size_t e = 0; e < count; ++e) sums[e] += factor * values[e];
}

/// sums += factor · (row k of Y), spread over its columns.
template <bool kFar, class T, class Sum>
void add_row(const ProductTask<T>& task, Index k, Sum factor, Sum* sums) {
  const Index* positions = y_positions(task, k);
  const T* values = task.y_values + task.y->value_begin[k];
  const std::size_t count = task.y->row_nnz(k);
  if (task.order->y_is_run[k]) {
    add_run<kFar>(values, count, factor, sums + positions[0]);
    return;
  }
  // The positions of a row differ: four sums may be read before the first is written, which a compiler cannot know.
  std::size_t e = 0;
  for (; e + 4 <= count; e += 4) {
    if (kFar && e % kLine<T> == 0) {
      ask_ahead(values + e, kAheadInRow);
      ask_ahead(positions + e, kAheadInRow);
    }
    Sum* const at[] = {sums + positions[e], sums + positions[e + 1], sums + positions[e + 2], sums + positions[e + 3]};
    const Sum next[] = {*at[0] + factor * values[e], *at[1] + factor * values[e + 1], *at[2] + factor * values[e + 2],
                        *at[3] + factor * values[e + 3]};
    for (std::size_t i = 0; i < 4; ++i) *at[i] = next[i];
  }
  for (; e < count; ++e) sums[positions[e]] += factor * values[e];
}

/// The same where a row of Y has at most one entry.
template <class T, class Sum>
void add_entry(const ProductTask<T>& task, Index k, const Sum& factor, Sum* sums) {
  if (task.y->row_nnz(k) == 0) return;
  sums[*y_positions(task, k)] += factor * task.y_values[task.y->value_begin[k]];
}

template <class T, class Add>
void accumulate_team(const ProductTask<T>& task, const ProductTeam& team, Scratch<T>& scratch, const Add& add) {
  const std::span<const Index> columns = task.x->columns(team.rows[0]);
  T* sums = scratch.zeros(scratch_size(task));
  if (team.members == 1) {
    const T* values = task.x_values + task.x->value_begin[team.rows[0]];
    for (std::size_t e = 0; e < columns.size(); ++e) add(columns[e], values[e], sums);
    harvest_row(task, team.rows[0], sums);
    return;
  }
  const auto lanes = lanes_of(*task.x, task.x_values, team);
  auto* wide = reinterpret_cast<LaneVector<T>*>(sums);
  for (std::size_t e = 0; e < columns.size(); ++e) add(columns[e], gathered(lanes, e), wide);
  harvest_team(task, team, wide);
}

}  // namespace

template <class T>
std::size_t ProductTask<T>::units() const {
  const bool scales = form == ProductForm::scale_rows || form == ProductForm::scale_columns || scales_vector(*this);
  return scales ? x->rows : x->teams();
}

template <class T>
std::vector<std::uint64_t> ProductTask<T>::unit_costs() const {
  std::vector<std::uint64_t> costs{0};
  costs.reserve(units() + 1);
  const bool picks = scales_vector(*this);
  for (std::size_t unit = 0; unit < units(); ++unit) {
    if (picks) {
      costs.push_back(costs.back() + kPickCost * x->row_nnz(static_cast<Index>(unit)));
      continue;
    }
    std::uint64_t cost = kUnitCost;
    if (form == ProductForm::scale_columns) {
      cost += x->row_nnz(static_cast<Index>(unit));
    } else if (form == ProductForm::scale_rows) {
      cost += c->row_nnz(static_cast<Index>(unit));
    } else {
      const Index row = x->team_rows[x->team_begin[unit]];
      cost += form == ProductForm::vector ? x->row_nnz(row) : c->row_nnz(row);
      if (form == ProductForm::single_columns) cost += x->row_nnz(row);
      if (form == ProductForm::general) {
        for (const Index k : x->columns(row)) cost += kUnitCost + y->row_nnz(k);
      }
    }
    costs.push_back(costs.back() + cost);
  }
  return costs;
}

template <class T>
std::size_t scratch_size(const ProductTask<T>& task) {
  const bool accumulates = task.form == ProductForm::single_columns || task.form == ProductForm::general;
  return accumulates ? std::size_t{task.c->cols} * kTeamRows : 0;
}

template <class T>
void compute_units(const ProductTask<T>& task, std::size_t begin, std::size_t end, Scratch<T>& scratch) {
  if (scales_vector(task)) {
    scale_vector(task, begin, end);
    return;
  }
  if (task.form == ProductForm::scale_rows) {
    scale_rows(task, begin, end);
    return;
  }
  if (task.form == ProductForm::scale_columns) {
    for (std::size_t r = begin; r < end; ++r) scale_columns_row(task, static_cast<Index>(r));
    return;
  }
  for (std::size_t number = begin; number < end; ++number) {
    const ProductTeam team = team_at(*task.x, number);
    const std::span<const Index> columns = task.x->columns(team.rows[0]);
    if (task.form == ProductForm::vector) {
      vector_team(task, team, columns.size(), columns.data());
    } else if (task.form == ProductForm::single_columns) {
      accumulate_team(task, team, scratch,
                      [&](Index k, const auto& factor, auto* sums) { add_entry(task, k, factor, sums); });
    } else if (task.order->y_is_far) {
      const Index* next = columns.data();
      const Index* const last = next + columns.size() - 1;
      ask_for_row(task, *next);
      accumulate_team(task, team, scratch, [&](Index k, const auto& factor, auto* sums) {
        if (next != last) ask_for_row(task, *++next);
        add_row<true>(task, k, factor, sums);
      });
    } else {
      accumulate_team(task, team, scratch,
                      [&](Index k, const auto& factor, auto* sums) { add_row<false>(task, k, factor, sums); });
    }
  }
}

template <class T>
void clear_untouched(const ProductTask<T>& task) {
  if (task.form != ProductForm::vector || scales_vector(task) || task.x->team_rows.size() == task.x->rows) return;
  for (Index r = 0; r < task.x->rows; ++r) {
    if (task.x->row_nnz(r) == 0) task.c_values[r] = 0;
  }
}

template struct ProductTask<float>;
template struct ProductTask<double>;
template std::size_t scratch_size<float>(const ProductTask<float>&);
template std::size_t scratch_size<double>(const ProductTask<double>&);
template void compute_units<float>(const ProductTask<float>&, std::size_t, std::size_t, Scratch<float>&);
template void compute_units<double>(const ProductTask<double>&, std::size_t, std::size_t, Scratch<double>&);
template void clear_untouched<float>(const ProductTask<float>&);
template void clear_untouched<double>(const ProductTask<double>&);

}  // namespace upsweep

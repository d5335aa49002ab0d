#pragma once

#include "recurrent_cell_view.hpp"
#include "recurrent_outer_plan.hpp"

/// Gradients of the parameters from all hidden gradients. Teams as in recurrent_walk_program.hpp.
/// Source: thesis, Equation 2.2.
namespace upsweep::kernels {

/// Operands and results where a kernel can read them; owns nothing. `cell` needs no W_hh; its gradients are only read.
template <class T>
struct OuterView {
  CellView<T> cell;
  const T* inputs = nullptr;  ///< [t - 1][b][input]
  const T* logits = nullptr;  ///< [b][classes]: gradients of the logits
  OuterPlan plan;
  double* partials = nullptr;  ///< plan.partials
  T* result = nullptr;         ///< plan.sums
};

/// The gradient with respect to one sum of element `at` of the arrays of gates, as the hidden states see it or, of a
/// gru's last gate, otherwise as the inputs do: not through the reset gate.
template <CellKind kKind, class T>
[[nodiscard]] UPSWEEP_HOST_DEVICE T delta_of(const CellView<T>& cell, unsigned gate, std::uint64_t at, bool is_input) {
  const T g = cell.gradients[at + cell.stride()];
  if constexpr (kKind == CellKind::rnn) {
    const T after = cell.states[at + cell.stride()];
    if (cell.is_relu) return after > 0 ? g : T(0);
    return g * ((1 - after) * (1 + after));
  } else {
    const T z = cell.z[at];
    const T n = cell.n[at];
    if (gate == 1) return g * (cell.states[at] - n) * (z * (1 - z));
    const T sum_n = g * (1 - z) * ((1 - n) * (1 + n));
    if (gate == 2 && is_input) return sum_n;
    const T r = cell.r[at];
    return gate == 2 ? sum_n * r : sum_n * cell.m[at] * (r * (1 - r));
  }
}

/// Lanes of a team: each has 4 × 4 sums of a tile.
inline constexpr unsigned kOuterLanes = 64;
inline constexpr unsigned kOuterRows = 32;  ///< rows that are in shared memory at a time

template <class T>
struct OuterScratch {
  Pack<T, 4> left[kOuterRows][OuterProduct::kTile / 4];
  Pack<T, 4> right[kOuterRows][OuterProduct::kTile / 4];
};

/// One tile of one part of a product.
template <CellKind kKind, class T, class Team>
class OuterProgram {
 public:
  UPSWEEP_HOST_DEVICE OuterProgram(const Team& team, const OuterView<T>& view, OuterScratch<T>& shared)
      : team_(team), view_(view), shared_(shared) {}

  /// Writes the partial sums of a team of all teams.
  ///
  /// Bound: arithmetic or memory, by the size. Per row of a tile 64 numbers are formed from up to 5 kept ones each, for
  /// 2048 operations; rows of `left` are formed again for each 32 columns of `right`, and those of `right` read for
  /// each 32 of `left`. It writes 8 bytes per sum, of which there are at most about 2048 tiles' worth or one part's.
  UPSWEEP_HOST_DEVICE void run(std::uint64_t team_number) {
    kind_ = static_cast<OuterKind>(view_.plan.of_team(team_number));
    const OuterProduct& product = view_.plan.products[static_cast<unsigned>(kind_)];
    const std::uint64_t number = team_number - product.first_team;
    const std::uint64_t part = number / product.tiles();
    const std::uint64_t tile = number % product.tiles();
    first_left_ = static_cast<std::uint32_t>(tile / product.tiles_across()) * OuterProduct::kTile;
    first_right_ = static_cast<std::uint32_t>(tile % product.tiles_across()) * OuterProduct::kTile;
    const std::uint64_t begin = part * product.rows_per_part;
    const std::uint64_t end =
        begin + product.rows_per_part < product.rows ? begin + product.rows_per_part : product.rows;
    double totals[kItems][4][4] = {};
    for (std::uint64_t at = begin; at < end; at += OuterProduct::kRowsPerSum) {
      T sums[kItems][4][4] = {};
      const std::uint64_t last = at + OuterProduct::kRowsPerSum < end ? at + OuterProduct::kRowsPerSum : end;
      for (std::uint64_t row = at; row < last; row += kOuterRows) {
        fill(product, row, last);
        team_.sync();
        UPSWEEP_UNROLL
        for (unsigned item = 0; item < kItems; ++item) multiply(item, sums[item]);
        team_.sync();
      }
      UPSWEEP_UNROLL
      for (unsigned item = 0; item < kItems; ++item) add(sums[item], totals[item]);
    }
    UPSWEEP_UNROLL
    for (unsigned item = 0; item < kItems; ++item) {
      write(product, item, totals[item], view_.partials + product.first_partial + part * product.sums());
    }
  }

 private:
  static constexpr unsigned kItems = (kOuterLanes + Team::kSize - 1) / Team::kSize;
  static constexpr unsigned kTile = OuterProduct::kTile;
  static constexpr unsigned kLanesAcross = kTile / 4;

  [[nodiscard]] UPSWEEP_HOST_DEVICE unsigned lane(unsigned item) const { return team_.rank() + item * Team::kSize; }

  /// Rows [row, row + kOuterRows) of both operands; zeros stand for those from `last` on.
  UPSWEEP_HOST_DEVICE void fill(const OuterProduct& product, std::uint64_t row, std::uint64_t last) {
    for (unsigned i = team_.rank(); i < kOuterRows * kTile; i += Team::kSize) {
      const unsigned r = i / kTile;
      const unsigned col = i % kTile;
      const bool is_there = row + r < last;
      const std::uint32_t left = first_left_ + col;
      const std::uint32_t right = first_right_ + col;
      shared_.left[r][col / 4].x[col % 4] = is_there && left < product.left ? left_of(row + r, left) : T(0);
      shared_.right[r][col / 4].x[col % 4] =
          is_there && right <= product.right ? right_of(product, row + r, right) : T(0);
    }
  }

  [[nodiscard]] UPSWEEP_HOST_DEVICE T left_of(std::uint64_t row, std::uint32_t column) const {
    if (kind_ == OuterKind::head) return view_.logits[row * view_.plan.products[2].left + column];
    const std::uint32_t h = view_.cell.hidden;
    const unsigned gate = column / h;
    return delta_of<kKind>(view_.cell, gate, row * h + (column - gate * h), kind_ == OuterKind::input);
  }

  [[nodiscard]] UPSWEEP_HOST_DEVICE T right_of(const OuterProduct& product, std::uint64_t row,
                                               std::uint32_t column) const {
    if (column == product.right) return 1;
    const std::uint64_t at = row * product.right + column;
    if (kind_ == OuterKind::input) return view_.inputs[at];
    // Of the head h_T, else h_{t-1}: step t of a sample stands where h_{t-1} does.
    const std::uint64_t start = kind_ == OuterKind::head ? view_.plan.products[0].rows * product.right : 0;
    return view_.cell.states[start + at];
  }

  UPSWEEP_HOST_DEVICE void multiply(unsigned item, T (&sums)[4][4]) const {
    const unsigned down = lane(item) / kLanesAcross;
    const unsigned across = lane(item) % kLanesAcross;
    for (unsigned r = 0; r < kOuterRows; ++r) {
      const Pack<T, 4> left = shared_.left[r][down];
      const Pack<T, 4> right = shared_.right[r][across];
      UPSWEEP_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        UPSWEEP_UNROLL
        for (unsigned j = 0; j < 4; ++j) sums[i][j] += left.x[i] * right.x[j];
      }
    }
  }

  UPSWEEP_HOST_DEVICE static void add(const T (&sums)[4][4], double (&totals)[4][4]) {
    UPSWEEP_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      UPSWEEP_UNROLL
      for (unsigned j = 0; j < 4; ++j) totals[i][j] += static_cast<double>(sums[i][j]);
    }
  }

  UPSWEEP_HOST_DEVICE void write(const OuterProduct& product, unsigned item, const double (&totals)[4][4],
                                 double* to) const {
    UPSWEEP_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint32_t left = first_left_ + lane(item) / kLanesAcross * 4 + i;
      UPSWEEP_UNROLL
      for (unsigned j = 0; j < 4; ++j) {
        const std::uint32_t right = first_right_ + lane(item) % kLanesAcross * 4 + j;
        if (left < product.left && right <= product.right)
          to[std::uint64_t{left} * (product.right + 1U) + right] = totals[i][j];
      }
    }
  }

  const Team& team_;
  const OuterView<T>& view_;
  OuterScratch<T>& shared_;
  OuterKind kind_ = OuterKind::hidden;
  std::uint32_t first_left_ = 0;
  std::uint32_t first_right_ = 0;
};

/// How a team adds up parts: kColumns sums at a time, whose parts are dealt out to kGroups lanes.
inline constexpr unsigned kPartColumns = 32;
inline constexpr unsigned kPartGroups = 8;

struct PartScratch {
  double sums[kPartGroups][kPartColumns];
};

/// Writes kPartColumns of the results: the sums of all their parts, rounded once.
///
/// Bound: memory; it reads 8 bytes per part and sum.
template <class T, class Team>
UPSWEEP_HOST_DEVICE void part_program(const Team& team, const OuterView<T>& view, std::uint64_t team_number,
                                      PartScratch& shared) {
  const std::uint64_t first = team_number * kPartColumns;
  for (unsigned lane = team.rank(); lane < kPartGroups * kPartColumns; lane += Team::kSize) {
    const std::uint64_t sum = first + lane % kPartColumns;
    double total = 0;
    if (sum < view.plan.sums) {
      const OuterProduct& product = view.plan.products[view.plan.of_sum(sum)];
      const double* const from = view.partials + product.first_partial + (sum - product.first_sum);
      for (std::uint64_t part = lane / kPartColumns; part < product.parts; part += kPartGroups)
        total += from[part * product.sums()];
    }
    shared.sums[lane / kPartColumns][lane % kPartColumns] = total;
  }
  team.sync();
  for (unsigned lane = team.rank(); lane < kPartColumns; lane += Team::kSize) {
    double total = 0;
    for (unsigned group = 0; group < kPartGroups; ++group) total += shared.sums[group][lane];
    if (first + lane < view.plan.sums) view.result[first + lane] = static_cast<T>(total);
  }
}

}  // namespace upsweep::kernels

#pragma once

#include "recurrent_cell_view.hpp"

/// Products of two square matrices in shared memory, a tile of the result per lane, in registers.
namespace upsweep::kernels {

/// How lanes share a result of kHidden × kHidden: the lane at (y, x) has the rows y, y + kTeamRows, ... and kCols
/// columns from x · kCols on.
template <class T, unsigned kHiddenClass>
struct TileShape {
  using Number = T;
  static constexpr unsigned kHidden = kHiddenClass;
  static constexpr unsigned kRows = kHidden == 8                     ? 2
                                    : kHidden == 16 || kHidden == 20 ? 4
                                    : kHidden == 24 || kHidden == 48 ? 6
                                                                     : 8;  ///< rows of a tile
  static constexpr unsigned kCols = kHidden == 8 ? 1 : kHidden == 16 ? 2 : 4;
  static constexpr unsigned kTeamRows = kHidden / kRows;
  static constexpr unsigned kTeamCols = kHidden / kCols;
  static constexpr unsigned kLanes = kTeamRows * kTeamCols;
  static constexpr unsigned kThreads = (kLanes + 31) / 32 * 32;
  static_assert(kTeamRows * kRows == kHidden && kTeamCols * kCols == kHidden && kHidden % 4 == 0);
};

/// The place of a lane's tile.
template <class Shape>
struct TileLane {
  UPSWEEP_HOST_DEVICE explicit TileLane(unsigned lane)
      : is_there(lane < Shape::kLanes), y(lane / Shape::kTeamCols), col(lane % Shape::kTeamCols * Shape::kCols) {}

  [[nodiscard]] UPSWEEP_HOST_DEVICE unsigned row(unsigned i) const { return y + i * Shape::kTeamRows; }

  bool is_there;
  unsigned y;
  unsigned col;  ///< the first one
};

template <class Shape>
struct Tile {
  typename Shape::Number x[Shape::kRows][Shape::kCols] = {};
};

/// A lane's tile of left · right, row-major matrices of kHidden × kHidden, summed over their first `depth` columns and
/// rows; `depth` is a multiple of 4.
///
/// Per 4 columns it reads kRows + 4 packs for 4 · kRows · kCols multiply-adds.
template <class Shape, class T>
UPSWEEP_HOST_DEVICE void multiply_tile(const T* left, const T* right, unsigned depth, const TileLane<Shape>& lane,
                                       Tile<Shape>& tile) {
  constexpr unsigned kWide = kPack<T>;
  tile = {};
  for (unsigned k = 0; k < depth; k += kWide) {
    Pack<T, kWide> rows[Shape::kRows];
    UPSWEEP_UNROLL
    for (unsigned i = 0; i < Shape::kRows; ++i) rows[i] = load_pack<kWide>(left + lane.row(i) * Shape::kHidden + k);
    UPSWEEP_UNROLL
    for (unsigned v = 0; v < kWide; ++v) {
      const auto cols = load_pack<Shape::kCols>(right + (k + v) * Shape::kHidden + lane.col);
      UPSWEEP_UNROLL
      for (unsigned i = 0; i < Shape::kRows; ++i) {
        UPSWEEP_UNROLL
        for (unsigned j = 0; j < Shape::kCols; ++j) tile.x[i][j] += rows[i].x[v] * cols.x[j];
      }
    }
  }
}

/// One row of a tile, as it is read and written.
template <class Shape>
[[nodiscard]] UPSWEEP_HOST_DEVICE auto row_of(const Tile<Shape>& tile, unsigned i) {
  Pack<typename Shape::Number, Shape::kCols> row;
  UPSWEEP_UNROLL
  for (unsigned j = 0; j < Shape::kCols; ++j) row.x[j] = tile.x[i][j];
  return row;
}

/// Writes a tile into a matrix of `hidden` rows that are padded_row(hidden) apart, its padding too.
template <class Shape, class T>
UPSWEEP_HOST_DEVICE void write_tile(const Tile<Shape>& tile, const TileLane<Shape>& lane, unsigned hidden, T* to) {
  if (lane.col >= padded_row(hidden)) return;
  UPSWEEP_UNROLL
  for (unsigned i = 0; i < Shape::kRows; ++i) {
    if (lane.row(i) >= hidden) continue;
    store_pack(to + std::uint64_t{lane.row(i)} * padded_row(hidden) + lane.col, row_of(tile, i));
  }
}

}  // namespace upsweep::kernels

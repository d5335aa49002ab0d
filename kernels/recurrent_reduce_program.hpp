#pragma once

#include "recurrent_factors.hpp"
#include "recurrent_tile_product.hpp"

/// A run of steps reduced to the product of its Jacobians. Teams as in recurrent_walk_program.hpp.
namespace upsweep::kernels {

/// What a team shares; too much of it for static shared memory.
template <class T, CellKind kKind, unsigned kHidden>
struct ReduceScratch {
  alignas(16) T left[kHidden * kHidden];
  alignas(16) T right[kHidden * kHidden];  ///< rnn: W_hh; gru: the Jacobian of the step
  T factors[ElementStates<T, kKind>::kFactors * kHidden];
};

/// Step by step, the product of the Jacobians of one sample, the latest first; not transposed.
template <CellKind kKind, class Shape, class Team>
class ReduceProgram {
 public:
  using T = typename Shape::Number;
  using States = ElementStates<T, kKind>;
  using Scratch = ReduceScratch<T, kKind, Shape::kHidden>;
  using Lane = TileLane<Shape>;

  UPSWEEP_HOST_DEVICE ReduceProgram(const Team& team, const CellView<T>& cell, Scratch& shared)
      : team_(team), cell_(cell), shared_(shared) {}

  /// Writes J_from · J_{from-1} ··· J_{to+1} into `result`, hidden rows that are padded_row(hidden) apart.
  ///
  /// An rnn's Jacobian is diag(f') W_hh, so that a step scales the columns of the product and multiplies by W_hh,
  /// which stays in shared memory. A gru's is formed in shared memory from W_hh in the L1 cache.
  ///
  /// Bound: 2 · hidden³ FLOPs per step (gru: and 6 · hidden² to form) where enough blocks are there, else their chain
  /// with two barriers per step; it reads hidden numbers of each kept array per step, and writes hidden² at the end.
  UPSWEEP_HOST_DEVICE void run(std::uint64_t b, StepRange range, T* result) {
    UPSWEEP_UNROLL
    for (unsigned item = 0; item < kElementItems; ++item) {
      const unsigned i = team_.rank() + item * Team::kSize;
      states_[item].start(cell_, cell_.place(range.from - 1, b) + i, range, i < cell_.hidden);
    }
    if constexpr (kKind == CellKind::rnn) fill_weights();
    Tile<Shape> product[kItems];
    for (std::uint64_t t = range.from; t > range.to; --t) {
      write_factors();
      team_.sync();  // and all have read the matrices of the step before
      const bool is_first = t == range.from;
      for_each_tile(product, [&](const Lane& lane, Tile<Shape>& tile) {
        if (is_first) {
          form(lane, tile);
        } else {
          share(lane, tile);
        }
      });
      team_.sync();  // and all have read the factors
      if (is_first) continue;
      for_each_tile(product, [&](const Lane& lane, Tile<Shape>& tile) {
        multiply_tile(shared_.left, shared_.right, padded_row(cell_.hidden), lane, tile);
      });
    }
    for_each_tile(product,
                  [&](const Lane& lane, const Tile<Shape>& tile) { write_tile(tile, lane, cell_.hidden, result); });
  }

 private:
  static constexpr unsigned kItems = (Shape::kThreads + Team::kSize - 1) / Team::kSize;
  static constexpr unsigned kElementItems = (Shape::kHidden + Team::kSize - 1) / Team::kSize;
  static constexpr unsigned kAhead = kKind == CellKind::gru ? 2 : 4;

  template <class Tiles, class Body>
  UPSWEEP_HOST_DEVICE void for_each_tile(Tiles& tiles, const Body& body) const {
    UPSWEEP_UNROLL
    for (unsigned item = 0; item < kItems; ++item) {
      const Lane lane(team_.rank() + item * Team::kSize);
      if (lane.is_there) body(lane, tiles[item]);
    }
  }

  /// The factors of the next step, to shared memory.
  UPSWEEP_HOST_DEVICE void write_factors() {
    UPSWEEP_UNROLL
    for (unsigned item = 0; item < kElementItems; ++item) {
      const unsigned i = team_.rank() + item * Team::kSize;
      T factors[States::kFactors];
      states_[item].next(cell_).factors(cell_.is_relu, factors);
      UPSWEEP_UNROLL
      for (unsigned f = 0; f < States::kFactors; ++f) {
        if (i < Shape::kHidden) shared_.factors[f * Shape::kHidden + i] = factors[f];
      }
    }
  }

  /// Part of a row of W_hh; zeros where there is none.
  [[nodiscard]] UPSWEEP_HOST_DEVICE Pack<T, Shape::kCols> weights(unsigned gate, unsigned row, unsigned col) const {
    const unsigned width = padded_row(cell_.hidden);
    if (row >= cell_.hidden || col >= width) return {};
    return load_pack<Shape::kCols>(cell_.w_hh + (std::uint64_t{gate} * cell_.hidden + row) * width + col);
  }

  UPSWEEP_HOST_DEVICE void fill_weights() {
    for (unsigned at = team_.rank(); at < Shape::kLanes; at += Team::kSize) {
      const Lane lane(at);
      for (unsigned i = 0; i < Shape::kRows; ++i) {
        const unsigned row = lane.row(i);
        store_pack(shared_.right + row * Shape::kHidden + lane.col, weights(0, row, lane.col));
      }
    }
  }

  /// A tile of the step's Jacobian.
  UPSWEEP_HOST_DEVICE void form(const Lane& lane, Tile<Shape>& tile) const {
    UPSWEEP_UNROLL
    for (unsigned i = 0; i < Shape::kRows; ++i) {
      const unsigned row = lane.row(i);
      UPSWEEP_UNROLL
      for (unsigned j = 0; j < Shape::kCols; ++j) tile.x[i][j] = 0;
      UPSWEEP_UNROLL
      for (unsigned gate = 0; gate < States::kGates; ++gate) {
        const auto w = weights(gate, row, lane.col);
        const T factor = shared_.factors[gate * Shape::kHidden + row];
        UPSWEEP_UNROLL
        for (unsigned j = 0; j < Shape::kCols; ++j) tile.x[i][j] += factor * w.x[j];
      }
      if constexpr (kKind == CellKind::gru) {
        UPSWEEP_UNROLL
        for (unsigned j = 0; j < Shape::kCols; ++j) {
          if (lane.col + j == row) tile.x[i][j] += shared_.factors[3 * Shape::kHidden + row];
        }
      }
    }
  }

  /// Writes what the next product needs: the left factor, and of a gru the right one.
  UPSWEEP_HOST_DEVICE void share(const Lane& lane, Tile<Shape>& tile) const {
    if constexpr (kKind == CellKind::rnn) {
      UPSWEEP_UNROLL
      for (unsigned j = 0; j < Shape::kCols; ++j) {
        const T factor = shared_.factors[lane.col + j];
        UPSWEEP_UNROLL
        for (unsigned i = 0; i < Shape::kRows; ++i) tile.x[i][j] *= factor;
      }
    }
    write_all(tile, lane, shared_.left);
    if constexpr (kKind == CellKind::gru) {
      Tile<Shape> jacobian;
      form(lane, jacobian);
      write_all(jacobian, lane, shared_.right);
    }
  }

  UPSWEEP_HOST_DEVICE static void write_all(const Tile<Shape>& tile, const Lane& lane, T* to) {
    UPSWEEP_UNROLL
    for (unsigned i = 0; i < Shape::kRows; ++i) {
      store_pack(to + lane.row(i) * Shape::kHidden + lane.col, row_of(tile, i));
    }
  }

  const Team& team_;
  const CellView<T>& cell_;
  Scratch& shared_;
  StatesAhead<T, kKind, kAhead> states_[kElementItems];
};

}  // namespace upsweep::kernels

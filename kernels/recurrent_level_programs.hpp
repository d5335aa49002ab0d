#pragma once

#include "recurrent_factors.hpp"
#include "recurrent_tile_product.hpp"

/// What a scan level by level consists of. Teams as in recurrent_walk_program.hpp.
namespace upsweep::kernels {

/// A combine: matrix `target` = matrix `earlier` · matrix `later`, or as rows g of time `target` = g of time
/// `earlier` · matrix `later`. Matrices are not transposed, so that the order is that of the scan.
struct LevelStep {
  static constexpr std::uint32_t kMatrix = 0;
  static constexpr std::uint32_t kVector = 1;

  std::uint32_t kind = kMatrix;
  std::uint32_t earlier = 0;
  std::uint32_t later = 0;
  std::uint32_t target = 0;  ///< of a matrix: that of an operand, too
};

/// Combines of a level, the same for every sample. Owns nothing.
template <class T>
struct LevelView {
  const LevelStep* steps = nullptr;  ///< length count
  std::uint64_t count = 0;
  T* matrices = nullptr;   ///< [matrix][b][row][padded_row(hidden)]
  T* gradients = nullptr;  ///< [t][b][hidden]
  std::uint64_t batch = 0;
  std::uint32_t hidden = 0;

  [[nodiscard]] UPSWEEP_HOST_DEVICE T* matrix(std::uint32_t number, std::uint64_t b) const {
    return matrices + (number * batch + b) * hidden * padded_row(hidden);
  }
  [[nodiscard]] UPSWEEP_HOST_DEVICE T* gradient(std::uint32_t time, std::uint64_t b) const {
    return gradients + (time * batch + b) * hidden;
  }
};

/// A vector times a matrix in global memory.
///
/// Bound: reading the matrix, hidden² numbers for 2 · hidden² FLOPs.
template <class T, class Team>
UPSWEEP_HOST_DEVICE void vector_step_program(const Team& team, const LevelView<T>& view, const LevelStep& step,
                                             std::uint64_t b) {
  const T* const from = view.gradient(step.earlier, b);
  const T* const matrix = view.matrix(step.later, b);
  T* const to = view.gradient(step.target, b);
  const unsigned width = padded_row(view.hidden);
  for (unsigned col = team.rank(); col < view.hidden; col += Team::kSize) {
    T sums[4] = {};
    unsigned row = 0;
    for (; row + 4 <= view.hidden; row += 4) {
      UPSWEEP_UNROLL
      for (unsigned i = 0; i < 4; ++i) sums[i] += from[row + i] * matrix[(row + i) * width + col];
    }
    for (; row < view.hidden; ++row) sums[0] += from[row] * matrix[row * width + col];
    to[col] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
}

/// What a team shares for a product of matrices; too much of it for static shared memory.
template <class T, unsigned kHidden>
struct LevelScratch {
  alignas(16) T left[kHidden * kHidden];
  alignas(16) T right[kHidden * kHidden];
};

/// Copies a matrix into one of kHidden × kHidden, with zeros around it.
template <class Shape, class T, class Team>
UPSWEEP_HOST_DEVICE void copy_padded(const Team& team, const T* from, unsigned hidden, T* to) {
  constexpr unsigned kWide = kPack<T>;
  const unsigned width = padded_row(hidden);
  for (unsigned at = team.rank(); at < Shape::kHidden * Shape::kHidden / kWide; at += Team::kSize) {
    const unsigned row = at * kWide / Shape::kHidden;
    const unsigned col = at * kWide % Shape::kHidden;
    Pack<T, kWide> pack = {};
    if (row < hidden && col < width) pack = load_pack<kWide>(from + row * width + col);
    store_pack(to + at * kWide, pack);
  }
}

/// A combine of sample b. Ends without a barrier: the scratch must not be used again.
///
/// Bound: of matrices 2 · hidden² numbers read and hidden² written for 2 · hidden³ FLOPs — memory for small ones.
template <class Shape, class T, class Team>
UPSWEEP_HOST_DEVICE void level_program(const Team& team, const LevelView<T>& view, const LevelStep& step,
                                       std::uint64_t b, LevelScratch<T, Shape::kHidden>& shared) {
  if (step.kind == LevelStep::kVector) {
    vector_step_program(team, view, step, b);
    return;
  }
  copy_padded<Shape>(team, view.matrix(step.earlier, b), view.hidden, shared.left);
  copy_padded<Shape>(team, view.matrix(step.later, b), view.hidden, shared.right);
  team.sync();  // from here on the result may overwrite an operand
  for (unsigned at = team.rank(); at < Shape::kLanes; at += Team::kSize) {
    const TileLane<Shape> lane(at);
    Tile<Shape> tile;
    multiply_tile(shared.left, shared.right, padded_row(view.hidden), lane, tile);
    write_tile(tile, lane, view.hidden, view.matrix(step.target, b));
  }
}

/// Writes ∂h_t/∂h_{t-1} of sample b, not transposed, rows padded_row(hidden) apart.
///
/// Bound: writing hidden² numbers for 2 · gates · hidden² FLOPs; W_hh comes from the cache.
template <CellKind kKind, class T, class Team>
UPSWEEP_HOST_DEVICE void jacobian_program(const Team& team, const CellView<T>& cell, std::uint64_t t, std::uint64_t b,
                                          T* to) {
  using States = ElementStates<T, kKind>;
  constexpr unsigned kWide = kPack<T>;
  const unsigned h = cell.hidden;
  const unsigned row_packs = padded_row(h) / kWide;
  for (unsigned at = team.rank(); at < h * row_packs; at += Team::kSize) {
    const unsigned row = at / row_packs;
    const unsigned col = at % row_packs * kWide;
    T factors[States::kFactors];
    States::load(cell, cell.place(t - 1, b) + row).factors(cell.is_relu, factors);
    Pack<T, kWide> sum = {};
    UPSWEEP_UNROLL
    for (unsigned gate = 0; gate < States::kGates; ++gate) {
      const auto w = load_pack<kWide>(cell.w_hh + (std::uint64_t{gate} * h + row) * padded_row(h) + col);
      UPSWEEP_UNROLL
      for (unsigned j = 0; j < kWide; ++j) sum.x[j] += factors[gate] * w.x[j];
    }
    if constexpr (kKind == CellKind::gru) {
      UPSWEEP_UNROLL
      for (unsigned j = 0; j < kWide; ++j) {
        if (col + j == row) sum.x[j] += factors[3];
      }
    }
    store_pack(to + std::uint64_t{at} * kWide, sum);
  }
}

}  // namespace upsweep::kernels

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "upsweep/jacobian/chain.hpp"
#include "upsweep/solve/complexity.hpp"
#include "upsweep/solve/system_shape.hpp"

namespace upsweep {

/// The longest products of a level.
struct LongestProducts {
  std::uint64_t matrix = 0;  ///< of two matrices
  std::uint64_t vector = 0;  ///< of a matrix and one right side
};

/// What direct methods really take on a chain, in multiply-adds (matched pairs), for comparison with complexity.hpp.
///
/// Of the scaled backward system with l couplings J(k)^T of blocks k and k + 1, k = 0 to l - 1; "vector" counts are
/// those of one right side. f' is multiplied into a coupling before couplings are joined: nnz(J) each.
struct ChainCounts {
  std::uint64_t layers = 0;               ///< l
  std::uint64_t coupling_vector = 0;      ///< entries of all couplings: their products with a vector
  std::uint64_t scaling_vector = 0;       ///< products of all blocks with f'
  std::uint64_t largest_row_vector = 0;   ///< the largest coupling with its block's f'
  std::uint64_t splitting_matrix = 0;     ///< one splitting: products of neighbours, f' multiplied in
  std::uint64_t splitting_largest = 0;    ///< of these, the largest
  std::array<std::uint64_t, 2> halves{};  ///< products of a half system, with f'; even and odd blocks
  std::uint64_t right_side_vector = 0;    ///< what (43) leaves out: v(l), and v(l - 1) from it, both with f'
  std::uint64_t recursive_scaling = 0;    ///< f' multiplied into every coupling
  std::uint64_t scaling_largest = 0;      ///< of these, the largest
  std::uint64_t recursive_matrix = 0;     ///< recursive splitting: products of two matrices
  std::uint64_t recursive_vector = 0;     ///< and with a vector, f' of the last block with them
  std::vector<LongestProducts> recursive_levels;

  /// Of (42): substitution for r right sides. All of these throw CountOverflow.
  [[nodiscard]] std::uint64_t substitution(std::uint64_t batch) const;
  /// Of (43).
  [[nodiscard]] std::uint64_t splitting_work(std::uint64_t batch) const;
  /// Of (44).
  [[nodiscard]] std::uint64_t splitting_time(std::uint64_t batch) const;
  /// Of the text below (45).
  [[nodiscard]] std::uint64_t recursive_work(std::uint64_t batch) const;
  /// Of (45), with a barrier between levels: l workers, one product each.
  [[nodiscard]] std::uint64_t recursive_time(std::uint64_t batch) const;

  /// Products of matrices in one splitting, per product with a vector: n of dense layers that are n wide.
  [[nodiscard]] double effective_width() const;
};

/// Sizes of the layers between the blocks, for the formulas: widths are the blocks' sizes, γ = 1. Throws
/// std::invalid_argument for a system without a coupling.
[[nodiscard]] LayerSizes layer_sizes(const SystemShape& shape, std::uint64_t batch);

/// Counts a chain by its patterns: couplings() is that of `shape`, which is the chain's scaled form.
///
/// Throws std::invalid_argument where shape and chain do not fit together, CountOverflow.
/// Cost: that of profiling the recursive doubling of the couplings, the products that it forms; it may be much more
/// than all else on a deep network of convolutions.
[[nodiscard]] ChainCounts count_chain(const JacobianChain& chain, const SystemShape& shape);

}  // namespace upsweep

#pragma once

#include <cstdint>
#include <vector>

#include "upsweep/jacobian/chain.hpp"
#include "upsweep/sparse/pattern.hpp"

namespace upsweep {

/// A sparsity pattern, downsampled: cells of a grid over its rows and columns.
struct PatternPicture {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t nnz = 0;
  std::uint32_t grid_rows = 0;  ///< at most the rows
  std::uint32_t grid_cols = 0;  ///< at most the columns
  /// Row by row: ceil(255 · share of the places of the cell that are entries), so that a cell with any entry is not 0,
  /// and a full one is 255. Length grid_rows · grid_cols.
  std::vector<std::uint8_t> cells;
};

/// The picture of a pattern with at most `most` >= 1 cells along its longer side, and at least one along the other.
///
/// Cell (y, x) covers the rows floor(y · rows / grid_rows) to below floor((y + 1) · rows / grid_rows), columns alike.
/// Cost: one look at each entry of its distinct rows, then one of each cell of its rows.
[[nodiscard]] PatternPicture picture_of(const Pattern& pattern, std::uint32_t most);

/// The picture of the product a[first] ⋄ ... ⋄ a[last] of a scan array; of a Jacobian where they are equal.
struct ChainPicture {
  std::uint32_t first = 1;
  std::uint32_t last = 1;
  PatternPicture picture;
};

/// What chain_pictures() may cost.
struct PictureLimits {
  std::uint32_t cells = 64;              ///< along the longer side
  std::uint64_t products = 200'000'000;  ///< matched pairs of the products that are formed, all together
  std::uint32_t most_products = 24;      ///< of pictures of products
  std::uint32_t most_jacobians = 256;    ///< of pictures of Jacobians
};

/// Pictures of the Jacobians a[1..n], then of the products that the up-sweep of the Blelloch scan forms without a[0],
/// level by level: those of neighbours, of four, of eight, ..., while the limits allow. Those that they do not allow,
/// that would not fit into memory, or that 64 bits do not count, are left out, and so are products of them. Of more
/// than `most_jacobians` Jacobians every k-th has a picture, from a[1] on, with the smallest k that keeps to that many.
[[nodiscard]] std::vector<ChainPicture> chain_pictures(const JacobianChain& chain, const PictureLimits& limits = {});

}  // namespace upsweep

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace upsweep {

/// A downsampled sparsity pattern: of a Jacobian or of a product of neighbours in the scan array.
struct StoredPicture {
  std::uint32_t first = 0;  ///< a[first..last] of the scan array; equal for a Jacobian
  std::uint32_t last = 0;
  std::string name;  ///< "conv1", "relu2 ⋄ conv2", "fc1 ⋄ (2 more) ⋄ conv4"
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t nnz = 0;
  std::uint32_t grid_rows = 0;
  std::uint32_t grid_cols = 0;
  std::vector<std::uint8_t>
      cells;  ///< row by row: ceil(255 · share of the cell's places that are entries), length grid_rows · grid_cols
};

}  // namespace upsweep

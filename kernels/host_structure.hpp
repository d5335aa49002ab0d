#pragma once

#include <cstdint>
#include <vector>

#include "upsweep/sparse/pattern.hpp"

namespace upsweep::kernels {

/// The structure of a matrix as cuSPARSE has it, on the host: CSR with 32-bit offsets.
struct HostStructure {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<std::int32_t> offsets;  ///< length rows + 1
  std::vector<std::int32_t> indices;  ///< length nnz; in any order within a row

  [[nodiscard]] std::int64_t nnz() const { return static_cast<std::int64_t>(indices.size()); }
};

/// Throws BackendError where a size exceeds what 32-bit offsets can count, 2^31 - 1; `what` names the size.
void require_32_bits(std::uint64_t size, const char* what);

/// Copies a pattern. Throws BackendError as require_32_bits().
[[nodiscard]] HostStructure host_structure(const Pattern& pattern);

/// structure_digest() of the matrix.
[[nodiscard]] std::uint64_t digest_of(const HostStructure& structure);

/// Multiplications of X·Y: Σ over the entries of X of the entries of Y's row. Shapes: x.cols = y.rows.
[[nodiscard]] std::uint64_t products_of(const HostStructure& x, const HostStructure& y);

}  // namespace upsweep::kernels

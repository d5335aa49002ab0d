#pragma once

#include <cstdint>

#include "upsweep/sparse/product.hpp"
#include "upsweep/sparse/row.hpp"

#ifdef __CUDACC__
#define UPSWEEP_HOST_DEVICE __host__ __device__
#else
#define UPSWEEP_HOST_DEVICE
#endif

namespace upsweep::kernels {

/// The structure of a sparse matrix where a row program can read it: arrays of a Layout. Owns nothing.
struct StructureView {
  const std::uint64_t* value_begin = nullptr;  ///< length rows + 1
  const std::uint64_t* list_begin = nullptr;   ///< length rows
  const Index* columns = nullptr;              ///< the shared lists

  [[nodiscard]] UPSWEEP_HOST_DEVICE Index row_nnz(Index r) const {
    return static_cast<Index>(value_begin[r + std::uint64_t{1}] - value_begin[r]);
  }
  [[nodiscard]] UPSWEEP_HOST_DEVICE const Index* row_columns(Index r) const { return columns + list_begin[r]; }
};

/// The operands and the result of C = X·Y. Where Y is a dense vector, `y` and `c` are unused and the values of Y and C
/// are the elements of the vectors. Owns nothing.
template <class T>
struct OperandsView {
  StructureView x;
  StructureView y;
  StructureView c;
  const T* x_values = nullptr;
  const T* y_values = nullptr;
  T* c_values = nullptr;
};

/// Rows of X with the same columns, 1 to kTeamRows of them. Owns nothing.
struct RowTeam {
  const Index* rows = nullptr;
  Index members = 0;
};

}  // namespace upsweep::kernels

#pragma once

#include <vector>

#include "upsweep/sparse/pattern.hpp"

namespace upsweep {

/// A sparse matrix with numbers.
template <class T>
struct CsrMatrix {
  CsrPattern pattern;
  std::vector<T> values;  ///< length nnz, in the order of pattern.indices; explicit zeros are entries
};

}  // namespace upsweep

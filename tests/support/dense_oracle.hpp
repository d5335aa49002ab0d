#pragma once

#include <cstdint>
#include <vector>

#include "upsweep/sparse/pattern.hpp"

namespace upsweep::testing {

/// A dense 0/1 matrix, row-major: the definition that sparse code is compared with.
struct DensePattern {
  Index rows = 0;
  Index cols = 0;
  std::vector<std::uint8_t> entries;

  [[nodiscard]] bool at(Index r, Index c) const { return entries[std::size_t{r} * cols + c] != 0; }
  friend bool operator==(const DensePattern&, const DensePattern&) = default;
};

[[nodiscard]] inline DensePattern to_dense(const Pattern& pattern) {
  DensePattern dense{pattern.rows(), pattern.cols(),
                     std::vector<std::uint8_t>(std::size_t{pattern.rows()} * pattern.cols(), 0)};
  for (Index r = 0; r < pattern.rows(); ++r) {
    pattern.row(r).for_each([&](Index c) { dense.entries[std::size_t{r} * pattern.cols() + c] = 1; });
  }
  return dense;
}

/// Structure and number of matched pairs of a product, from the definition.
struct DenseProduct {
  DensePattern pattern;
  std::uint64_t nnz = 0;
  std::uint64_t products = 0;
};

[[nodiscard]] inline DenseProduct multiply_dense(const DensePattern& x, const DensePattern& y) {
  DenseProduct product{{x.rows, y.cols, std::vector<std::uint8_t>(std::size_t{x.rows} * y.cols, 0)}};
  for (Index i = 0; i < x.rows; ++i) {
    for (Index j = 0; j < y.cols; ++j) {
      std::uint64_t pairs = 0;
      for (Index k = 0; k < x.cols; ++k) pairs += x.at(i, k) && y.at(k, j) ? 1 : 0;
      product.products += pairs;
      product.nnz += pairs > 0 ? 1 : 0;
      product.pattern.entries[std::size_t{i} * y.cols + j] = pairs > 0 ? 1 : 0;
    }
  }
  return product;
}

}  // namespace upsweep::testing

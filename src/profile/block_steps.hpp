#pragma once

#include <cstdint>

#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {

/// Steps of products of the parts of a homogeneous chain, as count_products() and steps_with_dense_vector() find them
/// on patterns in which rows of a Jacobian with equal columns are one stored row: all of a dense matrix, none of a
/// diagonal, of a band those that are clipped at both ends. A product shares the rows that the last of its factors
/// shares. Rows of a uniform matrix are runs only where all of them are full. A matrix of one entry is a diagonal, and
/// so is a band of half bandwidth 0.
class BlockSteps {
 public:
  /// Of a valid chain.
  explicit BlockSteps(const HomogeneousChain& chain);

  /// Steps of a matrix with `nnz` entries times a vector.
  [[nodiscard]] ProductSteps with_vector(const BlockStructure& matrix, std::uint64_t nnz) const;

  /// Counts of a product that its steps depend on, besides the structures.
  struct Counts {
    std::uint64_t earlier_nnz = 0;
    std::uint64_t later_nnz = 0;
    std::uint64_t products = 0;  ///< matched pairs
    std::uint64_t results = 0;   ///< entries of the product
  };
  /// Steps of later × earlier.
  [[nodiscard]] ProductSteps with_matrix(const BlockStructure& earlier, const BlockStructure& later,
                                         const Counts& counts) const;

 private:
  [[nodiscard]] bool is_diagonal(const BlockStructure& matrix) const;
  [[nodiscard]] std::uint64_t teams(const BlockStructure& matrix) const;
  void add_runs(const BlockStructure& earlier, const BlockStructure& later, const Counts& counts,
                ProductSteps& steps) const;

  std::uint64_t size_;
  std::uint64_t shared_;        // rows of a matrix that is no diagonal with the same columns, all of them
  std::uint64_t shared_teams_;  // of those rows
};

}  // namespace upsweep

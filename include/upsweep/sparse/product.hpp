#pragma once

#include <cstdint>
#include <memory>

#include "upsweep/sparse/pattern.hpp"

namespace upsweep {

/// What multiply() hands back besides the counts.
enum class Keep {
  counts,     ///< numbers only: nothing needs the structure of the result
  structure,  ///< the pattern of the result too
};

/// The symbolic product C = X·Y of two patterns.
struct Product {
  std::uint64_t products = 0;              ///< Σ_k nnz(X[:,k]) · nnz(Y[k,:]): matched index pairs
  std::uint64_t nnz = 0;                   ///< entries of C; structural, no numerical cancellation
  std::shared_ptr<const Pattern> pattern;  ///< C, or null under Keep::counts
};

/// The counting rule: every matched pair of entries costs one multiply and one add.
///
/// Source: the artifact of BPPSA counts the same; see "The counting rule" in README.md. Throws CountOverflow.
[[nodiscard]] std::uint64_t flops_of_products(std::uint64_t products);

/// Matched pairs of X times a dense vector: nnz(X).
[[nodiscard]] std::uint64_t products_with_dense_vector(const Pattern& x);

/// Matched pairs of X·Y without its structure. Shapes: cols(X) = rows(Y), else std::invalid_argument.
///
/// Cost: one look-up per entry of the distinct rows of X.
[[nodiscard]] std::uint64_t count_products(const Pattern& x, const Pattern& y);

/// Structure and counts of C = X·Y, on the threads of parallel_chunks().
///
/// Shapes: (m × k)·(k × n) → (m × n); throws std::invalid_argument when the inner sizes differ. Equal rows of X are
/// multiplied once; a product with a diagonal, or with at most one entry per row of X, shares the rows of Y. Every
/// other row chooses how to collect its columns by its number of matched pairs: sort, hash table, byte map or bitmap;
/// the last stops when the row is full. Cost: at most the number of matched pairs. The result does not depend on the
/// threads.
[[nodiscard]] Product multiply(const std::shared_ptr<const Pattern>& x, const std::shared_ptr<const Pattern>& y,
                               Keep keep);

}  // namespace upsweep

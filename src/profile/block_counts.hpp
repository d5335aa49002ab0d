#pragma once

#include <cstdint>
#include <memory>

#include "uniform_products.hpp"
#include "upsweep/profile/homogeneous.hpp"

namespace upsweep {

/// Counts of the values of a homogeneous chain, by the range of the array they cover, and of the pairs of a sweep.
///
/// Below, block b of level d is the range [b · 2^d, (b + 1) · 2^d - 1]; the up-sweep makes it of two of level d - 1.
class BlockCounts {
 public:
  /// Throws std::invalid_argument for a chain or value size out of range. `chain` must outlive this object.
  BlockCounts(const HomogeneousChain& chain, unsigned value_bytes);

  /// Structure of the product of a[first..last], 1 <= first <= last <= n. O(1).
  [[nodiscard]] BlockStructure structure(std::uint64_t first, std::uint64_t last) const;
  [[nodiscard]] std::uint64_t nnz(const BlockStructure& structure) const;
  [[nodiscard]] std::uint64_t bytes(const BlockStructure& structure) const;
  [[nodiscard]] std::uint64_t vector_bytes() const;

  /// Combine of a vector and a matrix over [first, last].
  [[nodiscard]] OpRun vector_ops(std::uint64_t count, std::uint64_t first, std::uint64_t last) const;
  /// Combine of matrices over [first, split] and [split + 1, last].
  [[nodiscard]] OpRun matrix_ops(std::uint64_t count, std::uint64_t first, std::uint64_t split,
                                 std::uint64_t last) const;

  /// Pairs of sweep level d, 2^d <= n: the first is a vector's in the up-sweep and a rename in the down-sweep.
  [[nodiscard]] std::uint64_t pairs(std::uint32_t d) const;
  /// Combine of an inner pair of up level d; needs pairs(d) >= 2.
  [[nodiscard]] OpRun inner_ops(std::uint64_t count, std::uint32_t d) const;
  /// Whether a combine of up level d targets a[n]; it is dead.
  [[nodiscard]] bool has_last_op(std::uint32_t d) const;
  /// That combine: 1 of it or none.
  [[nodiscard]] OpRun last_op(std::uint32_t d) const;
  /// The first combine of up level d.
  [[nodiscard]] OpRun first_op(std::uint32_t d) const;
  /// The combines of down level d.
  [[nodiscard]] OpRun down_ops(std::uint32_t d) const;
  /// The middle's combine with block `block` >= 1 of level D.
  [[nodiscard]] OpRun middle_op(std::uint64_t block, std::uint32_t depth) const;

 private:
  const HomogeneousChain& chain_;
  unsigned value_bytes_;
  ElementKind product_kind_{ElementKind::dense};     // of two elements or more
  std::shared_ptr<const UniformProducts> products_;  // of a uniform chain
};

/// longest_path() of hybrid_schedule(), `cost` of its combines added up: FLOPs or spans.
[[nodiscard]] InScopes longest_homogeneous_path(const BlockCounts& counts, std::uint64_t elements, std::uint32_t depth,
                                                std::uint64_t OpRun::*cost);

/// peak_live_bytes() of hybrid_schedule().
[[nodiscard]] InScopes homogeneous_peak_bytes(const BlockCounts& counts, std::uint64_t elements, std::uint32_t depth);

}  // namespace upsweep

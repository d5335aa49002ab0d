#pragma once

#include <cstdint>

#include "upsweep/profile/homogeneous.hpp"

namespace upsweep {

// Counts of h × h matrices of a structure and of their products, `size` being h. Those of a uniform structure are
// expectations, rounded to whole counts of at least 1. All throw CountOverflow and cost O(1).

/// Entries.
[[nodiscard]] std::uint64_t structure_nnz(const BlockStructure& structure, std::uint64_t size);

/// product_span() of a product whose later operand it is, with `products` matched pairs.
[[nodiscard]] std::uint64_t structure_span(const BlockStructure& later, std::uint64_t products, std::uint64_t size);

/// Rows with an entry.
[[nodiscard]] std::uint64_t structure_rows(const BlockStructure& structure, std::uint64_t size);

/// Matched pairs of entries of the product later × earlier: Σ_k nnz(later[:,k]) · nnz(earlier[k,:]).
[[nodiscard]] std::uint64_t structure_products(const BlockStructure& earlier, const BlockStructure& later,
                                               std::uint64_t size);

}  // namespace upsweep

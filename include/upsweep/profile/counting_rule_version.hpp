#pragma once

namespace upsweep {

/// Name of the rules by which everything is counted; it changes with every change of a count. Stored with each result,
/// so that counts by different rules are never taken for the same. The rules themselves: docs/counting-rule.md; FLOPs
/// of a product: sparse/product.hpp.
inline constexpr const char* kCountingRule = "2 FLOPs per matched pair, structural nnz, rule 2";

}  // namespace upsweep

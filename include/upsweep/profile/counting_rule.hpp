#pragma once

namespace upsweep {

/// Name of the rules by which everything is counted; it changes with every change of a count. Stored with each result,
/// so that counts by different rules are never taken for the same.
inline constexpr const char* kCountingRule = "2 FLOPs per matched pair, structural nnz, rule 2";

}  // namespace upsweep

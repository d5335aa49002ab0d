#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/solve/chain_counts.hpp"
#include "upsweep/solve/complexity.hpp"
#include "upsweep/solve/solve_run.hpp"
#include "upsweep/solve/system_shape.hpp"

namespace upsweep {

/// A formula of the paper beside the count that it stands for.
struct FormulaRow {
  std::string equation;  ///< its number in the paper: "42"
  std::string what;      ///< in words
  std::string unit;      ///< "multiply-adds" or "numbers"
  double formula = 0;
  double exact = 0;

  /// formula / exact - 1: by how much the formula is off; 0 where both are 0.
  [[nodiscard]] double difference() const;
};

/// Formulas 42 to 47 on the widths of a system, γ = 1, beside the exact counts with `batch` right sides.
///
/// 42 to 45 stand beside ChainCounts. 46 and 47 are there for every iterative run that converged, with its products as
/// η (two an iteration for BiCGStab, which the paper does not say), and so is its memory with the vectors that it
/// holds. Groups of several blocks (hybrid) are not in the paper's formulas and are left
/// out; so is what repeats_jacobi().
[[nodiscard]] std::vector<FormulaRow> formula_rows(const SystemShape& shape, const ChainCounts& counts,
                                                   std::uint64_t batch, const std::vector<SolveRun>& runs);

}  // namespace upsweep

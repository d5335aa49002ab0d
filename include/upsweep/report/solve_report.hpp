#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/document/document.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/solve/complexity.hpp"
#include "upsweep/solve/formula_rows.hpp"
#include "upsweep/solve/forward_sweeps.hpp"
#include "upsweep/solve/solve_run.hpp"
#include "upsweep/solve/system_shape.hpp"

namespace upsweep {

/// Approximate forward propagation in a report.
struct ForwardPart {
  SweepHistory history;
  SweepCost cost;
  std::string start;  ///< where D comes from, in words
};

/// What `solve` shows; refers to values that live elsewhere.
struct SolveReport {
  const std::string& model_name;
  const Network& network;
  const SystemShape& shape;
  const std::vector<SolveRun>& runs;  ///< substitution first
  SystemForm form = SystemForm::scaled;
  std::string pattern;  ///< "guaranteed" or "sample"
  std::size_t input = 0;
  std::optional<std::size_t> warm_start;  ///< input whose gradients the iterations start from; nothing: v = c
  std::string loss;                       ///< the loss gradient in words
  unsigned value_bytes = 4;
  double tolerance = 0;  ///< of the relative residual, and of the error after a forward sweep
  std::size_t workers = 1;
  std::uint64_t batch = 1;
  std::vector<ConditionVerdict> verdicts;
  std::optional<ForwardPart> forward;
  std::optional<std::vector<FormulaRow>> formulas;
};

/// Name of the operator whose output's gradient a block is.
[[nodiscard]] std::string block_name(const SolveReport& report, std::size_t block);

/// One sentence for an iterative run that has a solution, from its numbers alone: iterations against their bound, what
/// they and fewer leave, where a truncated solution is enough, and work and time against substitution. Empty for
/// others.
[[nodiscard]] std::string verdict_sentence(const SolveReport& report, const SolveRun& run);

/// See docs/solve.md; numbers that are not finite are null in JSON. CSV: one line per method. People read the system,
/// the methods, errors by iteration, sweeps, formulas, conditions and sentences.
[[nodiscard]] Document document(const SolveReport& report);

}  // namespace upsweep

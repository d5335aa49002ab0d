#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/io/model_file.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/report/solve_report.hpp"
#include "upsweep/validate/validate.hpp"

namespace upsweep::cli {

/// A method as it was asked for.
struct MethodRequest {
  SolveMethod method = SolveMethod::jacobi;
  std::size_t group = 1;
};

/// All that `solve` was asked for.
struct SolvePlan {
  std::vector<MethodRequest> methods;  ///< empty: all, hybrid with about sqrt(l) blocks in a group
  SystemForm form = SystemForm::scaled;
  PatternKind pattern = PatternKind::guaranteed;
  std::optional<double> tolerance;
  double omega = 1;
  std::size_t input = 0;
  std::optional<std::size_t> warm_start;  ///< input of the sample whose gradients the iterations start from
  LossGradient loss;
  std::optional<std::size_t> workers;
  std::uint64_t batch = 1;
  bool forward = false;
  std::optional<std::size_t> earlier;  ///< input of the sample that D comes from; nothing: D = I
  bool formulas = false;
};

/// What came of it.
struct SolveResult {
  SystemShape shape;
  std::vector<SolveRun> runs;  ///< substitution first
  double tolerance = 0;
  std::size_t workers = 1;
  std::vector<Verdict> verdicts;
  std::optional<ForwardPart> forward;
  std::optional<std::vector<FormulaRow>> formulas;
};

/// The loss gradient in words.
[[nodiscard]] std::string loss_text(const LossGradient& loss);

/// Solves the backward system of a model with numbers at one input by every method asked for.
///
/// A warm start is plain back-propagation at another input: the same weights and the same loss, its gradient taken
/// from that input's output.
/// `progress` is called with what begins. Throws InputError for an input, a label or a tolerance that the model does
/// not have or reach, and for a system without a coupling; OperatorError as validate() and forward_sweeps();
/// CountOverflow.
[[nodiscard]] SolveResult solve_model(const Model& model, const SolvePlan& plan,
                                      const std::function<void(const std::string&)>& progress);

}  // namespace upsweep::cli

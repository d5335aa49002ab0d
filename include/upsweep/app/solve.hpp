#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/app/session.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/report/solve_report.hpp"
#include "upsweep/validate/validate.hpp"

namespace upsweep {

/// A method as it was asked for.
struct MethodRequest {
  SolveMethod method = SolveMethod::jacobi;
  std::size_t group = 1;
};

/// Solve the backward system of a model at one input by several methods.
struct SolveRequest {
  std::string model;                        ///< file of a network of operators
  std::vector<MethodRequest> methods = {};  ///< empty: all, hybrid with about sqrt(l) blocks in a group
  SystemForm form = SystemForm::scaled;
  PatternKind pattern = PatternKind::guaranteed;
  std::optional<double> tolerance = std::nullopt;
  double omega = 1;
  std::size_t input = 0;
  std::optional<std::size_t> warm_start =
      std::nullopt;  ///< input of the sample whose gradients the iterations start from
  LossGradient loss = {};
  std::optional<std::size_t> workers = std::nullopt;
  std::uint64_t batch = 1;
  bool forward = false;                               ///< sweeps of approximate forward propagation too
  std::optional<std::size_t> earlier = std::nullopt;  ///< the same, with D from this input of the sample, not D = I
  bool formulas = false;
};

/// What came of it.
struct SolveOutcome {
  SolveRequest request;
  std::string model;
  Network network;
  unsigned value_bytes = 4;
  SystemShape shape = {};
  std::vector<SolveRun> runs = {};  ///< substitution first
  double tolerance = 0;
  std::size_t workers = 1;
  std::vector<ConditionVerdict> verdicts = {};
  std::optional<ForwardPart> forward = std::nullopt;
  std::optional<std::vector<FormulaRow>> formulas = std::nullopt;
  /// Why it is no success: the residual of a solution that its method calls good enough is not, or no method has one.
  std::optional<std::string> mismatch = std::nullopt;

  /// Refers to this object.
  [[nodiscard]] SolveReport report() const;
};

/// A warm start is plain back-propagation at another input: the same weights and the same loss, its gradient taken
/// from that input's output.
///
/// Throws RequestError; InputError for an input, a label or a tolerance that the model does not have or reach, and for
/// a system without a coupling, or one whose counts are too large.
[[nodiscard]] SolveOutcome run(const SolveRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep

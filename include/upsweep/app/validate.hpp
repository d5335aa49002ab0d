#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "upsweep/app/frame.hpp"
#include "upsweep/app/loading.hpp"
#include "upsweep/app/session.hpp"
#include "upsweep/calibrate/dense_run.hpp"
#include "upsweep/document/document.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/report/passes_report.hpp"
#include "upsweep/report/validation_report.hpp"
#include "upsweep/scan/execution.hpp"
#include "upsweep/search/verdict.hpp"
#include "upsweep/sim/dense_time.hpp"

namespace upsweep {

/// Run schedules of a network of operators, or backward passes of a recurrent model, for real, and prove them right.
/// Of the frame: workers are those of the device; without a machine rates are measured first; `launch` is the one that
/// the backend has, which holds without, too; one input of a network.
struct ValidateRequest : FrameRequest {
  std::string model;
  std::string backend = "cpu";
  /// A schedule; of a recurrent model backward methods, separated by commas. Without: blelloch, of a recurrent model
  /// blocked scans too.
  std::optional<std::string> schedule = std::nullopt;
  bool all_depths = false;     ///< every hybrid depth instead
  bool all_schedules = false;  ///< every hybrid depth and every other scheme instead
  std::optional<std::string> db = std::nullopt;
  std::optional<std::uint64_t> loss_seed = std::nullopt;  ///< of the loss gradient, or random sequences; 1 without

  // Networks of operators.
  PatternKind pattern = PatternKind::guaranteed;
  OnnxOptions onnx = {};                               ///< of an ONNX file
  std::size_t input = 0;                               ///< of the model's sample
  std::optional<std::size_t> label = std::nullopt;     ///< loss gradient of softmax cross-entropy for this class
  std::optional<std::string> gradient = std::nullopt;  ///< .npy file for the gradient of the network's input
  bool force = false;  ///< run what exceeds kMostFlops or kMostLiveBytes, and replace any file of `gradient`

  // Recurrent models.
  RecurrentSizes sizes = {};
  bool no_prediction = false;  ///< run at once, without measuring rates to predict from
};

/// A validation of a network of operators.
struct NetworkValidation {
  Model model;        ///< its weights went into the runs
  Analysis analysis;  ///< of the schedules
  Validation validation = {};
  std::optional<Machine> machine = std::nullopt;  ///< that predicted
  std::string backend = {};
  DeviceFacts device = {};
  std::size_t workers = 1;
  PatternKind pattern = PatternKind::guaranteed;
  Execution execution = Execution::level;
  std::size_t input = 0;
  LossGradient loss = {};
  std::optional<DenseRun> dense = std::nullopt;  ///< where the backend has it beside its schedules, and one ran
  std::optional<DenseBackprop> predicted_dense = std::nullopt;  ///< of it, where the machine says enough

  /// Refers to this object.
  [[nodiscard]] ValidationReport report() const;
};

struct ValidateOutcome {
  std::variant<NetworkValidation, PassesReport> found;
  Verdict verdict = {};
  std::vector<std::int64_t> run_ids = {};              ///< where `db` keeps them
  std::optional<std::string> mismatch = std::nullopt;  ///< the first: what ran is wrong
  std::optional<std::string> failure = std::nullopt;   ///< the first of the backend: what was asked for did not run
  std::exception_ptr not_kept = nullptr;               ///< why `db` does not keep it
};

[[nodiscard]] Document document(const ValidateOutcome& outcome);

/// Throws RequestError; InputError; BackendError where the backend cannot run here, or not that; Interrupted between
/// two runs.
[[nodiscard]] ValidateOutcome run(const ValidateRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep

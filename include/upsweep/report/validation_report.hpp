#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/backend/backend.hpp"
#include "upsweep/calibrate/dense_run.hpp"
#include "upsweep/document/document.hpp"
#include "upsweep/machine/machine.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/search/verdict.hpp"
#include "upsweep/validate/validate.hpp"

namespace upsweep {

/// What a validation report shows; refers to values that live elsewhere.
struct ValidationReport {
  const std::string& model_name;
  const std::vector<ScheduleProfile>& profiles;  ///< in the order of validation.schedules
  const Validation& validation;
  const Machine* machine;  ///< null without predictions
  std::string pattern;     ///< "guaranteed" or "sample"
  std::string backend;
  DeviceFacts device;
  std::size_t workers = 1;
  std::string execution;  ///< "level" or "dag"
  std::size_t input = 0;
  std::string loss;  ///< the loss gradient in words
  unsigned value_bytes = 4;
  bool forms_blocks = false;        ///< the network has blocks, whose Jacobians are formed while the chain is built
  const DenseRun* dense = nullptr;  ///< dense back-propagation on the same device; null: not measured
  std::optional<double> predicted_dense_s = {};  ///< its gradients of activations; nothing where not predicted
};

/// The validation without the verdict; its fields are listed in docs/validation.md. CSV: predicted and measured seconds
/// of each level; empty but for its head under dag execution.
[[nodiscard]] Document document(const ValidationReport& report);

/// Whether what ran is right, how the fastest scan stands to plain back-propagation, both measured, and how far
/// predictions are off.
[[nodiscard]] Verdict validation_verdict(const ValidationReport& report);

}  // namespace upsweep

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "upsweep/backend/backend.hpp"
#include "upsweep/document/document.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/recurrent/predict_pass.hpp"
#include "upsweep/recurrent/validate_passes.hpp"
#include "upsweep/search/verdict.hpp"

namespace upsweep {

/// What `validate` found out about a recurrent model. The first pass is the baseline of all ratios.
struct PassesReport {
  RecurrentModel model;
  std::string backend;
  DeviceFacts device;
  std::size_t workers = 1;
  std::string sequences;  ///< what was run, for people: "random sequences of seed 1"
  PassesValidation validation;
  std::vector<std::optional<PassPrediction>> predictions;  ///< one per pass; empty where there is none
  std::optional<PassRates> rates;                          ///< that the predictions come from
  std::optional<double> rates_drift;  ///< a sequential step's rate after the passes over that before
};

/// Measured total of pass `i` over that of the baseline; empty where one of them did not run.
[[nodiscard]] std::optional<double> ratio_to_baseline(const PassesReport& report, std::size_t i);

/// The same of a whole iteration: forward pass, backward pass, parameter gradients, all where outer_backend() of the
/// report's backend runs them; on a device without head and transfers. Empty where one of them did not run there.
[[nodiscard]] std::optional<double> iteration_ratio(const PassesReport& report, std::size_t i);

/// The whole result without the verdict; CSV: a row per pass.
[[nodiscard]] Document document(const PassesReport& report);

/// What the fastest scan means for a user, beside the fastest pass that is none, both measured.
[[nodiscard]] Verdict passes_verdict(const PassesReport& report);

}  // namespace upsweep

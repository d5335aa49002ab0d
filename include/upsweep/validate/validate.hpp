#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "upsweep/backend/backend.hpp"
#include "upsweep/machine/error_figures.hpp"
#include "upsweep/machine/machine.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/sim/predict.hpp"
#include "upsweep/validate/compare.hpp"
#include "upsweep/validate/direct_backprop.hpp"
#include "upsweep/validate/graph_run.hpp"

namespace upsweep {

/// The gradient that back-propagation starts with.
struct LossGradient {
  std::optional<std::size_t> label;  ///< softmax cross-entropy for this class; else standard normal numbers
  std::uint64_t seed = 1;            ///< of those

  /// The numbers, for this output of the network.
  [[nodiscard]] std::vector<double> at(const std::vector<double>& output) const;
};

/// The loss gradient in words.
[[nodiscard]] std::string to_string(const LossGradient& loss);

/// Throws OperatorError where a gradient with respect to a link's input is not finite.
void require_finite(const Network& network, const DirectGradients& direct);

/// A network at one concrete input.
struct NetworkAtInput {
  const Network& network;
  NetworkWeights weights;  ///< with the values of every conv2d and linear; moved in, they go when they are not needed
  std::span<const double> x;  ///< elements of the network's input
  PatternKind pattern = PatternKind::guaranteed;
  LossGradient loss;
  unsigned value_bytes = 4;  ///< 4: fp32, 8: fp64
};

/// Settings of a validation.
struct ValidationOptions {
  RunOptions run;
  const Machine* machine = nullptr;  ///< to predict times; none without it
  bool force = false;                ///< run what exceeds the limits, too
  /// Why a schedule is not even tried, forced or not, as a part of a sentence: "a product of ..."; empty where it is.
  std::function<std::string(const ScheduleProfile& profile)> cannot_run = {};
  /// Called before each schedule, with its name, and before back-propagation over the graph.
  std::function<void(const std::string& schedule)> progress;
};

/// More FLOPs, or more bytes of live values, than these are not run unless forced.
inline constexpr std::uint64_t kMostFlops = 20'000'000'000;
inline constexpr std::uint64_t kMostLiveBytes = std::uint64_t{8} << 30;

/// One schedule, executed and compared.
struct ScheduleValidation {
  std::string skipped;  ///< why it was not run, with the figure; empty otherwise
  std::string failed;   ///< what the backend could not do; empty otherwise
  Measurement measurement;
  std::optional<Prediction> prediction;
  std::optional<Mismatch> mismatch;  ///< in structure, counts or values
  ValueComparison values;            ///< not filled after a mismatch in structure

  [[nodiscard]] bool ran() const { return skipped.empty() && failed.empty(); }
};

/// Why a schedule is not run unless forced, with the figure; empty where it is.
[[nodiscard]] std::string too_large(const ScheduleProfile& profile, Execution execution);

/// All schedules of a validation, beside what was predicted.
struct Validation {
  std::vector<ScheduleValidation> schedules;  ///< in the order of the profiles
  std::optional<double> predicted_build_s;  ///< writing the chain's values; nothing where no machine says, as of blocks
  double measured_build_s = 0;              ///< median of three for each link; a block's is that of its formation
  /// Plain back-propagation over the graph, on this processor; nothing without blocks or where no schedule ran.
  std::optional<GraphValidation> graph;
  // Over the schedules that ran without a mismatch and have a prediction.
  ErrorFigures end_to_end;
  ErrorFigures levels;                        ///< over all levels of them
  std::optional<double> rank_agreement;       ///< Spearman's, over the schedules
  std::optional<double> regret_of_choice;     ///< of the schedule with the smallest prediction
  std::optional<std::size_t> predicted_best;  ///< position of that schedule
  std::optional<std::size_t> measured_best;

  /// The first mismatch of any schedule, else that of back-propagation over the graph.
  [[nodiscard]] std::optional<Mismatch> first_mismatch() const;
  /// The first failure of the backend; empty without.
  [[nodiscard]] std::string first_failure() const;
  /// True when any schedule ran.
  [[nodiscard]] bool any_ran() const;
};

/// Runs every schedule on a backend, and compares structure and counts with the symbolic products, values with direct
/// back-propagation, and times with the machine's prediction. A network with blocks is back-propagated over its graph
/// as well, operator by operator, on this processor whatever the backend, unless no schedule is run.
///
/// `profiles`: of the same network at the same input, one input each. A mismatch, or a failure of the backend in the
/// middle, is reported in the result, not thrown.
/// Throws BackendError where the backend is not available; OperatorError (its index is a position in
/// network.operators()) for numbers that are not finite or do not fit; std::invalid_argument for a label that is no
/// output.
[[nodiscard]] Validation validate(const Backend& backend, NetworkAtInput at, const NetworkProfile& network,
                                  const std::vector<ScheduleProfile>& profiles, const ValidationOptions& options);

}  // namespace upsweep

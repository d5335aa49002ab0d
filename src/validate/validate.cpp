#include "upsweep/validate/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "upsweep/jacobian/forward.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"
#include "upsweep/network/random.hpp"
#include "upsweep/validate/agreement.hpp"

namespace upsweep {
namespace {

std::vector<double> loss_gradient(const LossGradient& loss, const std::vector<double>& output) {
  if (loss.label) return softmax_cross_entropy_gradient(output, *loss.label);
  const NormalStream stream(loss.seed, "loss gradient");
  std::vector<double> gradient(output.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = static_cast<double>(stream(i));
  return gradient;
}

/// Why a schedule is too large to be run, or nothing.
std::string too_large(const ScheduleProfile& profile) {
  const std::uint64_t flops = totals(profile, Scope::all).flops;
  const std::uint64_t bytes =
      peak_live_bytes(profile.schedule, profile.value_bytes, in_scope(profile, Scope::all));
  if (flops > kMostFlops) return fmt::format("{} FLOPs, more than {} are run only with --force", flops, kMostFlops);
  if (bytes > kMostLiveBytes) {
    return fmt::format("{} bytes of live values, more than {} are run only with --force", bytes, kMostLiveBytes);
  }
  return "";
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Validates with numbers of type T.
template <class T>
class Validator {
 public:
  Validator(const Backend& backend, const NetworkAtInput& at, const ValidationOptions& options)
      : backend_(backend), at_(at), options_(options) {
    const std::vector<std::vector<double>> inputs = link_inputs(at.network, at.weights, at.x);
    const std::vector<double> gradient = loss_gradient(at.loss, inputs.back());
    direct_ = direct_backprop(at.network, at.weights, inputs, gradient);
    JacobianChain structure = at.pattern == PatternKind::sample ? SampleChains(at.network, at.weights).at(at.x)
                                                                : guaranteed_chain(at.network, at.weights);
    direct_roundings_ = direct_roundings(structure);
    chain_ = numeric_chain<T>(at.network, at.weights, inputs, std::move(structure), gradient);
    measure_build(inputs);
  }

  [[nodiscard]] double build_seconds() const { return build_seconds_; }

  [[nodiscard]] ScheduleValidation run(const ScheduleProfile& profile) {
    ScheduleValidation result;
    if (!options_.force) result.skipped = too_large(profile);
    if (options_.machine != nullptr) {
      result.prediction = predict_time(profile, *options_.machine, options_.run.workers, options_.run.execution,
                                       at_.value_bytes);
    }
    if (!result.ran()) return result;
    if (options_.progress) options_.progress(profile.schedule.name);
    const std::vector<ExpectedOp> expected = expected_ops(profile.schedule, chain_.structure);
    result.mismatch = compare_profile(profile, expected);
    result.measurement = backend_.run(profile.schedule, chain_, options_.run);
    if (!result.mismatch) {
      result.mismatch = compare_structure(profile.schedule, expected, result.measurement.ops);
    }
    if (result.mismatch) return result;
    result.values = compare_values(profile.schedule, expected, direct_, direct_roundings_, result.measurement.results,
                                   at_.value_bytes);
    result.mismatch = result.values.mismatch;
    result.measurement.results.clear();
    return result;
  }

 private:
  /// The profile, which shares products between schedules, against the products of this schedule alone.
  [[nodiscard]] static std::optional<Mismatch> compare_profile(const ScheduleProfile& profile,
                                                               const std::vector<ExpectedOp>& expected) {
    for (std::size_t id = 0; id < expected.size(); ++id) {
      const OpProfile& op = profile.ops[id];
      if (op.nnz == expected[id].nnz && op.products == expected[id].products) continue;
      return Mismatch{id, fmt::format("op {} of {}: the profile has {} nnz and {} products, its own product {} and {}", id,
                                      profile.schedule.name, op.nnz, op.products, expected[id].nnz,
                                      expected[id].products)};
    }
    return std::nullopt;
  }

  void measure_build(const std::vector<std::vector<double>>& inputs) {
    std::vector<double> seconds;
    for (int repetition = 0; repetition < 3; ++repetition) {
      const auto start = std::chrono::steady_clock::now();
      refill(at_.network, at_.weights, inputs, chain_);
      seconds.push_back(seconds_since(start));
    }
    std::sort(seconds.begin(), seconds.end());
    build_seconds_ = seconds[1];
  }

  const Backend& backend_;
  const NetworkAtInput& at_;
  const ValidationOptions& options_;
  DirectGradients direct_;
  double direct_roundings_ = 0;
  NumericChain<T> chain_;
  double build_seconds_ = 0;
};

/// Predicted beside measured, over the schedules that ran.
void compare_times(Validation& validation) {
  std::vector<double> predicted;
  std::vector<double> measured;
  std::vector<double> level_predicted;
  std::vector<double> level_measured;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < validation.schedules.size(); ++i) {
    const ScheduleValidation& one = validation.schedules[i];
    if (!one.ran()) continue;
    if (!validation.measured_best ||
        one.measurement.seconds < validation.schedules[*validation.measured_best].measurement.seconds) {
      validation.measured_best = i;
    }
    if (!one.prediction || !(one.measurement.seconds > 0)) continue;
    positions.push_back(i);
    predicted.push_back(one.prediction->seconds);
    measured.push_back(one.measurement.seconds);
    const std::vector<double>& levels = one.measurement.level_seconds;
    for (std::size_t level = 0; level < std::min(levels.size(), one.prediction->level_seconds.size()); ++level) {
      if (!(levels[level] > 0)) continue;
      level_predicted.push_back(one.prediction->level_seconds[level]);
      level_measured.push_back(levels[level]);
    }
  }
  validation.end_to_end = error_figures(predicted, measured);
  validation.levels = error_figures(level_predicted, level_measured);
  validation.rank_agreement = spearman(predicted, measured);
  validation.regret_of_choice = regret(predicted, measured);
  if (predicted.empty()) return;
  const auto best = std::min_element(predicted.begin(), predicted.end()) - predicted.begin();
  validation.predicted_best = positions[static_cast<std::size_t>(best)];
}

template <class T>
Validation validate_as(const Backend& backend, const NetworkAtInput& at, const NetworkProfile& network,
                       const std::vector<ScheduleProfile>& profiles, const ValidationOptions& options) {
  Validation validation;
  Validator<T> validator(backend, at, options);
  validation.measured_build_s = validator.build_seconds();
  if (options.machine != nullptr) {
    validation.predicted_build_s =
        predict_build_seconds(network, *options.machine, options.run.workers, at.value_bytes);
  }
  for (const ScheduleProfile& profile : profiles) validation.schedules.push_back(validator.run(profile));
  compare_times(validation);
  return validation;
}

}  // namespace

std::optional<Mismatch> Validation::first_mismatch() const {
  for (const ScheduleValidation& one : schedules) {
    if (one.mismatch) return one.mismatch;
  }
  return std::nullopt;
}

Validation validate(const Backend& backend, const NetworkAtInput& at, const NetworkProfile& network,
                    const std::vector<ScheduleProfile>& profiles, const ValidationOptions& options) {
  const Availability availability = backend.availability();
  if (!availability.available) throw BackendError(backend.name() + ": " + availability.reason);
  return at.value_bytes == 8 ? validate_as<double>(backend, at, network, profiles, options)
                             : validate_as<float>(backend, at, network, profiles, options);
}

}  // namespace upsweep

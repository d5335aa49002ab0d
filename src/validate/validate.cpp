#include "upsweep/validate/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "upsweep/base/checked.hpp"
#include "upsweep/base/measuring.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/jacobian/block_values.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"
#include "upsweep/network/random.hpp"
#include "upsweep/sim/peak_memory.hpp"
#include "upsweep/validate/rank_agreement.hpp"

namespace upsweep {
namespace {

/// Bytes of values that a run keeps at a time: without barriers nothing is used again.
std::uint64_t kept_bytes(const ScheduleProfile& profile, Execution execution) {
  if (execution == Execution::level) {
    return peak_live_bytes(profile.schedule, profile.value_bytes, in_scope(profile, Scope::all));
  }
  std::uint64_t bytes = 0;
  for (const std::uint64_t value : profile.value_bytes) add_to(bytes, value);
  return bytes;
}

}  // namespace

std::vector<double> LossGradient::at(const std::vector<double>& output) const {
  if (label) return softmax_cross_entropy_gradient(output, *label);
  const NormalStream stream(seed, "loss gradient");
  std::vector<double> gradient(output.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = static_cast<double>(stream(i));
  return gradient;
}

void require_finite(const Network& network, const DirectGradients& direct) {
  for (std::size_t link = network.links().size(); link-- > 0;) {
    for (const double value : direct.gradient[link]) {
      if (std::isfinite(value)) continue;
      const std::size_t o = network.links()[link];
      const Operator& op = network.operators()[o];
      const char* whose = network.link(link).is_block ? "the input of the block that ends here" : "its input";
      throw OperatorError(o, fmt::format("{} '{}': an element of the gradient with respect to {} is {}, accepted are "
                                         "finite numbers",
                                         kind_name(op.kind), op.name, whose, value));
    }
  }
}

std::string to_string(const LossGradient& loss) {
  return loss.label ? fmt::format("softmax cross-entropy of label {}", *loss.label)
                    : fmt::format("standard normal loss gradient of seed {}", loss.seed);
}

std::string too_large(const ScheduleProfile& profile, Execution execution) {
  const std::uint64_t flops = totals(profile, Scope::all).flops;
  const std::uint64_t bytes = kept_bytes(profile, execution);
  if (flops > kMostFlops) return fmt::format("{} FLOPs, more than {} are run only with --force", flops, kMostFlops);
  if (bytes > kMostLiveBytes) {
    return fmt::format("{} bytes of live values, more than {} are run only with --force", bytes, kMostLiveBytes);
  }
  return "";
}

namespace {

/// Validates with numbers of type T.
template <class T>
class Validator {
 public:
  Validator(const Backend& backend, NetworkAtInput& at, const NetworkProfile& network, const ValidationOptions& options)
      : backend_(backend), at_(at), options_(options) {
    const std::vector<std::vector<double>> inputs = link_inputs(at.network, at.weights, at.x);
    const std::vector<double> gradient = at.loss.at(inputs.back());
    direct_ = direct_backprop(at.network, at.weights, inputs, gradient);
    require_finite(at.network, direct_);
    JacobianChain structure = at.pattern == PatternKind::sample ? SampleChains(at.network, at.weights).at(at.x)
                                                                : guaranteed_chain(at.network, at.weights);
    direct_roundings_ = direct_roundings(structure);
    if (at.network.has_blocks()) run_graph(network, gradient);  // first: the weights are dropped below
    chain_ = chain_without_values<T>(at.network, std::move(structure), gradient);
    // From the end: late links have the most weights, early ones the most Jacobian values.
    for (std::size_t link = at.network.links().size(); link-- > 0;) {
      fill_link(at.network, at.weights, inputs, link, chain_);
      if (link > 0) build_seconds_ += time_to_fill(inputs, link);  // no schedule needs the first Jacobian
      for (const std::size_t o : at.network.link(link).operators) at.weights[o] = OperatorWeights();
      drop_plan(link);  // neither its memory nor that of weights is part of a run
    }
    return_free_memory();
  }

  [[nodiscard]] double build_seconds() const { return build_seconds_; }
  [[nodiscard]] const std::optional<GraphValidation>& graph() const { return graph_; }

  /// Runs a schedule and fills in what came of it.
  void run(const ScheduleProfile& profile, ScheduleValidation& result) {
    if (options_.progress) options_.progress(profile.schedule.name);
    const std::vector<ExpectedOp> expected = expected_ops(profile.schedule, chain_.structure);
    result.mismatch = compare_profile(profile, expected);
    try {
      result.measurement = run_guarded(backend_, profile.schedule, chain_, options_.run);
    } catch (const BackendError& error) {
      result.failed = error.what();
      return;
    }
    if (!result.mismatch) {
      result.mismatch = compare_structure(profile.schedule, expected, result.measurement.ops);
    }
    if (result.mismatch) return;
    result.values = compare_values(profile.schedule, expected, direct_, direct_roundings_, result.measurement.results,
                                   at_.value_bytes);
    result.mismatch = result.values.mismatch;
    result.measurement.results.clear();
  }

 private:
  void run_graph(const NetworkProfile& network, const std::vector<double>& gradient) {
    const std::uint64_t bytes = graph_jacobian_bytes(network, at_.value_bytes);
    if (!options_.force && bytes > kMostLiveBytes) {
      graph_.emplace().skipped =
          fmt::format("{} bytes of Jacobians, more than {} are run only with --force", bytes, kMostLiveBytes);
      return;
    }
    if (options_.progress) options_.progress("plain BP over the graph");
    const std::vector<std::vector<double>> outputs = activations(at_.network, at_.weights, at_.x);
    graph_ = validate_graph<T>({at_.network, at_.weights, at_.x, outputs, gradient, at_.pattern}, network, direct_,
                               direct_roundings_, options_.run);
    return_free_memory();
  }

  /// The profile, which shares products between schedules, against the products of this schedule alone.
  [[nodiscard]] static std::optional<Mismatch> compare_profile(const ScheduleProfile& profile,
                                                               const std::vector<ExpectedOp>& expected) {
    for (std::size_t id = 0; id < expected.size(); ++id) {
      const OpProfile& op = profile.ops[id];
      if (op.nnz == expected[id].nnz && op.products == expected[id].products) continue;
      return Mismatch{id,
                      fmt::format("op {} of {}: the profile has {} nnz and {} products, its own product {} and {}", id,
                                  profile.schedule.name, op.nnz, op.products, expected[id].nnz, expected[id].products)};
    }
    return std::nullopt;
  }

  /// Leaves of the plan of a link's block what expectations need: its roundings.
  void drop_plan(std::size_t link) {
    std::vector<std::shared_ptr<const BlockPlan>>& blocks = chain_.structure.blocks;
    if (blocks.empty()) return;
    std::shared_ptr<const BlockPlan>& block = blocks[blocks.size() - 1 - link];
    if (!block) return;
    BlockPlan rest;
    rest.roundings = block->roundings;
    block = std::make_shared<BlockPlan>(std::move(rest));
  }

  /// The median of three times. A block's is that of forming its Jacobian; its activations are there in any iteration.
  [[nodiscard]] double time_to_fill(const std::vector<std::vector<double>>& inputs, std::size_t link) {
    const bool is_block = at_.network.link(link).is_block;
    std::vector<std::vector<double>> activations;
    if (is_block) activations = block_activations(at_.network, at_.weights, link, inputs[link]);
    const auto fill = [&] {
      if (is_block) {
        fill_block(at_.network, at_.weights, activations, link, chain_);
      } else {
        fill_link(at_.network, at_.weights, inputs, link, chain_);
      }
    };
    return median({seconds_of(fill), seconds_of(fill), seconds_of(fill)});
  }

  const Backend& backend_;
  NetworkAtInput& at_;
  const ValidationOptions& options_;
  DirectGradients direct_;
  double direct_roundings_ = 0;
  std::optional<GraphValidation> graph_;
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
    if (!one.ran() || one.mismatch) continue;
    if (!validation.measured_best ||
        one.measurement.seconds < validation.schedules[*validation.measured_best].measurement.seconds) {
      validation.measured_best = i;
    }
    // A chain of one link has no products: there is nothing to predict.
    if (!one.prediction || one.measurement.ops.empty() || !(one.measurement.seconds > 0)) continue;
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
Validation validate_as(const Backend& backend, NetworkAtInput& at, const NetworkProfile& network,
                       const std::vector<ScheduleProfile>& profiles, const ValidationOptions& options) {
  Validation validation;
  if (options.machine != nullptr) {
    validation.predicted_build_s =
        predict_build_seconds(at.network, network, *options.machine, options.run.workers, at.value_bytes);
  }
  std::optional<Validator<T>> validator;  // made only where something is run: it takes the memory of the chain
  for (const ScheduleProfile& profile : profiles) {
    ScheduleValidation& one = validation.schedules.emplace_back();
    if (options.cannot_run) one.skipped = options.cannot_run(profile);
    if (one.skipped.empty() && !options.force) one.skipped = too_large(profile, options.run.execution);
    if (options.machine != nullptr) {
      one.prediction =
          predict_time(profile, *options.machine, options.run.workers, options.run.execution, at.value_bytes);
    }
    if (!one.skipped.empty()) continue;
    if (!validator) {
      validator.emplace(backend, at, network, options);
      validation.graph = validator->graph();
      validation.measured_build_s = validator->build_seconds();
    }
    validator->run(profile, one);
  }
  compare_times(validation);
  return validation;
}

}  // namespace

std::optional<Mismatch> Validation::first_mismatch() const {
  for (const ScheduleValidation& one : schedules) {
    if (one.mismatch) return one.mismatch;
  }
  return graph ? graph->mismatch : std::nullopt;
}

std::string Validation::first_failure() const {
  for (const ScheduleValidation& one : schedules) {
    if (!one.failed.empty()) return one.failed;
  }
  return "";
}

bool Validation::any_ran() const {
  return std::any_of(schedules.begin(), schedules.end(), [](const ScheduleValidation& one) { return one.ran(); });
}

Validation validate(const Backend& backend, NetworkAtInput at, const NetworkProfile& network,
                    const std::vector<ScheduleProfile>& profiles, const ValidationOptions& options) {
  const Availability availability = backend.availability();
  if (!availability.available) throw BackendError(backend.name() + ": " + availability.reason);
  return at.value_bytes == 8 ? validate_as<double>(backend, at, network, profiles, options)
                             : validate_as<float>(backend, at, network, profiles, options);
}

}  // namespace upsweep

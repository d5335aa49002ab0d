#include "upsweep/app/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "upsweep/app/loading.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"
#include "upsweep/solve/chain_counts.hpp"
#include "upsweep/validate/direct_backprop.hpp"

namespace upsweep {
namespace {

constexpr double kTolerance = 1e-6;

constexpr const char* kNoCoupling =
    "its backward system has one block, accepted are networks with at least two: the first operator has none, and in "
    "the scaled form activations behind others have none of their own";

void check_input(const Model& model, const char* field, std::size_t input) {
  if (input < model.sample->count) return;
  throw InputError(fmt::format("{}: `{}` is {}, accepted are 0 to {}, the inputs of its sample", model.file, field,
                               input, model.sample->count - 1));
}

void check_warm_start(const Model& model, const SolveRequest& request) {
  if (!request.warm_start) return;
  check_input(model, "warm_start", *request.warm_start);
  if (*request.warm_start != request.input) return;
  throw InputError(
      fmt::format("{}: `warm_start` is {}, the same input as `input`: its gradients are the solution, with error 0; "
                  "accepted are the other inputs of its sample of {}",
                  model.file, *request.warm_start, model.sample->count));
}

std::vector<double> loss_gradient(const Model& model, const LossGradient& loss, const std::vector<double>& output) {
  if (loss.label && *loss.label >= output.size()) {
    throw InputError(fmt::format("{}: `label` is {}, accepted are 0 to {}: the network has {} outputs", model.file,
                                 *loss.label, output.size() - 1, output.size()));
  }
  return loss.at(output);
}

/// Plain back-propagation at the point of `inputs`, from link_inputs().
DirectGradients gradients_at(const Model& model, const SolveRequest& request,
                             const std::vector<std::vector<double>>& inputs) {
  DirectGradients direct =
      direct_backprop(model.network, model.weights, inputs, loss_gradient(model, request.loss, inputs.back()));
  require_finite(model.network, direct);
  return direct;
}

/// The start of the iterations; nothing for v = c.
template <class T>
std::vector<T> start_of(const Model& model, const SolveRequest& request, const BackwardSystem<T>& system) {
  if (!request.warm_start) return {};
  try {
    const auto inputs = link_inputs(model.network, model.weights, model.sample->at(*request.warm_start));
    return start_from(system, gradients_at(model, request, inputs).gradient);
  } catch (const OperatorError& error) {
    throw OperatorError(error.index(), fmt::format("at the input of `warm_start`, {}", error.what()));
  }
}

template <class T>
double tolerance_of(const Model& model, const BackwardSystem<T>& system, const SolveRequest& request) {
  const double smallest = smallest_tolerance(system);
  if (!request.tolerance) return std::max(kTolerance, smallest);
  if (*request.tolerance >= smallest) return *request.tolerance;
  throw InputError(
      fmt::format("{}: `tolerance` is {}, accepted is at least {}: 4 roundings of fp{} for each of its "
                  "{} couplings",
                  model.file, *request.tolerance, smallest, 8 * sizeof(T), system.couplings()));
}

std::vector<MethodRequest> methods_of(const SolveRequest& request, std::size_t couplings) {
  if (!request.methods.empty()) return request.methods;
  const auto group = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(couplings))));
  return {{SolveMethod::jacobi, 1},
          {SolveMethod::richardson, 1},
          {SolveMethod::bicgstab, 1},
          {SolveMethod::jacobi, std::max<std::size_t>(2, group)}};
}

template <class T>
void run_methods(const Model& model, const BackwardSystem<T>& system, const DirectGradients& direct,
                 const SolveRequest& request, const Watch& watch, SolveOutcome& outcome) {
  IterateSettings<T> settings;
  settings.tolerance = outcome.tolerance = tolerance_of(model, system, request);
  settings.omega = request.omega;
  settings.start = start_of(model, request, system);
  settings.reference = &direct.gradient;
  outcome.workers = request.workers.value_or(system.couplings());
  std::vector<MethodRequest> methods = methods_of(request, system.couplings());
  methods.insert(methods.begin(), MethodRequest{SolveMethod::substitution, 1});
  for (const MethodRequest& method : methods) {
    const SolveSetting setting{method.method, method.group, outcome.workers, request.batch};
    watch.show(fmt::format("solving by {}", method_name(method.method, method.group)));
    outcome.runs.push_back(run_solver(system, setting, settings));
  }
}

void add_verdicts(const Model& model, const SolveRequest& request, const JacobianChain& chain, const Watch& watch,
                  SolveOutcome& outcome) {
  const std::size_t layers = outcome.shape.couplings();
  const auto n = static_cast<double>(largest_width(layer_sizes(outcome.shape, request.batch)));
  outcome.verdicts = direct_verdicts(request.batch, layers, {"n", "the largest block", n});
  if (request.formulas) {
    watch.show("counting the products of recursive splitting");
    // The formulas are those of the scaled form, whatever was solved.
    const SystemShape scaled = system_shape(chain, SystemForm::scaled);
    if (scaled.couplings() == 0) throw InputError(fmt::format("{}: {}", model.file, kNoCoupling));
    const ChainCounts counts = count_chain(chain, scaled);
    const auto sparse =
        direct_verdicts(request.batch, scaled.couplings(),
                        {"m", "the products of a splitting over those of all layers with a vector, n of dense layers",
                         counts.effective_width()});
    outcome.verdicts.insert(outcome.verdicts.end(), sparse.begin(), sparse.end());
    const std::vector<SolveRun> runs = request.form == SystemForm::scaled ? outcome.runs : std::vector<SolveRun>{};
    outcome.formulas = formula_rows(scaled, counts, request.batch, runs);
  }
  for (const SolveRun& run : outcome.runs) {
    if (run.setting.method == SolveMethod::substitution || !run.converged()) continue;
    if (repeats_jacobi(run, outcome.runs)) continue;
    // The paper's condition is about single layers.
    if (run.setting.group == 1) outcome.verdicts.push_back(iterative_verdict(run.name, run.iterations, layers));
    outcome.verdicts.push_back(faster_verdict(run.name, run.makespan, outcome.runs.front().makespan, outcome.workers));
  }
}

template <class T>
void solve_backward(const Model& model, const SolveRequest& request, std::span<const double> x, const Watch& watch,
                    SolveOutcome& outcome) {
  const std::vector<std::vector<double>> inputs = link_inputs(model.network, model.weights, x);
  const DirectGradients direct = gradients_at(model, request, inputs);
  const JacobianChain structure = request.pattern == PatternKind::sample
                                      ? SampleChains(model.network, model.weights).at(x)
                                      : guaranteed_chain(model.network, model.weights);
  outcome.shape = system_shape(structure, request.form);
  if (outcome.shape.couplings() == 0) throw InputError(fmt::format("{}: {}", model.file, kNoCoupling));
  const BackwardSystem<T> system(
      numeric_chain<T>(model.network, model.weights, inputs, structure, direct.gradient.back()), request.form);
  run_methods(model, system, direct, request, watch, outcome);
  add_verdicts(model, request, structure, watch, outcome);
}

ForwardPart forward_part(const Model& model, const SolveRequest& request, double tolerance) {
  std::optional<std::span<const double>> earlier;
  if (request.earlier) earlier = model.sample->at(*request.earlier);
  return {forward_sweeps(model.network, model.weights, model.sample->at(request.input), earlier, tolerance),
          sweep_cost(model.network, model.weights),
          request.earlier ? fmt::format("the pass at input {}", *request.earlier) : "no pass, D = I"};
}

/// The residual of a solution that its method calls good enough was not; and no method with a solution at all.
std::optional<std::string> mismatch_of(const SolveOutcome& outcome) {
  bool any = false;
  for (std::size_t m = 0; m < outcome.runs.size(); ++m) {
    const SolveRun& run = outcome.runs[m];
    if (run.converged() && !run.is_within_tolerance) {
      return fmt::format("{}: the residual of its solution is {:.3g} of the right side, accepted is {}", run.name,
                         run.history.back().residual, outcome.tolerance);
    }
    any = any || (m > 0 && run.converged());
  }
  if (any) return std::nullopt;
  return fmt::format("no method has a solution: {}", outcome.runs.back().failed);
}

/// Throws RequestError.
void check_request(const SolveRequest& request) {
  const auto positive = [](const char* field, std::uint64_t value) {
    if (value == 0) throw RequestError(field, "is 0, accepted is an integer of at least 1");
  };
  positive("batch", request.batch);
  positive("workers", request.workers.value_or(1));
  for (const MethodRequest& method : request.methods) positive("methods", method.group);
  if (request.tolerance && !(*request.tolerance > 0 && std::isfinite(*request.tolerance)))
    throw RequestError("tolerance", fmt::format("is '{}', accepted are positive numbers", *request.tolerance));
  if (!std::isfinite(request.omega))
    throw RequestError("omega", fmt::format("is '{}', accepted are finite numbers", request.omega));
}

SolveOutcome solve_model(const Model& model, const SolveRequest& request, const Watch& watch) {
  check_input(model, "input", request.input);
  check_warm_start(model, request);
  if (request.earlier) check_input(model, "earlier", *request.earlier);
  const std::span<const double> x = model.sample->at(request.input);
  SolveOutcome outcome{request, model.name, model.network, model.value_bytes};
  if (model.value_bytes == 4) {
    solve_backward<float>(model, request, x, watch, outcome);
  } else {
    solve_backward<double>(model, request, x, watch, outcome);
  }
  if (request.forward || request.earlier) {
    watch.show("sweeping forward");
    outcome.forward = forward_part(model, request, outcome.tolerance);
  }
  watch.show("");
  outcome.mismatch = mismatch_of(outcome);
  return outcome;
}

}  // namespace

SolveReport SolveOutcome::report() const {
  return {model,
          network,
          shape,
          runs,
          request.form,
          to_string(request.pattern),
          request.input,
          request.warm_start,
          to_string(request.loss),
          value_bytes,
          tolerance,
          workers,
          request.batch,
          verdicts,
          forward,
          formulas};
}

SolveOutcome run(const SolveRequest& request, const Caller&, const Watch& watch) {
  check_request(request);
  const Model model = load_countable_network(
      request.model, request.pattern == PatternKind::sample ? Numbers::needed : Numbers::run, "solve");
  require_sample_inputs(model, "solve");
  try {
    return model.at_operators([&] { return solve_model(model, request, watch); });
  } catch (const CountOverflow& error) {
    throw InputError(fmt::format("{}: {}, accepted are smaller models and batches", model.file, error.what()));
  }
}

}  // namespace upsweep

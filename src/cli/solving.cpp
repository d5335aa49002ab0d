#include "solving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "upsweep/jacobian/chain.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"
#include "upsweep/network/random.hpp"
#include "upsweep/solve/chain_counts.hpp"
#include "upsweep/validate/direct_backprop.hpp"

namespace upsweep::cli {
namespace {

using Progress = std::function<void(const std::string&)>;

constexpr double kTolerance = 1e-6;

constexpr const char* kNoCoupling =
    "its backward system has one block, accepted are networks with at least two: the first operator has none, and in "
    "the scaled form activations behind others have none of their own";

void check_input(const Model& model, const char* option, std::size_t input) {
  if (input < model.sample->count) return;
  throw InputError(fmt::format("{}: {} is {}, accepted are 0 to {}, the inputs of its sample", model.file, option,
                               input, model.sample->count - 1));
}

void check_warm_start(const Model& model, const SolvePlan& plan) {
  if (!plan.warm_start) return;
  check_input(model, "--warm-start", *plan.warm_start);
  if (*plan.warm_start != plan.input) return;
  throw InputError(
      fmt::format("{}: --warm-start is {}, the same input as --input: its gradients are the solution, with error 0; "
                  "accepted are the other inputs of its sample of {}",
                  model.file, *plan.warm_start, model.sample->count));
}

std::vector<double> loss_gradient(const Model& model, const LossGradient& loss, const std::vector<double>& output) {
  if (loss.label && *loss.label >= output.size()) {
    throw InputError(fmt::format("{}: --label is {}, accepted are 0 to {}: the network has {} outputs", model.file,
                                 *loss.label, output.size() - 1, output.size()));
  }
  if (loss.label) return softmax_cross_entropy_gradient(output, *loss.label);
  const NormalStream stream(loss.seed, "loss gradient");
  std::vector<double> gradient(output.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = static_cast<double>(stream(i));
  return gradient;
}

void require_finite(const Network& network, const DirectGradients& direct) {
  for (std::size_t link = network.links().size(); link-- > 0;) {
    for (const double value : direct.gradient[link]) {
      if (std::isfinite(value)) continue;
      const std::size_t o = network.links()[link];
      throw OperatorError(o,
                          fmt::format("{} '{}': an element of the gradient with respect to its input is {}, accepted "
                                      "are finite numbers",
                                      kind_name(network.operators()[o].kind), network.operators()[o].name, value));
    }
  }
}

/// Plain back-propagation at the point of `inputs`, from link_inputs().
DirectGradients gradients_at(const Model& model, const SolvePlan& plan,
                             const std::vector<std::vector<double>>& inputs) {
  DirectGradients direct =
      direct_backprop(model.network, model.weights, inputs, loss_gradient(model, plan.loss, inputs.back()));
  require_finite(model.network, direct);
  return direct;
}

/// The start of the iterations; nothing for v = c.
template <class T>
std::vector<T> start_of(const Model& model, const SolvePlan& plan, const BackwardSystem<T>& system) {
  if (!plan.warm_start) return {};
  try {
    const auto inputs = link_inputs(model.network, model.weights, model.sample->at(*plan.warm_start));
    return start_from(system, gradients_at(model, plan, inputs).gradient);
  } catch (const OperatorError& error) {
    throw OperatorError(error.index(), fmt::format("at the input of --warm-start, {}", error.what()));
  }
}

template <class T>
double tolerance_of(const Model& model, const BackwardSystem<T>& system, const SolvePlan& plan) {
  const double smallest = smallest_tolerance(system);
  if (!plan.tolerance) return std::max(kTolerance, smallest);
  if (*plan.tolerance >= smallest) return *plan.tolerance;
  throw InputError(
      fmt::format("{}: --tolerance is {}, accepted is at least {}: 4 roundings of fp{} for each of its "
                  "{} couplings",
                  model.file, *plan.tolerance, smallest, 8 * sizeof(T), system.couplings()));
}

std::vector<MethodRequest> methods_of(const SolvePlan& plan, std::size_t couplings) {
  if (!plan.methods.empty()) return plan.methods;
  const auto group = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(couplings))));
  return {{SolveMethod::jacobi, 1},
          {SolveMethod::richardson, 1},
          {SolveMethod::bicgstab, 1},
          {SolveMethod::jacobi, std::max<std::size_t>(2, group)}};
}

template <class T>
void run_methods(const Model& model, const BackwardSystem<T>& system, const DirectGradients& direct,
                 const SolvePlan& plan, const Progress& progress, SolveResult& result) {
  IterateSettings<T> settings;
  settings.tolerance = result.tolerance = tolerance_of(model, system, plan);
  settings.omega = plan.omega;
  settings.start = start_of(model, plan, system);
  settings.reference = &direct.gradient;
  result.workers = plan.workers.value_or(system.couplings());
  std::vector<MethodRequest> methods = methods_of(plan, system.couplings());
  methods.insert(methods.begin(), MethodRequest{SolveMethod::substitution, 1});
  for (const MethodRequest& method : methods) {
    const SolveSetting setting{method.method, method.group, result.workers, plan.batch};
    progress(fmt::format("solving by {}", method_name(method.method, method.group)));
    result.runs.push_back(run_solver(system, setting, settings));
  }
}

void add_verdicts(const Model& model, const SolvePlan& plan, const JacobianChain& chain, const Progress& progress,
                  SolveResult& result) {
  const std::size_t layers = result.shape.couplings();
  const auto n = static_cast<double>(largest_width(layer_sizes(result.shape, plan.batch)));
  result.verdicts = direct_verdicts(plan.batch, layers, {"n", "the largest block", n});
  if (plan.formulas) {
    progress("counting the products of recursive splitting");
    // The formulas are those of the scaled form, whatever was solved.
    const SystemShape scaled = system_shape(chain, SystemForm::scaled);
    if (scaled.couplings() == 0) throw InputError(fmt::format("{}: {}", model.file, kNoCoupling));
    const ChainCounts counts = count_chain(chain, scaled);
    const auto sparse =
        direct_verdicts(plan.batch, scaled.couplings(),
                        {"m", "the products of a splitting over those of all layers with a vector, n of dense layers",
                         counts.effective_width()});
    result.verdicts.insert(result.verdicts.end(), sparse.begin(), sparse.end());
    const std::vector<SolveRun> runs = plan.form == SystemForm::scaled ? result.runs : std::vector<SolveRun>{};
    result.formulas = formula_rows(scaled, counts, plan.batch, runs);
  }
  for (const SolveRun& run : result.runs) {
    if (run.setting.method == SolveMethod::substitution || !run.converged()) continue;
    if (repeats_jacobi(run, result.runs)) continue;
    // The paper's condition is about single layers.
    if (run.setting.group == 1) result.verdicts.push_back(iterative_verdict(run.name, run.iterations, layers));
    result.verdicts.push_back(faster_verdict(run.name, run.makespan, result.runs.front().makespan, result.workers));
  }
}

template <class T>
void solve_backward(const Model& model, const SolvePlan& plan, std::span<const double> x, const Progress& progress,
                    SolveResult& result) {
  const std::vector<std::vector<double>> inputs = link_inputs(model.network, model.weights, x);
  const DirectGradients direct = gradients_at(model, plan, inputs);
  const JacobianChain structure = plan.pattern == PatternKind::sample ? SampleChains(model.network, model.weights).at(x)
                                                                      : guaranteed_chain(model.network, model.weights);
  result.shape = system_shape(structure, plan.form);
  if (result.shape.couplings() == 0) throw InputError(fmt::format("{}: {}", model.file, kNoCoupling));
  const BackwardSystem<T> system(
      numeric_chain<T>(model.network, model.weights, inputs, structure, direct.gradient.back()), plan.form);
  run_methods(model, system, direct, plan, progress, result);
  add_verdicts(model, plan, structure, progress, result);
}

ForwardPart forward_part(const Model& model, const SolvePlan& plan, double tolerance) {
  std::optional<std::span<const double>> earlier;
  if (plan.earlier) earlier = model.sample->at(*plan.earlier);
  return {forward_sweeps(model.network, model.weights, model.sample->at(plan.input), earlier, tolerance),
          sweep_cost(model.network, model.weights),
          plan.earlier ? fmt::format("the pass at input {}", *plan.earlier) : "no pass, D = I"};
}

}  // namespace

std::string loss_text(const LossGradient& loss) {
  return loss.label ? fmt::format("softmax cross-entropy of label {}", *loss.label)
                    : fmt::format("standard normal loss gradient of seed {}", loss.seed);
}

SolveResult solve_model(const Model& model, const SolvePlan& plan, const Progress& progress) {
  check_input(model, "--input", plan.input);
  check_warm_start(model, plan);
  if (plan.earlier) check_input(model, "--earlier", *plan.earlier);
  const std::span<const double> x = model.sample->at(plan.input);
  SolveResult result;
  if (model.value_bytes == 4) {
    solve_backward<float>(model, plan, x, progress, result);
  } else {
    solve_backward<double>(model, plan, x, progress, result);
  }
  if (plan.forward) {
    progress("sweeping forward");
    result.forward = forward_part(model, plan, result.tolerance);
  }
  return result;
}

}  // namespace upsweep::cli

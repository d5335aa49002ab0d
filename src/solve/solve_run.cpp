#include "upsweep/solve/solve_run.hpp"

#include <algorithm>

#include "history.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/solve/residual.hpp"

namespace upsweep {
namespace {

std::optional<std::size_t> bound_of(const SystemShape& shape, const SolveSetting& setting, double omega) {
  if (setting.method == SolveMethod::substitution) return 1;
  const bool is_jacobi =
      setting.method == SolveMethod::jacobi || (setting.method == SolveMethod::richardson && omega == 1);
  if (is_jacobi) return nilpotent_bound(shape, setting.group);
  return std::nullopt;
}

/// What `per_iteration` comes to over a run, of which `of_vectors` is the part beside the products.
std::uint64_t whole(const SolveRun& run, std::uint64_t per_iteration, std::uint64_t of_vectors) {
  const std::uint64_t products = run.setting.method == SolveMethod::bicgstab ? 2 : 1;
  return checked_add(checked_mul((per_iteration - of_vectors) / products, run.products),
                     checked_mul(of_vectors, run.iterations));
}

/// Fills in what a solution has.
template <class T>
void finish(const BackwardSystem<T>& system, const std::vector<T>& v, double tolerance, SolveRun& run) {
  run.is_within_tolerance = residual(system, std::span<const T>(v)).relative() <= tolerance;
  run.flops = whole(run, run.cost.flops(), run.cost.vector_flops);
  const std::uint64_t workers = run.setting.workers;
  const std::uint64_t share = run.cost.vector_flops / workers + (run.cost.vector_flops % workers != 0 ? 1 : 0);
  run.makespan = whole(run, run.cost.makespan, share);
}

template <class T>
void run_substitution(const BackwardSystem<T>& system, const IterateSettings<T>& settings, SolveRun& run) {
  History<T> history(system, settings, run.name);
  const std::vector<T> v = substitute(system);
  history.add(1, v);
  run.iterations = 1;
  run.products = 1;
  run.history = history.release();
  finish(system, v, settings.tolerance, run);
}

}  // namespace

std::optional<std::size_t> usable_blocks(const IterationPoint& point) {
  if (point.block_errors.empty()) return std::nullopt;
  return static_cast<std::size_t>(
      std::ranges::count_if(point.block_errors, [](double e) { return e <= kUsableError; }));
}

std::vector<IterationPoint> rungs(const SolveRun& run) {
  std::vector<IterationPoint> points;
  for (const IterationPoint& point : run.history) {
    if (!point.block_errors.empty()) points.push_back(point);
  }
  return points;
}

std::optional<std::size_t> usable_from(const SolveRun& run) {
  std::optional<std::size_t> from;
  for (const IterationPoint& point : run.history) {
    if (!(point.error <= kUsableError)) {
      from.reset();  // errors of a start travel towards the input and may come back
    } else if (!from) {
      from = point.iteration;
    }
  }
  return from;
}

bool repeats_jacobi(const SolveRun& run, const std::vector<SolveRun>& runs) {
  if (run.setting.method != SolveMethod::richardson || run.omega != 1) return false;
  return std::ranges::any_of(runs, [&](const SolveRun& other) {
    return other.setting.method == SolveMethod::jacobi && other.setting.group == run.setting.group;
  });
}

template <class T>
SolveRun run_solver(const BackwardSystem<T>& system, const SolveSetting& setting, const IterateSettings<T>& settings) {
  SolveRun run;
  run.setting = setting;
  run.name = method_name(setting.method, setting.group);
  if (setting.method == SolveMethod::richardson) run.omega = settings.omega;
  run.cost = iteration_cost(system.shape(), setting, sizeof(T));
  run.bound = bound_of(system.shape(), setting, run.omega);
  try {
    if (setting.method == SolveMethod::substitution) {
      run_substitution(system, settings, run);
      return run;
    }
    IterativeSolution<T> solution = hybrid_solve(system, setting.group, setting.method, settings);
    run.iterations = solution.iterations;
    run.products = solution.products;
    run.history = std::move(solution.history);
    finish(system, solution.v, settings.tolerance, run);
  } catch (const NoConvergence& error) {
    run.failed = error.what();
    run.history = error.history();
    if (!run.history.empty()) run.iterations = run.history.back().iteration;
  }
  return run;
}

template SolveRun run_solver(const BackwardSystem<float>&, const SolveSetting&, const IterateSettings<float>&);
template SolveRun run_solver(const BackwardSystem<double>&, const SolveSetting&, const IterateSettings<double>&);

}  // namespace upsweep

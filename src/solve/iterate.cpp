#include "upsweep/solve/iterate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "eigen_bicgstab.hpp"
#include "grouped_product.hpp"
#include "history.hpp"
#include "upsweep/solve/residual.hpp"

namespace upsweep {
namespace {

template <class T>
std::size_t limit_of(const BackwardSystem<T>& system, SolveMethod method, std::size_t group,
                     const IterateSettings<T>& settings) {
  return settings.max_iterations.value_or(most_iterations(system.shape(), method, group));
}

template <class T>
IterativeSolution<T> solution_of(std::vector<T> v, std::size_t products, History<T>& history) {
  IterativeSolution<T> solution;
  solution.v = std::move(v);
  solution.iterations = history.points().back().iteration;
  solution.products = products;
  solution.history = history.release();
  return solution;
}

template <class T>
IterativeSolution<T> solve_jacobi(const BackwardSystem<T>& system, std::size_t group,
                                  const IterateSettings<T>& settings) {
  const std::size_t limit = limit_of(system, SolveMethod::jacobi, group, settings);
  const std::size_t bound = nilpotent_bound(system.shape(), group);
  History<T> history(system, settings, method_name(SolveMethod::jacobi, group));
  const GroupedProduct<T> grouped(system, group);
  std::vector<T> v = history.start();
  std::vector<T> next(v.size());
  for (std::size_t i = 0;; ++i) {
    if (history.add(i, v)) return solution_of(std::move(v), i, history);
    if (i >= bound) {  // exact but for rounding: no later iteration changes a bit
      history.refuse_growth(std::numeric_limits<double>::max());
      history.refuse_stagnation();
    }
    if (i >= limit) history.refuse_limit();
    grouped.sweep(v, std::span<T>(next));
    v.swap(next);
  }
}

/// Iterations without a smaller residual that are no sign of stagnation: information passes one group per 1 / ω.
std::size_t patience(std::size_t bound, double omega) {
  const double slowness = 1 / std::clamp(std::fabs(omega), 0.01, 1.0);
  return static_cast<std::size_t>(std::ceil(slowness * (2.0 * static_cast<double>(bound + 1) + 20)));
}

template <class T>
IterativeSolution<T> solve_richardson(const BackwardSystem<T>& system, std::size_t group,
                                      const IterateSettings<T>& settings) {
  if (!std::isfinite(settings.omega))
    throw std::invalid_argument(fmt::format("richardson: omega is {}, accepted are finite numbers", settings.omega));
  const std::size_t limit = limit_of(system, SolveMethod::richardson, group, settings);
  const std::size_t window = patience(nilpotent_bound(system.shape(), group), settings.omega);
  // Past this growth, rounding errors alone exceed the right side by far.
  const double growth = 4 / std::pow(std::numeric_limits<T>::epsilon(), 2.0);
  History<T> history(system, settings, method_name(SolveMethod::richardson, group));
  const GroupedProduct<T> grouped(system, group);
  const T omega = static_cast<T>(settings.omega);
  std::vector<T> v = history.start();
  std::vector<T> next(v.size());
  for (std::size_t i = 0;; ++i) {
    if (history.add(i, v)) return solution_of(std::move(v), i, history);
    history.refuse_growth(growth);
    if (history.since_best() >= window && history.points().back().residual <= 100 * history.best_residual())
      history.refuse_stagnation();
    if (i >= limit) history.refuse_limit();
    grouped.sweep(v, std::span<T>(next));
    for (std::size_t j = 0; j < v.size(); ++j) v[j] += omega * (next[j] - v[j]);
  }
}

template <class T>
IterativeSolution<T> solve_bicgstab(const BackwardSystem<T>& system, std::size_t group,
                                    const IterateSettings<T>& settings) {
  const std::size_t limit = limit_of(system, SolveMethod::bicgstab, group, settings);
  History<T> history(system, settings, method_name(SolveMethod::bicgstab, group), true);
  const GroupedProduct<T> grouped(system, group);
  const std::vector<T> start = history.start();
  if (history.add(0, start)) return solution_of(start, 0, history);
  double tolerance = settings.tolerance;  // of Eigen, which judges by the residual that it carries along
  for (std::size_t rung = 1;; rung = next_with_all_errors(rung)) {
    const std::size_t most = std::min(rung, limit);
    EigenRun<T> run = eigen_bicgstab(grouped, start, most, tolerance);
    while (run.claims_convergence && residual(system, std::span<const T>(run.v)).relative() > settings.tolerance &&
           tolerance > std::numeric_limits<T>::epsilon() / 2) {
      tolerance /= 10;
      run = eigen_bicgstab(grouped, start, most, tolerance);
    }
    if (run.iterations > history.points().back().iteration) {
      if (history.add(run.iterations, run.v)) return solution_of(std::move(run.v), run.products, history);
    }
    history.refuse_growth(std::numeric_limits<double>::max());
    if (run.claims_convergence) history.refuse_stagnation();
    if (most >= limit) history.refuse_limit();
  }
}

}  // namespace

template <class T>
double smallest_tolerance(const BackwardSystem<T>& system) {
  const auto links = static_cast<double>(std::max<std::size_t>(1, system.couplings()));
  return 2 * static_cast<double>(std::numeric_limits<T>::epsilon()) * links;
}

std::size_t most_iterations(const SystemShape& shape, SolveMethod method, std::size_t group) {
  const std::size_t bound = nilpotent_bound(shape, group);
  if (method == SolveMethod::richardson) return 100 * (bound + 1);
  if (method == SolveMethod::bicgstab) return 4 * (bound + 1) + 20;
  return bound;
}

template <class T>
IterativeSolution<T> hybrid_solve(const BackwardSystem<T>& system, std::size_t group, SolveMethod outer,
                                  const IterateSettings<T>& settings) {
  if (group == 0) throw std::invalid_argument("hybrid_solve: groups of 0 blocks, accepted are 1 and more");
  switch (outer) {
    case SolveMethod::jacobi:
      return solve_jacobi(system, group, settings);
    case SolveMethod::richardson:
      return solve_richardson(system, group, settings);
    case SolveMethod::bicgstab:
      return solve_bicgstab(system, group, settings);
    case SolveMethod::substitution:
      break;
  }
  throw std::invalid_argument("hybrid_solve: substitution was found, accepted are jacobi, richardson and bicgstab");
}

template double smallest_tolerance(const BackwardSystem<float>&);
template IterativeSolution<float> hybrid_solve(const BackwardSystem<float>&, std::size_t, SolveMethod,
                                               const IterateSettings<float>&);
template double smallest_tolerance(const BackwardSystem<double>&);
template IterativeSolution<double> hybrid_solve(const BackwardSystem<double>&, std::size_t, SolveMethod,
                                                const IterateSettings<double>&);

}  // namespace upsweep

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/solve/iterate.hpp"
#include "upsweep/solve/solve_cost.hpp"

namespace upsweep {

/// The error of a gradient, relative to its largest element, up to which a report calls it usable.
inline constexpr double kUsableError = 0.01;

/// One method on one system: what it takes, and what came of it.
struct SolveRun {
  SolveSetting setting;
  std::string name;                     ///< method_name()
  double omega = 1;                     ///< of richardson; 1 for the others
  SolveCost cost;                       ///< of one iteration; of substitution, the whole
  std::optional<std::size_t> bound;     ///< nilpotent_bound(); nothing where the method has none
  std::string failed;                   ///< why there is no solution; empty where there is one
  std::size_t iterations = 0;           ///< η; 1 for substitution; where it failed, those that were made
  std::size_t products = 0;             ///< with the matrix, restarts included; 0 where it failed
  std::vector<IterationPoint> history;  ///< of residuals and errors; empty where it was refused
  bool is_within_tolerance = false;     ///< the residual of the solution, computed anew
  std::uint64_t flops = 0;              ///< of the whole solution with all right sides; 0 where it failed
  std::uint64_t makespan = 0;           ///< on the workers: FLOPs, restarts of BiCGStab included; 0 where it failed

  [[nodiscard]] bool converged() const { return failed.empty(); }
};

/// Blocks of a point whose gradient is off by at most kUsableError; nothing where it has no errors by block.
[[nodiscard]] std::optional<std::size_t> usable_blocks(const IterationPoint& point);

/// The points with errors by block, where a truncated solution is looked at.
[[nodiscard]] std::vector<IterationPoint> rungs(const SolveRun& run);

/// The iteration from which on no gradient is off by more than kUsableError, of those that the history has: where a
/// truncated solution is enough. Nothing where that never is so.
[[nodiscard]] std::optional<std::size_t> usable_from(const SolveRun& run);

/// True for richardson with ω = 1 where `runs` has jacobi with as many blocks in a group, which is the same iteration.
[[nodiscard]] bool repeats_jacobi(const SolveRun& run, const std::vector<SolveRun>& runs);

/// Runs a method, and plain substitution where setting.method says so.
///
/// A method without a solution is a result with its reason and history; other errors are thrown as hybrid_solve() does.
/// Counts are those of setting.batch right sides, the numbers those of the one in the system. T is float or double.
template <class T>
[[nodiscard]] SolveRun run_solver(const BackwardSystem<T>& system, const SolveSetting& setting,
                                  const IterateSettings<T>& settings);

}  // namespace upsweep

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "upsweep/solve/backward_system.hpp"
#include "upsweep/solve/solve_cost.hpp"

namespace upsweep {

/// Settings of an iterative solution.
template <class T>
struct IterateSettings {
  double tolerance = 1e-6;  ///< of |c - A v| / |c|, Euclidean norms, residual() as the judge
  double omega = 1;         ///< relaxation of Richardson's iteration
  /// By default as many as the method may need: most_iterations().
  std::optional<std::size_t> max_iterations = std::nullopt;
  std::vector<T> start = {};  ///< a vector of unknowns, its last block is replaced by that of c; empty: v = c
  /// True gradients by activation, as DirectGradients::gradient, for the errors; null: those of substitute().
  const std::vector<std::vector<double>>* reference = nullptr;
};

/// State after an iteration.
struct IterationPoint {
  std::size_t iteration = 0;  ///< 0: the start
  double residual = 0;        ///< |c - A v| / |c|, Euclidean
  double residual_max = 0;    ///< largest element of c - A v, absolute
  double error = 0;           ///< of the gradients: the largest of block_errors
  double first_error = 0;     ///< of block 0, which every other block has to reach
  /// By block: largest |v - gradient| over largest |gradient|; 0 where both are 0, infinite where only that is.
  /// Only at iterations 0, 1, 2, 3, 5, 10, 20, 30, 50, 100, ... and the last: else empty.
  std::vector<double> block_errors;
};

/// A solution within the tolerance, with all that led to it.
template <class T>
struct IterativeSolution {
  std::vector<T> v;
  std::size_t iterations = 0;           ///< η
  std::size_t products = 0;             ///< with the matrix; restarts of BiCGStab included
  std::vector<IterationPoint> history;  ///< from the start on; BiCGStab: only the iterations that have block_errors
};

/// An iteration ended without a solution; carries the history, never the vector.
class NoConvergence : public std::runtime_error {
 public:
  NoConvergence(const std::string& message, std::vector<IterationPoint> history)
      : std::runtime_error(message), history_(std::move(history)) {}
  [[nodiscard]] const std::vector<IterationPoint>& history() const { return history_; }

 private:
  std::vector<IterationPoint> history_;
};

/// The residual grew past all bounds or is not finite.
class Diverged : public NoConvergence {
 public:
  using NoConvergence::NoConvergence;
};

/// The number type does not reach the tolerance: refused before the first iteration (empty history), or stagnation.
class ToleranceUnreachable : public NoConvergence {
 public:
  using NoConvergence::NoConvergence;
};

/// The limit of iterations came first.
class IterationLimit : public NoConvergence {
 public:
  using NoConvergence::NoConvergence;
};

/// Gradients by activation, as DirectGradients::gradient has them, as a vector of unknowns: a start.
///
/// Throws std::invalid_argument where one has not the length of its block.
template <class T>
[[nodiscard]] std::vector<T> start_from(const BackwardSystem<T>& system,
                                        const std::vector<std::vector<double>>& gradients);

/// The smallest tolerance that is accepted: 4 · u · max(1, l), u the unit roundoff of T.
template <class T>
[[nodiscard]] double smallest_tolerance(const BackwardSystem<T>& system);

/// The default of max_iterations: b = nilpotent_bound() for Jacobi, which is exact by then from any start;
/// 4 (b + 1) + 20 for BiCGStab, 100 (b + 1) for Richardson.
[[nodiscard]] std::size_t most_iterations(const SystemShape& shape, SolveMethod method, std::size_t group);

/// Solves groups of `group` consecutive blocks directly, by substitution, and couples them by an iteration on the
/// system scaled by its groups' diagonal blocks (Naumov 2018, section 3.4). `group` = 1 is the plain iteration.
///
/// jacobi: v ← B v + c (Equation 37). From v = c it needs every one of its iterations unless gradients vanish: the
/// first blocks are 0, their error 1, until the last ones. From another start, start_from() the gradients of a similar
/// sample, η iterations hand the start's error at a block on to the η-th block before it: what that leaves there, the
/// history shows.
/// richardson: v ← v + ω (c - A v). A is scaled by its diagonal, so that ω = 1 is Jacobi's; other ω lose the exact end,
/// contract only for 0 < ω < 2, and pass through large residuals first on the way.
/// bicgstab: Eigen's (Equations 38 to 41). Matrix-free, with this system's products: an assembled matrix would copy
/// every entry and read the same numbers. Eigen shows no iterate on the way, so that the history comes from runs that
/// stop earlier. From v = c it restarts in its second iteration, as its first residual is orthogonal to the next; on
/// deep chains it may break down.
///
/// Groups are counted from the loss on, without the last block, whose value is known; Jacobi needs at most
/// nilpotent_bound() = ceil(l / group) iterations, and group >= l is substitution in one. One iteration does the work
/// of one product with the matrix, in a chain of `group` products.
/// The tolerance is relative to the loss gradient: gradients that vanish on the way may meet it while the first blocks
/// are still 0. The errors of the history are relative to each gradient and show that.
/// T is float or double. The result does not depend on the number of threads. Throws NoConvergence;
/// std::invalid_argument for a tolerance that is not positive, a start or reference that does not fit, ω not finite,
/// group 0 and SolveMethod::substitution.
template <class T>
[[nodiscard]] IterativeSolution<T> hybrid_solve(const BackwardSystem<T>& system, std::size_t group, SolveMethod outer,
                                                const IterateSettings<T>& settings);

}  // namespace upsweep

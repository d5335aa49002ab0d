#pragma once

#include <cstddef>
#include <vector>

#include "upsweep/machine/work_costs.hpp"

namespace upsweep {

/// A measured time: what was done, and how long it took.
struct TimePoint {
  std::vector<double> counts;  ///< of units of work, the same ones of all points
  double seconds = 0;          ///< > 0
};

/// Costs >= 0 of a unit each that minimise the sum of squared relative errors over the points. Units that no point has
/// cost 0. `weights`: of the squared errors, one per point; empty: all 1.
///
/// Method: coordinate descent on the normal equations, which converges for a convex problem with bounds. Throws
/// std::invalid_argument without points or for a time that is not positive.
[[nodiscard]] std::vector<double> fit_times(const std::vector<TimePoint>& points,
                                            const std::vector<double>& weights = {});

/// The same, of the sum of |log(predicted / measured)| as far as that is above kSmallError, of its square below: few
/// points that are far off have no say. Method: fit_times() with weights from the errors before, 25 times.
[[nodiscard]] std::vector<double> fit_robustly(const std::vector<TimePoint>& points);
inline constexpr double kSmallError = 0.2;

/// A measured product: what it did and how long one worker would have taken.
struct CostPoint {
  WorkVector counts{};
  double worker_seconds = 0;  ///< > 0; without latency
};

/// fit_times() of products.
[[nodiscard]] WorkCosts fit_costs(const std::vector<CostPoint>& points);

/// Whether any of the points is made of that unit of kWorkNames.
[[nodiscard]] bool any_has(const std::vector<CostPoint>& points, std::size_t unit);

/// Of `memory`, fitted to products out of the cache: a unit that none of `points` has takes what it does in the cache,
/// not nothing. What is known is what is known of `cache`, and no more.
void take_unmeasured(WorkCosts& memory, const WorkCosts& cache, const std::vector<CostPoint>& points);

}  // namespace upsweep

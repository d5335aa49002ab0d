#pragma once

#include <vector>

#include "upsweep/machine/machine.hpp"

namespace upsweep {

/// A measured product: what it did and how long one worker would have taken.
struct CostPoint {
  WorkVector counts{};
  double worker_seconds = 0;  ///< > 0; without latency
};

/// Costs >= 0 that minimise the sum of squared relative errors over the points.
///
/// Counts that no point has keep cost 0. Method: coordinate descent on the normal equations, which converges for a
/// convex problem with bounds. Throws std::invalid_argument without points or for a time that is not positive.
[[nodiscard]] WorkCosts fit_costs(const std::vector<CostPoint>& points);

}  // namespace upsweep

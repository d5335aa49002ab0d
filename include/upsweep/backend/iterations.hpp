#pragma once

#include <functional>
#include <vector>

#include "upsweep/backend/backend.hpp"
#include "upsweep/base/measuring.hpp"  // IWYU pragma: export: iterations are timed

namespace upsweep {

/// What one iteration of a schedule took.
struct Iteration {
  double seconds = 0;
  std::vector<double> op_seconds;     ///< by combine id; empty where ops are timed elsewhere
  std::vector<double> level_seconds;  ///< by level; empty under Execution::dag, or likewise
};

/// Runs iterations as often as the options say, and fills the times of `measurement` (whose ops have the right length)
/// with medians.
void measure_iterations(const RunOptions& options, const std::function<Iteration()>& iterate, Measurement& measurement);

}  // namespace upsweep

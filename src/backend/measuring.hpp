#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include "upsweep/backend/backend.hpp"

namespace upsweep {

/// Seconds on a clock that never goes back.
[[nodiscard]] inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What one iteration of a schedule took.
struct Iteration {
  double seconds = 0;
  std::vector<double> op_seconds;     ///< by combine id
  std::vector<double> level_seconds;  ///< by level; empty under Execution::dag
};

/// The median; 0 of nothing. Reorders `values`.
[[nodiscard]] double median(std::vector<double> values);

/// Runs one iteration to warm up, then as many as the options ask for, and fills the times of `measurement` (whose ops
/// have the right length) with medians.
void measure_iterations(const RunOptions& options, const std::function<Iteration()>& iterate, Measurement& measurement);

}  // namespace upsweep

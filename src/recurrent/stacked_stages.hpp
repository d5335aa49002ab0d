#pragma once

#include <cstdint>
#include <vector>

#include "upsweep/recurrent/stacked.hpp"

namespace upsweep {

/// Combines of like levels of an exclusive scan over T elements and a given vector, only those that results need.
struct TimeScanLevel {
  StackedPhase phase = StackedPhase::up;
  std::uint64_t repeat = 1;
  std::uint64_t matrix = 0;  ///< combines of two matrices
  std::uint64_t vector = 0;  ///< combines of the vector's prefix with a matrix
};

/// Levels of the scan over `steps` steps; none for a single step.
[[nodiscard]] std::vector<TimeScanLevel> time_scan_levels(std::uint64_t steps, TimeScan scan, std::uint32_t depth);

/// Stages of a way. `depth` of the method is in range. Throws CountOverflow.
[[nodiscard]] std::vector<StackedStage> stacked_stages(const StackedShape& shape, const StackedMethod& method);

/// The least r with 2^r >= n; n >= 1.
[[nodiscard]] std::uint32_t ceil_log2(std::uint64_t n);

}  // namespace upsweep

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "upsweep/scan/execution.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// One combine on one worker, over [start, end) in the unit of the costs.
struct TimelineEntry {
  std::size_t id;
  std::size_t worker;
  std::uint64_t start;
  std::uint64_t end;
};

/// A simulated run.
struct Timeline {
  std::vector<TimelineEntry> entries;  ///< in the order in which they start
  std::uint64_t makespan = 0;          ///< last end; 0 without entries
};

/// Simulates a PRAM with `workers` >= 1 workers by list scheduling.
///
/// Shapes: `costs` and `runs` have one entry per combine; a combine with runs[id] false is left out, and none that runs
/// depends on it. Under `level`, combines of a level start in id order, each on the worker that becomes free first,
/// ties to the lowest. Under `dag`, whenever a worker is free and combines are ready, the ready one with the smallest
/// id starts on the lowest free worker; all that end at a time are retired before any starts at that time. Throws
/// std::invalid_argument for 0 workers or wrong lengths, CountOverflow. Cost: O(ops · log(ops + workers)).
[[nodiscard]] Timeline simulate(const Schedule& schedule, std::span<const std::uint64_t> costs,
                                const std::vector<bool>& runs, std::size_t workers, Execution execution);

}  // namespace upsweep

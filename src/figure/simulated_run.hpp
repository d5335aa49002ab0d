#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "upsweep/scan/execution.hpp"
#include "upsweep/scan/schedule.hpp"
#include "upsweep/sim/simulate.hpp"
#include "upsweep/store/stored_run.hpp"

namespace upsweep {

/// A run on its workers, simulated again: costs are FLOPs, rounded where they are means.
struct SimulatedRun {
  Schedule schedule;
  Execution execution = Execution::dag;
  std::vector<bool> runs;  ///< by op: false where the search left dead ops out
  Timeline timeline;
  std::size_t workers = 0;  ///< those that do anything; 0 .. workers - 1
};

/// Under the execution and scope of the run's search, else dag and all ops. Nothing where the schedule cannot be made
/// again or nothing takes time.
[[nodiscard]] std::optional<SimulatedRun> simulated_run(const RunDetails& run);

/// Ops that the makespan waits for, last first: each starts when the next one ends, whose result or worker it needs, or
/// whose level under level execution.
[[nodiscard]] std::vector<std::size_t> waited_for(const SimulatedRun& simulated);

}  // namespace upsweep

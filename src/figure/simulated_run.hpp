#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "upsweep/scan/execution.hpp"
#include "upsweep/sim/pram_simulation.hpp"
#include "upsweep/store/stored_run.hpp"

namespace upsweep {

/// A run on its workers as figures show it; see replayed_run().
struct SimulatedRun {
  Execution execution = Execution::dag;
  std::vector<bool> runs;            ///< by op: false where the search left dead ops out
  std::uint64_t inputs = 1;          ///< of the run
  Timeline timeline;                 ///< FLOPs, sums over the inputs
  std::size_t workers = 0;           ///< those that do anything; 0 .. workers - 1
  std::vector<std::size_t> longest;  ///< ops on the run's longest chain, last first; see longest_chain()

  /// A time of the timeline as the mean over the inputs.
  [[nodiscard]] double mean(std::uint64_t time) const {
    return static_cast<double>(time) / static_cast<double>(inputs);
  }
};

/// Under execution_of() the run and the scope of its search, else all ops. Nothing where the stored ops are not those
/// of the schedule or nothing takes time.
[[nodiscard]] std::optional<SimulatedRun> simulated_run(const RunDetails& run);

/// Ops on the run's longest chain, last first.
[[nodiscard]] inline const std::vector<std::size_t>& waited_for(const SimulatedRun& simulated) {
  return simulated.longest;
}

}  // namespace upsweep

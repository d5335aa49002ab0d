#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/base/error.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/scan/execution.hpp"
#include "upsweep/scan/schedule.hpp"
#include "upsweep/sim/pram_simulation.hpp"
#include "upsweep/store/stored_run.hpp"

namespace upsweep {

/// A stored run whose workers were simulated again. Counts are sums over the inputs of the run, so that they stay
/// whole.
struct ReplayedRun {
  Schedule schedule;
  Execution execution = Execution::dag;
  std::uint64_t inputs = 1;
  std::vector<std::uint64_t> costs;  ///< FLOPs, by op
  std::vector<bool> runs;            ///< by op: false where the search left dead ops out
  Timeline timeline;                 ///< in FLOPs

  /// Whether every op runs.
  [[nodiscard]] bool runs_all_ops() const { return timeline.entries.size() == runs.size(); }
};

/// The schedule of a run made again from its name and length.
///
/// Throws std::invalid_argument, with what does not fit, where the stored ops are not those of the schedule: the file
/// comes from elsewhere or was edited.
[[nodiscard]] Schedule stored_schedule(const RunDetails& run);

/// The counts of a run that makespans need, as sums over its inputs: FLOPs, spans, shapes and entries of its ops, and
/// levels.
///
/// Throws std::invalid_argument as stored_schedule() and stored_sum() do, and where ops have no spans.
[[nodiscard]] ScheduleProfile stored_profile(const RunDetails& run);

/// "level" or "dag": as a run was measured the last time, else of its search, else dag.
[[nodiscard]] std::string execution_of(const RunDetails& run);

/// A run on its workers by its FLOPs, under execution_of() and the scope of its search, else all ops.
///
/// Throws std::invalid_argument as stored_schedule() does, and where counts are none or too large. Cost: that of
/// simulate().
[[nodiscard]] ReplayedRun replayed_run(const RunDetails& run);

/// A mean over `inputs` as their sum; throws std::invalid_argument where it is none: "op 3 has -1 FLOPs".
[[nodiscard]] std::uint64_t stored_sum(double mean, std::uint64_t inputs, const char* what, std::size_t op);

/// The error for a user about a run that stored_schedule() or replayed_run() refuses: names file and run.
[[nodiscard]] InputError unfit_run(const std::string& file, const StoredRun& run, const std::string& why);

/// Ops on the run's longest chain, last first: without a gap from the end of the run to its start each starts when the
/// next one ends, whose result or worker it waits for, or, under level execution, whose level.
[[nodiscard]] std::vector<std::size_t> longest_chain(const ReplayedRun& run);

}  // namespace upsweep

#pragma once

#include <cstdint>
#include <vector>

#include "upsweep/scan/execution.hpp"
#include "upsweep/scan/schedule.hpp"
#include "upsweep/sim/simulate.hpp"
#include "upsweep/store/stored_run.hpp"

namespace upsweep {

/// A run with its execution simulated anew. Counts are sums over the inputs of the run, so that they stay whole.
struct TracedRun {
  Execution execution = Execution::dag;
  std::uint64_t inputs = 1;
  Schedule schedule;
  Timeline timeline;
  std::vector<std::uint64_t> start;  ///< by op
  std::vector<std::uint64_t> end;    ///< by op
  std::vector<bool> is_critical;     ///< by op: see critical_ops()
  std::vector<std::uint64_t> bytes;  ///< by value of the schedule; 0 for elements of the array that no op reads
};

/// Makes the schedule of a run and simulates it with all ops, costs in FLOPs. Throws std::invalid_argument where the
/// ops of the run are not those of its schedule, or their counts are none.
[[nodiscard]] TracedRun traced_run(const RunDetails& details);

/// Bytes that are live in each level, by the rule of peak_live_bytes(): length schedule.levels.
[[nodiscard]] std::vector<std::uint64_t> live_bytes_by_level(const TracedRun& run);

/// When a value is in memory: [from, to).
struct Lifetime {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

/// The same rule by time instead of levels: from the start of the op that makes a value to the end of the last that
/// reads it; by value. One that is never read lives while it is made, and results to the end.
[[nodiscard]] std::vector<Lifetime> lifetimes(const TracedRun& run);

}  // namespace upsweep

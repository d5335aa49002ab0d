#pragma once

#include <cstdint>
#include <vector>

#include "upsweep/report/replayed_run.hpp"

namespace upsweep {

/// A run that was simulated again, as a trace needs it.
struct TracedRun {
  ReplayedRun replayed;
  std::vector<std::uint64_t> start;  ///< by op; 0 for one that does not run
  std::vector<std::uint64_t> end;    ///< by op
  std::vector<bool> is_on_chain;     ///< by op: on the run's longest chain; see longest_chain()
  std::vector<std::uint64_t> bytes;  ///< by value of the schedule; 0 for elements of the array that no op reads

  [[nodiscard]] const Schedule& schedule() const { return replayed.schedule; }
  [[nodiscard]] bool runs(std::size_t op) const { return replayed.runs[op]; }
  [[nodiscard]] bool is_by_level() const { return replayed.execution == Execution::level; }
};

/// Simulates a run again and adds what its values take. Throws std::invalid_argument as replayed_run() does, and where
/// the stored bytes are none.
[[nodiscard]] TracedRun traced_run(const RunDetails& details);

/// Bytes that are live in each level, by the rule of peak_live_bytes(): length schedule().levels.
[[nodiscard]] std::vector<std::uint64_t> live_bytes_by_level(const TracedRun& run);

/// Bytes of what remains when everything is done: the results.
[[nodiscard]] std::uint64_t remaining_bytes(const TracedRun& run);

/// When a value is in memory: [from, to), or from `from` on.
struct Lifetime {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  bool stays = false;  ///< a result
};

/// The same rule by time instead of levels: from the start of the op that makes a value to the end of the last that
/// reads it; by value. One that is never read lives while it is made, and results stay.
[[nodiscard]] std::vector<Lifetime> lifetimes(const TracedRun& run);

}  // namespace upsweep

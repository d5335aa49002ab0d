#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "upsweep/sim/task_engine.hpp"

namespace upsweep {

/// Memory that tasks acquire and release: from the start, or the arrival, of the earlier of up to two tasks to the end
/// of the later of up to two. Half-open: what is released at an instant makes room for what is acquired at it.
struct Holding {
  std::uint32_t pool = 0;    ///< the memory that it is in
  std::uint32_t kind = 0;    ///< what it is
  std::uint64_t amount = 1;  ///< in any unit
  std::array<std::uint32_t, 2> acquired_by = {kNoTask, kNoTask};
  bool at_start = true;  ///< acquired when the task starts; otherwise when those that wait for it may
  std::array<std::uint32_t, 2> released_by = {kNoTask, kNoTask};
};

/// The most that was held in a pool at one instant.
struct PeakUse {
  std::vector<std::uint64_t> by_kind;
  std::uint64_t together = 0;  ///< of all kinds
};

/// The peaks of pools 0 .. pools - 1, with `kinds` kinds each. A holding without an acquiring or without a releasing
/// task, or released before it is acquired, takes nothing.
///
/// Throws std::invalid_argument for a pool, kind or task that does not exist, CountOverflow. Cost: O(n log n).
[[nodiscard]] std::vector<PeakUse> peak_use(const Workload& workload, const Simulation& simulation,
                                            std::span<const Holding> holdings, std::size_t pools, std::size_t kinds);

/// What the fullest pool holds from an instant to that of the next entry, at most.
struct FullestPool {
  std::uint64_t from = 0;
  std::uint64_t most = 0;

  friend bool operator==(const FullestPool&, const FullestPool&) = default;
};

/// What the fullest of all pools holds over time, from instant 0 on; `always`: amounts that each pool holds beside, one
/// per pool. Exact where what is held changes at no more than `most_entries` instants, else the most in each of so many
/// equal parts of the time, at least 1. Throws as peak_use().
/// Cost: O(n log n + pools · most_entries).
[[nodiscard]] std::vector<FullestPool> fullest_pool(const Workload& workload, const Simulation& simulation,
                                                    std::span<const Holding> holdings,
                                                    std::span<const std::uint64_t> always, std::size_t most_entries);

}  // namespace upsweep

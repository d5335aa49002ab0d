#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "upsweep/sim/task_engine.hpp"

namespace upsweep {

/// How far exact_schedule() goes.
struct ExactOptions {
  std::uint64_t max_nodes = 10'000'000;    ///< partial schedules to build
  std::size_t max_states = 100'000;        ///< partial schedules to keep of one length; about 24 bytes · tasks each
  std::function<bool()> stop = {};         ///< asked every 1024 nodes: true ends the search, as a time limit would
  std::optional<std::uint64_t> incumbent;  ///< makespan of a schedule that the caller has
};

/// The best schedule found, and how good any schedule can be.
struct ExactSchedule {
  std::uint64_t makespan = 0;        ///< the incumbent of the caller where nothing better was found
  std::uint64_t lower_bound = 0;     ///< no schedule is shorter
  std::uint64_t nodes = 0;           ///< partial schedules built
  std::vector<std::uint64_t> start;  ///< one per task; empty where the incumbent was never beaten

  [[nodiscard]] bool proven() const { return makespan == lower_bound; }
  /// Share by which the makespan can exceed the optimum at most; 0 where proven.
  [[nodiscard]] double gap() const;
};

/// Shortest non-preemptive schedule of a small workload, every resource free to idle and to choose its order: keys,
/// disciplines and is_transport do not count. The makespan is the last end of a task with a resource.
///
/// Units: those of the workload. Deterministic as long as `stop` is. Throws std::invalid_argument for what
/// simulate_tasks() refuses (a circle in the graph, wrong lengths), for resources with several servers and for an
/// incumbent below the lower bound; CountOverflow when durations and delays together exceed 64 bits. Cost: exponential
/// at worst; O(nodes · (edges + tasks · log tasks)) time and, next to `max_states`, O(tasks²) memory. Source: active
/// schedules (Giffler and Thompson 1960) level by level under a one-machine bound (Jackson 1955, Carlier 1982), where
/// of two partial schedules of the same tasks one may dominate the other (Gromicho et al. 2012); a level keeps the
/// best few, more with each pass, until none was left out (Libralesso et al. 2022).
[[nodiscard]] ExactSchedule exact_schedule(const Workload& workload, const ExactOptions& options = {});

}  // namespace upsweep

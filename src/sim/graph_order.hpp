#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "upsweep/sim/graph_backprop.hpp"

namespace upsweep {

/// By topological level, from 0, the tasks of it in their order. Throws std::invalid_argument for a task that waits for
/// itself or a later one.
[[nodiscard]] std::vector<std::vector<std::size_t>> task_levels(const std::vector<GraphTask>& tasks);

/// From a task to one that waits for it.
using TaskEdges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
[[nodiscard]] TaskEdges task_edges(const std::vector<GraphTask>& tasks);

/// Makespan of tasks of these durations without barriers, each on one of `workers`.
[[nodiscard]] std::uint64_t free_makespan(std::vector<std::uint64_t> durations, const TaskEdges& edges,
                                          std::size_t workers);

}  // namespace upsweep

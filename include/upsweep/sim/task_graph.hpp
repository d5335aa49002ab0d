#pragma once

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <cstdint>
#include <span>
#include <utility>

#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// Which task waits for which: an edge from every task to the tasks that read its result. Knows nothing of what a task
/// is.
using TaskGraph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                     boost::no_property, std::uint32_t, std::uint32_t>;

/// A graph of `tasks` tasks with edges (from, to).
[[nodiscard]] TaskGraph task_graph(std::span<const std::pair<std::uint32_t, std::uint32_t>> edges, std::size_t tasks);

/// Tasks are the combines of the schedule, by id; renames are free and leave no edge.
[[nodiscard]] TaskGraph task_graph(const Schedule& schedule);

/// Length of the longest path, costs of its tasks added up; 0 without tasks.
///
/// Shapes: one cost per task. Throws std::invalid_argument when the graph has a cycle or the lengths differ,
/// CountOverflow.
[[nodiscard]] std::uint64_t longest_path(const TaskGraph& graph, std::span<const std::uint64_t> costs);

}  // namespace upsweep

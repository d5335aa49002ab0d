#include "upsweep/sim/task_graph.hpp"

#include <algorithm>
#include <boost/graph/topological_sort.hpp>
#include <stdexcept>
#include <utility>

#include "upsweep/base/checked.hpp"

namespace upsweep {

TaskGraph task_graph(std::span<const std::pair<std::uint32_t, std::uint32_t>> edges, std::size_t tasks) {
  return {boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), static_cast<std::uint32_t>(tasks)};
}

TaskGraph task_graph(const Schedule& schedule) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    for (const ValueId operand : {schedule.combines[id].earlier, schedule.combines[id].later}) {
      if (operand >= schedule.length) {
        edges.emplace_back(static_cast<std::uint32_t>(operand - schedule.length), static_cast<std::uint32_t>(id));
      }
    }
  }
  return task_graph(edges, schedule.combines.size());
}

std::uint64_t longest_path(const TaskGraph& graph, std::span<const std::uint64_t> costs) {
  if (costs.size() != boost::num_vertices(graph)) throw std::invalid_argument("longest_path needs one cost per task");
  std::vector<std::uint32_t> order;  // reversed: every task after its successors
  order.reserve(costs.size());
  try {
    boost::topological_sort(graph, std::back_inserter(order));
  } catch (const boost::not_a_dag&) {
    throw std::invalid_argument("longest_path: the tasks wait for each other in a circle");
  }
  std::vector<std::uint64_t> from(costs.size());  // longest path that starts here
  std::uint64_t longest = 0;
  for (const std::uint32_t task : order) {
    std::uint64_t rest = 0;
    for (auto [edge, end] = boost::out_edges(task, graph); edge != end; ++edge)
      rest = std::max(rest, from[boost::target(*edge, graph)]);
    from[task] = checked_add(costs[task], rest);
    longest = std::max(longest, from[task]);
  }
  return longest;
}

}  // namespace upsweep

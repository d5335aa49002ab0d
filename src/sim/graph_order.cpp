#include "graph_order.hpp"

#include <algorithm>
#include <stdexcept>

#include "upsweep/sim/task_engine.hpp"
#include "upsweep/sim/task_graph.hpp"

namespace upsweep {

std::vector<std::vector<std::size_t>> task_levels(const std::vector<GraphTask>& tasks) {
  std::vector<std::size_t> level_of(tasks.size());
  std::vector<std::vector<std::size_t>> levels;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    for (const std::size_t before : tasks[t].after) {
      if (before >= t) throw std::invalid_argument("a task waits for itself or a later one, accepted are earlier ones");
      level_of[t] = std::max(level_of[t], level_of[before] + 1);
    }
    if (levels.size() <= level_of[t]) levels.resize(level_of[t] + 1);
    levels[level_of[t]].push_back(t);
  }
  return levels;
}

TaskEdges task_edges(const std::vector<GraphTask>& tasks) {
  TaskEdges edges;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    for (const std::size_t before : tasks[t].after)
      edges.emplace_back(static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(t));
  }
  return edges;
}

std::uint64_t free_makespan(std::vector<std::uint64_t> durations, const TaskEdges& edges, std::size_t workers) {
  Workload workload;
  workload.resource_of.assign(durations.size(), 0);
  workload.graph = task_graph(edges, durations.size());
  workload.durations = std::move(durations);
  Resource pool;
  pool.servers = workers;
  workload.resources = {pool};
  return simulate_tasks(workload).makespan;
}

}  // namespace upsweep

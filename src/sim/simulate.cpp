#include "upsweep/sim/simulate.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/sim/engine.hpp"

namespace upsweep {
namespace {

/// The combines that run as tasks of the simulator, and under `level` a task without duration after each level.
struct ScanTasks {
  Workload workload;
  std::vector<std::size_t> combine_of;  // by task; barriers have none
};

/// Edges from every combine of a level to its barrier, and from there to every combine of the next level.
void add_barriers(const Schedule& schedule, ScanTasks& tasks,
                  std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  const auto combines = static_cast<std::uint32_t>(tasks.combine_of.size());
  std::uint32_t barrier = combines - 1;  // the last one made
  std::uint32_t first = 0;               // of the level
  for (std::uint32_t task = 0; task < combines; ++task) {
    const std::uint32_t level = schedule.combines[tasks.combine_of[task]].level;
    if (task > 0 && level != schedule.combines[tasks.combine_of[task - 1]].level) {
      ++barrier;
      tasks.workload.durations.push_back(0);
      tasks.workload.resource_of.push_back(kNoResource);
      for (; first < task; ++first) edges.emplace_back(first, barrier);
    }
    if (barrier >= combines) edges.emplace_back(barrier, task);
  }
}

/// Edges from every combine to those that read its value.
void add_dependencies(const Schedule& schedule, const ScanTasks& tasks,
                      std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  std::vector<std::uint32_t> task_of(schedule.combines.size());
  for (std::uint32_t task = 0; task < tasks.combine_of.size(); ++task) task_of[tasks.combine_of[task]] = task;
  for (std::uint32_t task = 0; task < tasks.combine_of.size(); ++task) {
    const Combine& combine = schedule.combines[tasks.combine_of[task]];
    for (const ValueId operand : {combine.earlier, combine.later}) {
      if (operand >= schedule.length) edges.emplace_back(task_of[operand - schedule.length], task);
    }
  }
}

ScanTasks scan_tasks(const Schedule& schedule, std::span<const std::uint64_t> costs, const std::vector<bool>& runs,
                     std::size_t workers, Execution execution) {
  ScanTasks tasks;
  for (std::size_t id = 0; id < costs.size(); ++id) {
    if (!runs[id]) continue;
    tasks.combine_of.push_back(id);
    tasks.workload.durations.push_back(costs[id]);
    tasks.workload.resource_of.push_back(0);
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  Resource pool;
  pool.servers = workers;
  if (execution == Execution::level) {
    pool.frees_instantly = true;  // the worker that becomes free first is then the same one
    add_barriers(schedule, tasks, edges);
  } else {
    add_dependencies(schedule, tasks, edges);
  }
  tasks.workload.graph = task_graph(edges, tasks.workload.durations.size());
  tasks.workload.resources = {pool};
  return tasks;
}

}  // namespace

Timeline simulate(const Schedule& schedule, std::span<const std::uint64_t> costs, const std::vector<bool>& runs,
                  std::size_t workers, Execution execution) {
  if (workers == 0) throw std::invalid_argument("simulate needs at least 1 worker");
  if (costs.size() != schedule.combines.size() || runs.size() != costs.size())
    throw std::invalid_argument("simulate needs one cost per combine");
  const ScanTasks tasks = scan_tasks(schedule, costs, runs, workers, execution);
  const Simulation simulation = simulate_tasks(tasks.workload);
  Timeline timeline;
  timeline.makespan = simulation.makespan;
  timeline.entries.reserve(simulation.segments.size());
  for (const Segment& segment : simulation.segments)
    timeline.entries.push_back({tasks.combine_of[segment.task], segment.server, segment.start, segment.end});
  return timeline;
}

std::uint64_t peak_live_bytes(const Schedule& schedule, std::span<const std::uint64_t> value_bytes,
                              const std::vector<bool>& runs) {
  if (schedule.levels == 0) return value_bytes[0];
  constexpr std::size_t kNever = ~std::size_t{0};
  std::vector<std::size_t> first(schedule.values(), 0);
  std::vector<std::size_t> last(schedule.values(), kNever);
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    if (!runs[id]) continue;
    const Combine& combine = schedule.combines[id];
    first[schedule.value_of(id)] = combine.level;
    last[schedule.value_of(id)] = combine.level;
    last[combine.earlier] = combine.level;
    last[combine.later] = combine.level;
  }
  for (const ValueId result : schedule.results) {
    if (result != kIdentity) last[result] = schedule.levels - 1;
  }
  std::vector<std::uint64_t> enters(schedule.levels + 1, 0);
  std::vector<std::uint64_t> leaves(schedule.levels + 1, 0);
  for (std::size_t value = 0; value < schedule.values(); ++value) {
    if (last[value] == kNever) continue;
    enters[first[value]] = checked_add(enters[first[value]], value_bytes[value]);
    leaves[last[value] + 1] = checked_add(leaves[last[value] + 1], value_bytes[value]);
  }
  std::uint64_t live = 0;
  std::uint64_t peak = 0;
  for (std::size_t level = 0; level < schedule.levels; ++level) {
    live = checked_add(live - leaves[level], enters[level]);
    peak = std::max(peak, live);
  }
  return peak;
}

}  // namespace upsweep

#include "upsweep/sim/graph_time.hpp"

#include <algorithm>
#include <stdexcept>

#include "graph_order.hpp"
#include "level_time.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/machine/cache_traffic.hpp"
#include "upsweep/sim/predict.hpp"
#include "upsweep/sim/task_graph.hpp"

namespace upsweep {
namespace {

/// The most of Jacobians that are still to be read and of all that was made, over the levels; a sum over the inputs.
std::uint64_t tasks_working_set(const std::vector<GraphTask>& tasks,
                                const std::vector<std::vector<std::size_t>>& levels) {
  std::uint64_t jacobians = 0;
  std::uint64_t made = 0;
  for (const GraphTask& task : tasks) {
    if (!task.is_sum) add_to(jacobians, task.op.right_bytes);
    if (task.after.empty()) add_to(made, task.op.left_bytes);  // what no task makes is there from the start
  }
  std::uint64_t most = 0;
  for (const std::vector<std::size_t>& level : levels) {
    for (const std::size_t t : level) add_to(made, tasks[t].op.bytes);
    most = std::max(most, checked_add(jacobians, made));
    for (const std::size_t t : level) jacobians -= tasks[t].is_sum ? 0 : tasks[t].op.right_bytes;
  }
  return most;
}

/// Without barriers, as predict_time() has it.
double free_seconds(const std::vector<GraphTask>& tasks, const std::vector<std::vector<std::size_t>>& levels,
                    const std::vector<OpWork>& works, const Machine& machine, const OpPlace& place) {
  std::vector<std::uint64_t> ticks(tasks.size());
  SharedTime all;
  for (const std::vector<std::size_t>& level : levels) {
    OpPlace busy = place;
    std::uint64_t parts = 0;
    for (const std::size_t t : level) add_to(parts, parts_of(works[t], place.workers, machine.kind));
    busy.active = active_of(parts, place.workers);
    for (const std::size_t t : level) {
      const OpTime time = op_time(machine, works[t], busy);
      all.add(time, launch_costs(machine, machine.at(busy.active)).op_s, busy.active);
      ticks[t] = to_ticks(time.alone_s);
    }
  }
  const TaskEdges edges = task_edges(tasks);
  if (machine.kind == MachineKind::pram) return ticks_in_seconds(free_makespan(std::move(ticks), edges, place.workers));
  const double path = ticks_in_seconds(longest_path(task_graph(edges, tasks.size()), ticks));
  const double host_s = launch_costs(machine, machine.at(place.workers)).host_s;
  return std::max({all.together(), path, static_cast<double>(tasks.size()) * host_s});
}

}  // namespace

std::optional<double> graph_seconds(const std::vector<GraphTask>& tasks, std::uint64_t inputs, const Machine& machine,
                                    std::size_t workers, Execution execution, unsigned value_bytes,
                                    std::uint64_t batch) {
  if (workers == 0) throw std::invalid_argument("0 workers, accepted is at least 1");
  if (batch == 0) throw std::invalid_argument("a batch of 0 inputs, accepted is at least 1");
  if (execution == Execution::dag && (batch > 1 || !has_dag_time(machine))) return std::nullopt;
  if (tasks.empty()) return 0;
  const std::vector<std::vector<std::size_t>> levels = task_levels(tasks);
  std::vector<OpWork> works;
  works.reserve(tasks.size());
  for (const GraphTask& task : tasks) works.push_back(op_work(task.op, inputs, value_bytes));
  const auto seconds_with = [&](std::uint64_t bytes) {
    const OpPlace place{.workers = workers, .active = workers, .value_bytes = value_bytes, .working_set = bytes};
    if (execution == Execution::dag) return free_seconds(tasks, levels, works, machine, place);
    LevelSum sum(machine, place, batch);
    std::vector<TimedWork> timed;
    std::vector<EqualOps> ops;
    for (const std::vector<std::size_t>& level : levels) {
      timed.clear();
      ops.clear();
      for (const std::size_t t : level) timed.push_back({.work = works[t]});
      for (TimedWork& work : timed) ops.push_back({&work, batch});
      sum.add(ops);
    }
    return sum.seconds();
  };
  const std::uint64_t own = rounded_mean(checked_mul(tasks_working_set(tasks, levels), batch), inputs);
  return seconds_with(cache_traffic(machine, own, seconds_with));
}

}  // namespace upsweep

#include "upsweep/sim/graph_backprop.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "graph_order.hpp"
#include "list_schedule.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/sim/task_graph.hpp"

namespace upsweep {
namespace {

/// With a barrier after each level; tasks of a level in order, each on the worker that is free first.
std::uint64_t fenced_makespan(const std::vector<std::vector<std::size_t>>& levels,
                              const std::vector<std::uint64_t>& durations, std::size_t workers, std::uint64_t batch) {
  ListSchedule schedule(workers);
  std::uint64_t sum = 0;
  for (const std::vector<std::size_t>& level : levels) {
    schedule.clear();
    for (const std::size_t t : level) schedule.add(batch, durations[t]);
    add_to(sum, schedule.makespan());
  }
  return sum;
}

/// Positions of tasks that must be done; nothing where no gradient is made.
using Producers = std::vector<std::size_t>;

/// Writes the tasks of back-propagation from an operator's output back to the outputs before it.
class BackpropTasks {
 public:
  BackpropTasks(const Network& network, const NetworkProfile& profile, unsigned value_bytes)
      : network_(network),
        profile_(profile),
        value_bytes_(value_bytes),
        needed_(needs_gradient(network)),
        arrived_(network.operators().size()) {}

  /// Back-propagation through `operators` (positions, ascending), from the gradient of the last one's output, which is
  /// there; that of output `known` is there, too.
  void through(const std::vector<std::size_t>& operators, std::size_t known) {
    for (std::size_t k = operators.size(); k-- > 0;) {
      const std::size_t o = operators[k];
      const std::optional<std::size_t> gradient = finish(o);
      std::size_t which = 0;
      for (const std::size_t input : network_.inputs_of(o)) {
        if (input != kNetworkInput && input != known && needed_[input])
          arrived_[input].push_back(hand_back(o, which, gradient));
        ++which;
      }
    }
  }

  [[nodiscard]] std::vector<GraphTask> take() { return std::move(tasks_); }

 private:
  /// The task that has made the gradient of the output of `o`, with a sum where several have arrived.
  std::optional<std::size_t> finish(std::size_t o) {
    const std::vector<std::optional<std::size_t>>& arrived = arrived_[o];
    if (arrived.empty()) return std::nullopt;
    if (arrived.size() == 1) return arrived[0];
    GraphTask sum{sum_of(arrived.size(), elements(network_.operators()[o].out_shape)), {}, true};
    for (const std::optional<std::size_t>& task : arrived) {
      if (task) sum.after.push_back(*task);
    }
    return append(std::move(sum));
  }

  std::optional<std::size_t> hand_back(std::size_t o, std::size_t which, std::optional<std::size_t> gradient) {
    const OperatorKind& kind = network_.operators()[o].kind;
    if (is_view(kind) || is_join(kind)) return gradient;
    GraphTask product{profile_.operators[o].gradients[which], {}};
    if (gradient) product.after.push_back(*gradient);
    return append(std::move(product));
  }

  /// `summands` vectors of `length` numbers added up.
  [[nodiscard]] OpProfile sum_of(std::uint64_t summands, std::uint64_t length) const {
    const std::uint64_t inputs = profile_.inputs;
    const auto of_inputs = [&](std::uint64_t count) { return checked_mul(count, inputs); };
    const std::uint64_t additions = checked_mul(summands - 1, length);
    OpProfile op;
    op.m = op.k = length;
    op.n = 1;
    op.is_mv = true;
    op.left_nnz = op.nnz = of_inputs(length);
    op.right_nnz = op.flops = of_inputs(additions);
    op.span = of_inputs(additions_span(additions, summands));
    op.left_bytes = op.bytes = of_inputs(checked_mul(value_bytes_, length));
    op.right_bytes = of_inputs(checked_mul(value_bytes_, additions));
    op.steps.teams = of_inputs(length);
    op.steps.single_steps = of_inputs(additions);
    return op;
  }

  std::size_t append(GraphTask task) {
    std::sort(task.after.begin(), task.after.end());
    task.after.erase(std::unique(task.after.begin(), task.after.end()), task.after.end());
    tasks_.push_back(std::move(task));
    return tasks_.size() - 1;
  }

  const Network& network_;
  const NetworkProfile& profile_;
  unsigned value_bytes_;
  std::vector<bool> needed_;
  std::vector<std::vector<std::optional<std::size_t>>> arrived_;  // by operator: what makes parts of its gradient
  std::vector<GraphTask> tasks_;
};

}  // namespace

GraphWork simulate_graph(const std::vector<GraphTask>& tasks, std::size_t workers, std::uint64_t batch) {
  if (workers == 0) throw std::invalid_argument("simulate_graph needs at least 1 worker");
  GraphWork work;
  if (batch > 1) work.dag.reset();
  if (tasks.empty()) return work;
  const std::vector<std::vector<std::size_t>> levels = task_levels(tasks);
  work.tasks = tasks.size();
  work.steps = levels.size();
  std::vector<std::uint64_t> flops;
  for (const GraphTask& task : tasks) {
    flops.push_back(task.op.flops);
    add_to(work.flops, task.op.flops);
  }
  for (const std::vector<std::size_t>& level : levels) {
    std::uint64_t most = 0;
    for (const std::size_t t : level) most = std::max(most, flops[t]);
    add_to(work.critical_path_level, most);
  }
  const TaskEdges edges = task_edges(tasks);
  work.critical_path_dag = longest_path(task_graph(edges, tasks.size()), flops);
  const std::vector<std::uint64_t> units(tasks.size(), 1);
  work.level = {fenced_makespan(levels, units, workers, batch), fenced_makespan(levels, flops, workers, batch)};
  if (batch == 1) work.dag = {free_makespan(units, edges, workers), free_makespan(flops, edges, workers)};
  return work;
}

std::vector<GraphTask> graph_backprop_tasks(const Network& network, const NetworkProfile& profile,
                                            unsigned value_bytes) {
  std::vector<std::size_t> all;
  for (std::size_t o = 0; o < network.operators().size(); ++o) all.push_back(o);
  BackpropTasks tasks(network, profile, value_bytes);
  tasks.through(all, kNetworkInput);
  return tasks.take();
}

std::vector<GraphTask> inner_backprop_tasks(const Network& network, const NetworkProfile& profile,
                                            unsigned value_bytes) {
  BackpropTasks tasks(network, profile, value_bytes);
  for (std::size_t i = 0; i < network.links().size(); ++i) {
    const ChainLink& link = network.link(i);
    if (link.is_block) tasks.through(link.operators, link.input);
  }
  return tasks.take();
}

std::vector<GraphTask> formation_tasks(const NetworkProfile& profile) {
  std::vector<GraphTask> tasks;
  for (std::size_t i = 1; i < profile.links.size(); ++i) {
    const std::vector<FormationStep>& steps = profile.links[i].formation.steps;
    std::vector<std::vector<std::size_t>> made_by(steps.size());  // the tasks that must be done for a step's matrix
    for (std::size_t s = 0; s < steps.size(); ++s) {
      for (const std::size_t read : steps[s].reads) {
        made_by[s].insert(made_by[s].end(), made_by[read].begin(), made_by[read].end());
      }
      std::sort(made_by[s].begin(), made_by[s].end());
      made_by[s].erase(std::unique(made_by[s].begin(), made_by[s].end()), made_by[s].end());
      if (steps[s].op.flops == 0) continue;
      tasks.push_back({steps[s].op, std::move(made_by[s]), steps[s].is_sum});
      made_by[s] = {tasks.size() - 1};
    }
  }
  return tasks;
}

GraphComparison compare_with_graph(const Network& network, const NetworkProfile& profile, std::size_t workers,
                                   std::uint64_t batch) {
  return {simulate_graph(graph_backprop_tasks(network, profile), workers, batch),
          simulate_graph(formation_tasks(profile), workers, batch),
          simulate_graph(inner_backprop_tasks(network, profile), workers, batch)};
}

}  // namespace upsweep

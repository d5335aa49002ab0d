#include "upsweep/training/data_parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "cost_checks.hpp"
#include "data_parallel_ticks.hpp"

namespace upsweep {
namespace {

constexpr std::uint32_t kDevice = 0;
constexpr std::uint32_t kLink = 1;

/// Tasks of a step under construction, with the simulator's ids of its operations.
class StepBuilder {
 public:
  StepBuilder(const DataParallel& step, const TickScale& scale) : step_(step), scale_(scale) {
    for (auto& ids : ids_) ids.assign(step.layers(), kNoTask);
    sync_.assign(step.layers(), kNoTask);
  }

  /// Adds an operation; its key is its place in the order of adding. Returns false where it does not exist.
  bool add(const StepOp& op) {
    const double cost = step_.cost(op);
    if (cost == 0) return false;
    id(op) = add_task(scale_.ticks({cost}), kDevice, ops_.size());
    ops_.push_back(op);
    return true;
  }

  /// Adds the synchronisations of all weight gradients, and what waits for them.
  void add_synchronisations() {
    for (std::uint32_t layer = 0; layer < step_.layers(); ++layer) {
      const std::uint32_t weight = id({StepOpKind::weight_gradient, layer, 0});
      if (weight == kNoTask) continue;
      sync_[layer] = add_task(scale_.ticks({step_.synchronisation[layer]}), kLink, layer);
      edge(weight, sync_[layer]);
      edge(sync_[layer], id({StepOpKind::forward, layer, 0}));
    }
  }

  void edge(std::uint32_t from, std::uint32_t to) {
    if (from != kNoTask && to != kNoTask) edges_.emplace_back(from, to);
  }

  Workload workload(const Resource& device, const Resource& link) {
    workload_.graph = task_graph(edges_, workload_.durations.size());
    workload_.resources = {device, link};
    return std::move(workload_);
  }

  [[nodiscard]] std::uint32_t& id(const StepOp& op) { return ids_[static_cast<std::size_t>(op.kind)][op.layer]; }
  [[nodiscard]] std::uint32_t sync(std::size_t layer) const { return sync_[layer]; }
  [[nodiscard]] const std::vector<StepOp>& ops() const { return ops_; }

 private:
  std::uint32_t add_task(std::uint64_t duration, std::uint32_t resource, std::uint64_t key) {
    workload_.durations.push_back(duration);
    workload_.resource_of.push_back(resource);
    workload_.keys.push_back(key);
    return static_cast<std::uint32_t>(workload_.durations.size() - 1);
  }

  const DataParallel& step_;
  const TickScale& scale_;
  Workload workload_;
  std::array<std::vector<std::uint32_t>, 4> ids_;  // by kind and layer
  std::vector<std::uint32_t> sync_;                // by layer
  std::vector<StepOp> ops_;                        // by task id
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
};

Resource link_resource(LinkRule rule) {
  Resource link;
  link.discipline = rule == LinkRule::fifo         ? Discipline::fifo
                    : rule == LinkRule::preemptive ? Discipline::preemptive
                                                   : Discipline::priority;
  link.is_transport = true;
  link.frees_instantly = true;
  return link;
}

DataParallelRun figures(const DataParallel& step, const TickScale& scale, StepBuilder& tasks, const Workload& workload,
                        std::size_t backward_ops) {
  const Simulation simulation = simulate_tasks(workload);
  DataParallelRun run;
  std::uint64_t busy = 0;
  std::uint64_t backward_end = 0;
  for (const Segment& segment : simulation.segments) {
    const bool is_compute = segment.task < tasks.ops().size();
    StepEntry entry{{}, is_compute ? kDevice : kLink, scale.units(segment.start), scale.units(segment.end)};
    if (!is_compute) {
      const auto layer = static_cast<std::uint32_t>(workload.keys[segment.task]);
      entry.op = {StepOpKind::weight_gradient, layer, 0};
      run.link.push_back(entry);
      continue;
    }
    entry.op = tasks.ops()[segment.task];
    run.compute.push_back(entry);
    busy += segment.end - segment.start;
    if (segment.task < backward_ops) backward_end = std::max(backward_end, segment.end);
  }
  const std::uint64_t makespan = simulation.end[tasks.ops().size() - 1];
  for (std::uint32_t layer = 0; layer < step.layers(); ++layer) {
    const std::uint32_t sync = tasks.sync(layer);
    run.sync_end.push_back(sync < simulation.end.size() ? scale.units(simulation.end[sync]) : 0);
    run.forward_start.push_back(scale.units(simulation.start[tasks.id({StepOpKind::forward, layer, 0})]));
  }
  run.makespan = scale.units(makespan);
  run.backward_end = scale.units(backward_end);
  run.busy = scale.units(busy);
  run.idle = scale.units(makespan - busy);
  return run;
}

}  // namespace

double DataParallel::cost(const StepOp& op) const { return listed_cost(*this, op, skip_first_output_gradient); }

void check_data_parallel(const DataParallel& step) {
  if (step.layers() == 0) throw std::invalid_argument("0 layers, accepted is at least 1");
  check_costs("F", step.forward, step.layers(), CostSign::positive);
  check_output_gradients(step.output_gradient, step.layers());
  check_costs("W", step.weight_gradient, step.layers(), CostSign::not_negative);
  check_costs("S", step.synchronisation, step.layers(), CostSign::not_negative);
  double sum = 0;
  for (const auto* list : {&step.forward, &step.output_gradient, &step.weight_gradient, &step.synchronisation})
    sum = std::accumulate(list->begin(), list->end(), sum);
  if (!std::isfinite(sum)) throw std::invalid_argument("F, O, W and S add up to infinity, accepted is a finite sum");
}

std::string to_string(LinkRule rule) {
  switch (rule) {
    case LinkRule::fifo:
      return "fifo";
    case LinkRule::priority:
      return "priority";
    case LinkRule::preemptive:
      break;
  }
  return "preemptive";
}

std::vector<StepOp> reverse_first_k(std::size_t layers, std::size_t k) {
  std::vector<StepOp> order;
  for (std::size_t layer = layers; layer-- > 0;) {
    const auto index = static_cast<std::uint32_t>(layer);
    if (layer >= k) order.push_back({StepOpKind::weight_gradient, index, 0});
    order.push_back({StepOpKind::output_gradient, index, 0});
  }
  for (std::uint32_t layer = 0; layer < k; ++layer) order.push_back({StepOpKind::weight_gradient, layer, 0});
  return order;
}

TickScale data_parallel_ticks(const DataParallel& step) {
  std::vector<double> all;
  for (const auto* list : {&step.forward, &step.output_gradient, &step.weight_gradient, &step.synchronisation})
    all.insert(all.end(), list->begin(), list->end());
  return TickScale::of_sums(all);
}

DataParallelRun simulate_data_parallel(const DataParallel& step, std::span<const StepOp> backward_order,
                                       LinkRule rule) {
  check_data_parallel(step);
  const TickScale scale = data_parallel_ticks(step);
  StepBuilder tasks(step, scale);
  for (const StepOp& op : backward_order) tasks.add(op);
  const std::size_t backward_ops = tasks.ops().size();
  for (std::uint32_t layer = 0; layer < step.layers(); ++layer) {
    if (step.weight_gradient[layer] > 0 && tasks.id({StepOpKind::weight_gradient, layer, 0}) >= backward_ops)
      throw std::invalid_argument(fmt::format("W of layer {} is missing in the order", layer + 1));
  }
  for (std::uint32_t layer = 0; layer < step.layers(); ++layer) tasks.add({StepOpKind::forward, layer, 0});
  tasks.add_synchronisations();
  Resource device;
  device.discipline = Discipline::fixed_order;
  const Workload workload = tasks.workload(device, link_resource(rule));
  return figures(step, scale, tasks, workload, backward_ops);
}

DataParallelProblem data_parallel_problem(const DataParallel& step) {
  using enum StepOpKind;
  check_data_parallel(step);
  const TickScale scale = data_parallel_ticks(step);
  StepBuilder tasks(step, scale);
  for (const StepOp& op : reverse_first_k(step.layers(), 0)) tasks.add(op);
  for (std::uint32_t layer = 0; layer < step.layers(); ++layer) tasks.add({forward, layer, 0});
  tasks.add_synchronisations();
  for (std::uint32_t layer = 0; layer + 1 < step.layers(); ++layer) {
    const std::uint32_t gradient = tasks.id({output_gradient, layer + 1, 0});
    tasks.edge(gradient, tasks.id({output_gradient, layer, 0}));
    tasks.edge(gradient, tasks.id({weight_gradient, layer, 0}));
    tasks.edge(tasks.id({forward, layer, 0}), tasks.id({forward, layer + 1, 0}));
  }
  return {tasks.workload({}, link_resource(LinkRule::priority)), scale};
}

FirstKSearch search_first_k(std::size_t layers, std::size_t max_k,
                            const std::function<double(std::size_t)>& makespan_of) {
  FirstKSearch search;
  std::vector<std::optional<double>> known(layers);
  const auto evaluate = [&](std::size_t k) {
    if (k >= layers || k > max_k || known[k]) return;
    known[k] = makespan_of(k);
    search.evaluated.push_back(k);
    if (!known[search.k] || *known[k] < *known[search.k] || (*known[k] == *known[search.k] && k < search.k))
      search.k = k;
  };
  std::size_t step = std::max<std::size_t>(1, layers / 10);
  for (std::size_t k = 0; k < layers; k += step) evaluate(k);
  while (step > 1) {
    const std::size_t half = step / 2;
    const std::size_t best = search.k;
    const std::size_t reach = (step - 1) / half;  // the largest j with j · half < step
    for (std::size_t j = std::min(reach, best / half); j > 0; --j) evaluate(best - j * half);
    for (std::size_t j = 1; j <= reach; ++j) evaluate(best + j * half);
    step = half;
  }
  return search;
}

namespace {

/// f(0) .. f(L) and a scale that holds them and the limits; whole ticks, so that sums are exact where numbers are
/// decimal.
struct MemoryTicks {
  TickScale scale;
  std::vector<std::int64_t> of_k;

  [[nodiscard]] std::int64_t ticks(double amount) const {
    const auto size = static_cast<std::int64_t>(scale.ticks({std::abs(amount)}));
    return amount < 0 ? -size : size;
  }
};

MemoryTicks memory_ticks(const FirstKMemory& memory, std::span<const double> limits) {
  std::vector<double> amounts = {memory.forward};
  for (const auto* list : {&memory.output_gradient_frees, &memory.weight_gradient_takes})
    amounts.insert(amounts.end(), list->begin(), list->end());
  for (const double limit : limits) amounts.push_back(std::abs(limit));
  MemoryTicks ticks{TickScale::of_sums(amounts), {}};
  std::int64_t in_use = ticks.ticks(memory.forward);
  for (const double freed : memory.output_gradient_frees) in_use -= ticks.ticks(freed);
  if (in_use < 0) {
    throw std::invalid_argument(fmt::format(
        "output gradients free {} in all, accepted is at most what is in use after the forward pass, {}",
        std::accumulate(memory.output_gradient_frees.begin(), memory.output_gradient_frees.end(), 0.), memory.forward));
  }
  ticks.of_k.push_back(in_use);
  for (std::size_t i = 0; i < memory.output_gradient_frees.size(); ++i) {
    in_use += ticks.ticks(memory.output_gradient_frees[i]) + ticks.ticks(memory.weight_gradient_takes[i]);
    ticks.of_k.push_back(in_use);
  }
  return ticks;
}

}  // namespace

FirstKTable first_k_memory(const FirstKMemory& memory, std::span<const double> limits) {
  const MemoryTicks ticks = memory_ticks(memory, limits);
  FirstKTable table;
  for (const std::int64_t of_k : ticks.of_k) {
    const double size = ticks.scale.units(static_cast<std::uint64_t>(std::abs(of_k)));
    table.memory_of_k.push_back(of_k < 0 ? -size : size);
  }
  for (const double limit : limits) {
    std::optional<std::size_t> largest;
    for (std::size_t k = 0; k < ticks.of_k.size(); ++k) {
      if (ticks.of_k[k] < ticks.ticks(limit)) largest = k;
    }
    table.largest_k.push_back(largest);
  }
  return table;
}

}  // namespace upsweep

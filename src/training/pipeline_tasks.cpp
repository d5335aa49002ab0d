#include "upsweep/training/pipeline_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "cost_checks.hpp"

namespace upsweep {
namespace {

/// Tasks under construction.
class TaskBuilder {
 public:
  explicit TaskBuilder(const Pipeline& pipeline)
      : pipeline_(pipeline), layers_(pipeline.layers()), micro_batches_(pipeline.micro_batches) {}

  PipelineTasks build(const std::variant<DeviceOrders, Ranking>& plan) {
    tasks_.scale = tick_scale();
    add_operations();
    add_keys(plan);
    connect();
    hold_tensors();
    const auto* ranking = std::get_if<Ranking>(&plan);
    if (ranking != nullptr && ranking->backward_waits_for_forward) add_gates();
    Workload& workload = tasks_.workload;
    const auto tasks = static_cast<std::uint32_t>(workload.durations.size());
    workload.graph = task_graph(edges_, tasks);
    return std::move(tasks_);
  }

 private:
  [[nodiscard]] Quotient wire_time(std::size_t layer) const {
    return pipeline_.bandwidth ? Quotient{pipeline_.transfer_sizes[layer], *pipeline_.bandwidth} : Quotient{};
  }

  [[nodiscard]] TickScale tick_scale() const {
    std::vector<Quotient> quantities = {{pipeline_.latency}};
    double horizon = 0;
    const auto add = [&](const Quotient& quantity, std::size_t times) {
      quantities.push_back(quantity);
      horizon += static_cast<double>(times) * (quantity.numerator / quantity.denominator + 2 * pipeline_.latency);
    };
    for (std::uint32_t layer = 0; layer < layers_; ++layer) {
      for (const StepOpKind kind : kPerMicroBatch) add({pipeline_.cost({kind, layer, 0})}, micro_batches_);
      add({pipeline_.cost({StepOpKind::update, layer, 0})}, 1);
      if (layer + 1 < layers_) add(wire_time(layer), 2 * micro_batches_);
    }
    return TickScale::fit(quantities, horizon);
  }

  std::uint32_t add_task(std::uint64_t duration, std::uint64_t delay, std::uint32_t resource) {
    tasks_.workload.durations.push_back(duration);
    tasks_.workload.delays.push_back(delay);
    tasks_.workload.resource_of.push_back(resource);
    tasks_.workload.keys.push_back(0);
    return static_cast<std::uint32_t>(tasks_.workload.durations.size() - 1);
  }

  void add_operations() {
    for (const StepOpKind kind : kPerMicroBatch) {
      std::vector<std::uint32_t>& first = first_[static_cast<std::size_t>(kind)];
      first.assign(layers_, kNoTask);
      for (std::uint32_t layer = 0; layer < layers_; ++layer) {
        if (!pipeline_.exists({kind, layer, 0})) continue;
        const std::uint64_t duration = tasks_.scale.ticks({pipeline_.cost({kind, layer, 0})});
        for (std::uint32_t m = 0; m < micro_batches_; ++m) {
          const std::uint32_t task = add_task(duration, 0, pipeline_.device_of[layer]);
          if (m == 0) first[layer] = task;
          tasks_.ops.push_back({kind, layer, m});
        }
      }
    }
    std::vector<std::uint32_t>& updates = first_[static_cast<std::size_t>(StepOpKind::update)];
    updates.assign(layers_, kNoTask);
    for (std::uint32_t layer = 0; layer < layers_; ++layer) {
      const StepOp op{StepOpKind::update, layer, 0};
      if (!pipeline_.exists(op)) continue;
      updates[layer] = add_task(tasks_.scale.ticks({pipeline_.cost(op)}), 0, pipeline_.device_of[layer]);
      tasks_.ops.push_back(op);
    }
  }

  [[nodiscard]] std::uint32_t task_of(StepOpKind kind, std::size_t layer, std::size_t micro_batch) const {
    const std::uint32_t first = first_[static_cast<std::size_t>(kind)][layer];
    return first == kNoTask ? kNoTask : first + static_cast<std::uint32_t>(micro_batch);
  }

  void add_keys(const std::variant<DeviceOrders, Ranking>& plan) {
    std::vector<std::uint64_t>& keys = tasks_.workload.keys;
    Resource device;
    if (const auto* ranking = std::get_if<Ranking>(&plan)) {
      const Chunks chunks = chunks_of(pipeline_);
      for (std::size_t task = 0; task < tasks_.ops.size(); ++task)
        keys[task] = ranking->key(pipeline_, chunks, tasks_.ops[task]);
    } else {
      device.discipline = Discipline::fixed_order;
      for (const std::vector<StepOp>& order : std::get<DeviceOrders>(plan).of_device) {
        for (std::size_t place = 0; place < order.size(); ++place)
          keys[task_of(order[place].kind, order[place].layer, order[place].micro_batch)] = place;
      }
      for (std::size_t task = 0; task < tasks_.ops.size(); ++task) {
        if (tasks_.ops[task].kind == StepOpKind::update) keys[task] = tasks_.ops.size() + tasks_.ops[task].layer;
      }
    }
    tasks_.workload.resources.assign(pipeline_.devices, device);
  }

  void edge(std::uint32_t from, std::uint32_t to) {
    if (from != kNoTask && to != kNoTask) edges_.emplace_back(from, to);
  }

  /// The task after which the tensor that `from` makes is on the device of layer `to_layer`: from itself, or a
  /// transfer.
  std::uint32_t arrival(std::uint32_t from, std::size_t to_layer) {
    const StepOp op = tasks_.ops[from];
    const std::uint32_t here = pipeline_.device_of[op.layer];
    const std::uint32_t there = pipeline_.device_of[to_layer];
    if (here == there) return from;
    const std::uint64_t wire = tasks_.scale.ticks(wire_time(std::min<std::size_t>(op.layer, to_layer)));
    const std::uint64_t latency = tasks_.scale.ticks({pipeline_.latency});
    const bool uses_link = pipeline_.comm_model == CommModel::link && pipeline_.bandwidth.has_value();
    const std::uint32_t task = add_task(wire, latency, uses_link ? link(here, there) : kNoResource);
    const std::uint64_t kind = op.kind == StepOpKind::forward ? 0 : 1;
    tasks_.workload.keys[task] = (kind * micro_batches_ + op.micro_batch) * layers_ + op.layer;
    tasks_.transfers.push_back({op, here, there});
    edge(from, task);
    return task;
  }

  std::uint32_t link(std::uint32_t from, std::uint32_t to) {
    const auto [place, is_new] =
        links_.emplace(std::pair{from, to}, static_cast<std::uint32_t>(tasks_.workload.resources.size()));
    if (is_new) {
      Resource fifo;
      fifo.discipline = Discipline::fifo;
      fifo.is_transport = true;
      fifo.frees_instantly = true;
      tasks_.workload.resources.push_back(fifo);
    }
    return place->second;
  }

  void connect() {
    using enum StepOpKind;
    gradient_at_.assign(layers_ * micro_batches_, kNoTask);
    for (std::uint32_t m = 0; m < micro_batches_; ++m) {
      for (std::size_t layer = 0; layer + 1 < layers_; ++layer)
        edge(arrival(task_of(forward, layer, m), layer + 1), task_of(forward, layer + 1, m));
      std::uint32_t gradient = task_of(forward, layers_ - 1, m);  // the loss is free
      for (std::size_t layer = layers_; layer-- > 0 && gradient != kNoTask;) {
        const std::uint32_t output = task_of(output_gradient, layer, m);
        const std::uint32_t weight = task_of(weight_gradient, layer, m);
        if (output == kNoTask && weight == kNoTask) break;
        if (layer + 1 < layers_) gradient = arrival(gradient, layer);
        gradient_at_[layer * micro_batches_ + m] = gradient;
        edge(gradient, output);
        edge(gradient, weight);
        edge(weight, task_of(update, layer, 0));
        gradient = output;
      }
    }
  }

  void hold_tensors() {
    using enum StepOpKind;
    for (std::size_t layer = 0; layer < layers_; ++layer) {
      for (std::size_t m = 0; m < micro_batches_; ++m) {
        const std::uint32_t output = task_of(output_gradient, layer, m);
        const std::uint32_t weight = task_of(weight_gradient, layer, m);
        const std::uint32_t first = task_of(forward, layer, m);
        // Without weights the activation is kept for O, without either for F alone.
        const std::uint32_t last = weight != kNoTask ? weight : output != kNoTask ? output : first;
        tasks_.tensors.push_back({pipeline_.device_of[layer], 0, 1, {first, kNoTask}, true, {last, kNoTask}});
        if (output == kNoTask && weight == kNoTask) continue;
        const bool is_last = layer + 1 == layers_;
        Holding gradient{pipeline_.device_of[layer], 1, 1, {}, is_last, {output, weight}};
        gradient.acquired_by =
            is_last ? std::array{output, weight} : std::array{gradient_at_[layer * micro_batches_ + m], kNoTask};
        tasks_.tensors.push_back(gradient);
      }
    }
  }

  void add_gates() {
    std::vector<std::uint32_t> gates;
    for (std::size_t device = 0; device < pipeline_.devices; ++device) gates.push_back(add_task(0, 0, kNoResource));
    for (std::uint32_t task = 0; task < tasks_.ops.size(); ++task) {
      const std::uint32_t gate = gates[tasks_.workload.resource_of[task]];
      if (tasks_.ops[task].kind == StepOpKind::forward) {
        edge(task, gate);
      } else {
        edge(gate, task);
      }
    }
  }

  static constexpr std::array kPerMicroBatch = {StepOpKind::forward, StepOpKind::output_gradient,
                                                StepOpKind::weight_gradient};

  const Pipeline& pipeline_;
  std::size_t layers_;
  std::size_t micro_batches_;
  PipelineTasks tasks_;
  std::array<std::vector<std::uint32_t>, 4> first_;  // by kind and layer: the task of micro-batch 0, or kNoTask
  std::vector<std::uint32_t> gradient_at_;           // by layer and micro-batch: the task after which g is there
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> links_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
};

}  // namespace

void check_pipeline(const Pipeline& pipeline) {
  const std::size_t layers = pipeline.layers();
  if (layers == 0) throw std::invalid_argument("0 layers, accepted is at least 1");
  if (pipeline.devices == 0) throw std::invalid_argument("0 devices, accepted is at least 1");
  if (pipeline.micro_batches == 0) throw std::invalid_argument("0 micro-batches, accepted is at least 1");
  check_costs("F", pipeline.forward, layers, CostSign::positive);
  check_output_gradients(pipeline.output_gradient, layers);
  check_costs("W", pipeline.weight_gradient, layers, CostSign::not_negative);
  check_costs("U", pipeline.update, layers, CostSign::not_negative);
  check_costs("size", pipeline.transfer_sizes, layers - 1, CostSign::not_negative);
  if (pipeline.device_of.size() != layers) {
    throw std::invalid_argument(
        fmt::format("alloc has {} entries, accepted are {}", pipeline.device_of.size(), layers));
  }
  for (std::size_t layer = 0; layer < layers; ++layer) {
    if (pipeline.device_of[layer] < pipeline.devices) continue;
    throw std::invalid_argument(fmt::format("alloc of layer {} is device {}, accepted are 0 to {}", layer + 1,
                                            pipeline.device_of[layer], pipeline.devices - 1));
  }
  if (!(std::isfinite(pipeline.latency) && pipeline.latency >= 0))
    throw std::invalid_argument(fmt::format("latency is {}, accepted is a number of at least 0", pipeline.latency));
  if (pipeline.bandwidth && !(std::isfinite(*pipeline.bandwidth) && *pipeline.bandwidth > 0))
    throw std::invalid_argument(fmt::format("bandwidth is {}, accepted is a number above 0", *pipeline.bandwidth));
  for (std::size_t layer = 0; pipeline.bandwidth && layer + 1 < layers; ++layer) {
    if (std::isfinite(pipeline.transfer_sizes[layer] / *pipeline.bandwidth)) continue;
    throw std::invalid_argument(
        fmt::format("size of layer {} over the bandwidth is not finite, accepted is a finite time", layer + 1));
  }
  if (layers > (std::size_t{1} << 31U) / 3 / pipeline.micro_batches)
    throw std::invalid_argument("more than 2^31 operations, accepted are fewer");
}

PipelineTasks pipeline_tasks(const Pipeline& pipeline, const std::variant<DeviceOrders, Ranking>& plan) {
  check_pipeline(pipeline);
  return TaskBuilder(pipeline).build(plan);
}

}  // namespace upsweep

#include "upsweep/training/scan_step.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/machine/cache_traffic.hpp"
#include "upsweep/sim/peak_memory.hpp"
#include "upsweep/sim/predict.hpp"
#include "upsweep/sim/task_engine.hpp"
#include "upsweep/sim/tick_scale.hpp"

namespace upsweep {
namespace {

enum Part : std::uint8_t { kForward, kCombine, kWeight, kParts };

class ScanStepBuilder {
 public:
  explicit ScanStepBuilder(const ScanStep& step)
      : step_(step), schedule_(*step.schedule), links_(schedule_.length - 1) {
    const auto lengths_fit = step.forward.size() == links_ && step.weight_gradient.size() == links_ &&
                             step.combine.size() == schedule_.combines.size();
    if (!lengths_fit || step.devices == 0 || step.micro_batches == 0)
      throw std::invalid_argument("simulate_scan_step: lists that do not fit the schedule, no device or micro-batch");
    scale_ = tick_scale();
    for (std::size_t m = 0; m < step.micro_batches; ++m) add_micro_batch(m);
    workload_.graph = task_graph(edges_, part_.size());
    Resource pool;
    pool.servers = step.devices;
    workload_.resources = {pool};
  }

  [[nodiscard]] ScanStepRun run() const {
    const Simulation simulation = simulate_tasks(workload_);
    ScanStepRun run;
    run.schedule = schedule_.name;
    run.makespan = scale_.units(simulation.makespan);
    run.tasks = part_.size();
    std::vector<std::uint64_t> busy(step_.devices);
    for (const Segment& segment : simulation.segments) {
      busy[segment.server] += segment.end - segment.start;
      double& end = part_[segment.task] == kForward ? run.forward_end : run.gradients_end;
      if (part_[segment.task] != kWeight) end = std::max(end, scale_.units(segment.end));
    }
    double total = 0;
    for (const std::uint64_t ticks : busy) {
      run.busy.push_back(scale_.units(ticks));
      total += run.busy.back();
    }
    if (run.makespan > 0) run.bubble_fraction = 1 - total / (static_cast<double>(step_.devices) * run.makespan);
    return run;
  }

 private:
  [[nodiscard]] TickScale tick_scale() const {
    std::vector<Quotient> quantities;
    double horizon = 0;
    for (const auto* list : {&step_.forward, &step_.combine, &step_.weight_gradient}) {
      for (const double time : *list) {
        quantities.push_back({time});
        horizon += time * static_cast<double>(step_.micro_batches);
      }
    }
    return TickScale::fit(quantities, horizon);
  }

  std::uint32_t add(Part part, double time, std::size_t micro_batch, std::size_t place) {
    part_.push_back(part);
    workload_.durations.push_back(scale_.ticks({time}));
    workload_.resource_of.push_back(0);
    const std::size_t widest = std::max(links_, schedule_.combines.size());
    workload_.keys.push_back((part * step_.micro_batches + micro_batch) * widest + place);
    return static_cast<std::uint32_t>(part_.size() - 1);
  }

  void add_micro_batch(std::size_t micro_batch) {
    std::vector<std::uint32_t> made_by(schedule_.values());  // by value: the task after which it is there
    for (std::size_t link = 0; link < links_; ++link) {
      const std::uint32_t task = add(kForward, step_.forward[link], micro_batch, link);
      if (link > 0) edges_.emplace_back(task - 1, task);
      made_by[links_ - link] = task;  // a[n - link] is the Jacobian of operator link + 1
    }
    made_by[0] = made_by[1];  // the gradient of the loss: after the last operator
    for (std::size_t id = 0; id < schedule_.combines.size(); ++id) {
      const std::uint32_t task = add(kCombine, step_.combine[id], micro_batch, id);
      made_by[schedule_.value_of(id)] = task;
      edges_.emplace_back(made_by[schedule_.combines[id].earlier], task);
      edges_.emplace_back(made_by[schedule_.combines[id].later], task);
    }
    for (std::size_t link = 0; link < links_; ++link) {
      if (step_.weight_gradient[link] == 0) continue;
      const std::uint32_t task = add(kWeight, step_.weight_gradient[link], micro_batch, links_ - 1 - link);
      edges_.emplace_back(made_by[schedule_.results[links_ - link]], task);
    }
  }

  const ScanStep& step_;
  const Schedule& schedule_;
  std::size_t links_;
  TickScale scale_;
  Workload workload_;
  std::vector<Part> part_;  // by task
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
};

}  // namespace

ScanStep scan_step(const ScheduleProfile& profile, const Network& network, const LayerCosts& costs,
                   const Machine& machine, const MicroBatch& batch) {
  const std::vector<OperatorRange> layers = chain_layers(network);
  const std::vector<std::size_t>& links = network.links();
  if (layers.size() != costs.layers() || profile.schedule.length != links.size() + 1)
    throw std::invalid_argument("scan_step: costs or schedule of another network");
  ScanStep step;
  step.schedule = &profile.schedule;
  step.forward.assign(links.size(), 0);
  step.weight_gradient.assign(links.size(), 0);
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    bool is_first = true;
    for (std::size_t link = 0; link < links.size(); ++link) {
      if (links[link] < layers[layer].first || links[link] > layers[layer].last) continue;
      const Operator& op = network.operators()[links[link]];
      if (std::exchange(is_first, false)) step.forward[link] = costs.forward[layer];
      if (weight_shape(op.kind, op.in_shape)) step.weight_gradient[link] = costs.weight_gradient[layer];
    }
  }
  const auto seconds_with = [&](std::uint64_t bytes) {
    const OpPlace place{.workers = batch.workers == 0 ? machine.workers() : batch.workers,
                        .value_bytes = batch.value_bytes,
                        .working_set = bytes};
    std::vector<double> seconds;
    for (const OpProfile& op : profile.ops) {
      const OpWork work = op_work(op, profile.inputs, batch.value_bytes);
      seconds.push_back(equal_ops_seconds(work, batch.samples, machine, place));
    }
    return seconds;
  };
  const std::vector<bool> all(profile.ops.size(), true);
  const std::uint64_t own =
      checked_mul(batch.samples, peak_live_bytes(profile.schedule, profile.value_bytes, all) / profile.inputs);
  step.combine = seconds_with(cache_traffic(machine, own, [&](std::uint64_t bytes) {
    const std::vector<double> seconds = seconds_with(bytes);
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
  }));
  return step;
}

ScanStepRun simulate_scan_step(const ScanStep& step) { return ScanStepBuilder(step).run(); }

}  // namespace upsweep

#include <algorithm>
#include <optional>
#include <utility>

#include "upsweep/training/multi_region.hpp"

namespace upsweep {
namespace {

constexpr std::uint32_t kMain = 0;
constexpr std::uint32_t kSub = 1;

/// The two streams as tasks: operations, and in front of every region on the main stream a mark without duration that
/// waits for what the region's first operation waits for.
class TwoStreams {
 public:
  TwoStreams(const MultiRegion& step, const RegionTimes& times, const RegionSchedule& schedule)
      : step_(step), times_(times) {
    of_weights_.assign(step.layers(), kNoTask);
    of_gradient_.assign(step.layers(), kNoTask);
    add_sub_stream(schedule);
    for (std::size_t region = 0; region < step.regions(); ++region) add_region(region, schedule);
    for (std::size_t layer = 1; layer + 1 < step.layers(); ++layer)
      edges_.emplace_back(of_gradient_[layer], of_weights_[layer]);
  }

  Workload workload() {
    workload_.graph = task_graph(edges_, ops_.size());
    Resource stream;
    stream.discipline = Discipline::fixed_order;
    workload_.resources = {stream, stream};
    return workload_;
  }

  /// The operation of a task, nothing for a mark.
  [[nodiscard]] const std::optional<StepOp>& op(std::uint32_t task) const { return ops_[task]; }

 private:
  std::uint32_t add(std::optional<StepOp> op, std::uint64_t duration, std::uint32_t stream) {
    ops_.push_back(op);
    workload_.durations.push_back(duration);
    workload_.resource_of.push_back(stream);
    return static_cast<std::uint32_t>(ops_.size() - 1);
  }

  void add_sub_stream(const RegionSchedule& schedule) {
    for (const std::vector<std::size_t>& kernels : schedule.kernels) {
      for (const std::size_t layer : kernels) {
        const StepOp op{StepOpKind::weight_gradient, static_cast<std::uint32_t>(layer), 0};
        of_weights_[layer] = add(op, times_.scale.ticks({schedule.length[layer]}), kSub);
      }
    }
  }

  void add_region(std::size_t region, const RegionSchedule& schedule) {
    const std::uint32_t mark = add(std::nullopt, 0, kMain);
    for (const std::size_t layer : schedule.kernels[region]) edges_.emplace_back(mark, of_weights_[layer]);
    for (const StepOp& op : step_.main_stream[region]) {
      const std::uint32_t task = add(op, times_.scale.ticks({step_.cost(op)}), kMain);
      if (op.kind == StepOpKind::output_gradient) of_gradient_[op.layer - 1] = task;
      if (op.kind != StepOpKind::forward || op.layer == 0) continue;
      edges_.emplace_back(of_weights_[op.layer], task);
      if (op == step_.main_stream[region].front()) edges_.emplace_back(of_weights_[op.layer], mark);
    }
  }

  const MultiRegion& step_;
  const RegionTimes& times_;
  Workload workload_;
  std::vector<std::optional<StepOp>> ops_;  // by task
  std::vector<std::uint32_t> of_weights_;   // by layer: its W on the sub-stream
  std::vector<std::uint32_t> of_gradient_;  // by layer: the O of the layer above
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
};

}  // namespace

RegionRun execute_regions(const MultiRegion& step, const RegionSchedule& schedule) {
  const RegionTimes times = region_times(step);
  TwoStreams streams(step, times, schedule);
  const Workload workload = streams.workload();
  const Simulation simulation = simulate_tasks(workload);
  RegionRun run;
  for (const Segment& segment : simulation.segments) {
    const auto& op = streams.op(segment.task);
    if (!op) continue;
    const std::uint32_t stream = workload.resource_of[segment.task];
    run.timeline.push_back({*op, stream, times.scale.units(segment.start), times.scale.units(segment.end)});
    double& end = stream == kMain ? run.main_end : run.sub_end;
    end = std::max(end, run.timeline.back().end);
  }
  run.makespan = std::max(run.main_end, run.sub_end);
  return run;
}

}  // namespace upsweep

#include "upsweep/training/pipeline_run.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "upsweep/training/pipeline_tasks.hpp"

namespace upsweep {
namespace {

constexpr std::uint32_t kActivation = 0;
constexpr std::uint32_t kGradient = 1;

StashedWeights stashed_weights(const Pipeline& pipeline) {
  StashedWeights stashed;
  stashed.stage_time.assign(pipeline.devices, 0);
  for (std::uint32_t layer = 0; layer < pipeline.layers(); ++layer) {
    for (const auto kind : {StepOpKind::forward, StepOpKind::output_gradient, StepOpKind::weight_gradient})
      stashed.stage_time[pipeline.device_of[layer]] += pipeline.cost({kind, layer, 0});
  }
  for (std::size_t stage = 0; stage < pipeline.devices; ++stage) {
    stashed.weight_versions.push_back(pipeline.devices - stage);
    stashed.staleness.push_back(pipeline.devices - 1 - stage);
  }
  stashed.period_lower_bound = std::ranges::max(stashed.stage_time);
  return stashed;
}

std::vector<TensorPeaks> tensor_peaks(const PipelineTasks& tasks, const Simulation& simulation, std::size_t devices) {
  std::vector<TensorPeaks> peaks;
  for (const PeakUse& use : peak_use(tasks.workload, simulation, tasks.tensors, devices, 2))
    peaks.push_back({use.by_kind[kActivation], use.by_kind[kGradient], use.together});
  return peaks;
}

void fill_times(const PipelineTasks& tasks, const Simulation& simulation, std::size_t devices, PipelineRun& run) {
  std::vector<std::uint64_t> busy(devices);
  std::uint64_t makespan = 0;
  run.timeline.reserve(tasks.ops.size());
  for (const Segment& segment : simulation.segments) {
    if (segment.task >= tasks.ops.size()) continue;  // a transfer on its link
    const std::uint32_t device = tasks.workload.resource_of[segment.task];
    run.timeline.push_back(
        {tasks.ops[segment.task], device, tasks.scale.units(segment.start), tasks.scale.units(segment.end)});
    busy[device] += segment.end - segment.start;
    makespan = std::max(makespan, segment.end);
  }
  double total = 0;
  for (const std::uint64_t ticks : busy) {
    run.busy.push_back(tasks.scale.units(ticks));
    total += static_cast<double>(ticks);
  }
  run.makespan = tasks.scale.units(makespan);
  const double bubbles = 1 - total / (static_cast<double>(devices) * static_cast<double>(makespan));
  run.bubble_fraction = std::round(bubbles * 1e12) / 1e12;
}

}  // namespace

std::uint64_t simulation_bytes(const Pipeline& pipeline) {
  // Tables of the simulator and of the run, the largest transient one included.
  constexpr std::uint64_t kPerOperation = 250;
  constexpr std::uint64_t kPerTransfer = 200;
  std::uint64_t borders = 0;  // that tensors cross
  for (std::size_t layer = 1; layer < pipeline.layers(); ++layer)
    borders += pipeline.device_of[layer] != pipeline.device_of[layer - 1] ? 1 : 0;
  constexpr std::uint64_t kPerDevice = 400;
  return pipeline.devices * kPerDevice +
         pipeline.micro_batches * (3 * pipeline.layers() * kPerOperation + 2 * borders * kPerTransfer);
}

PipelineRun simulate_pipeline(const Pipeline& pipeline, const Policy& policy) {
  check_pipeline(pipeline);
  const PipelineTasks tasks = pipeline_tasks(pipeline, policy.plan(pipeline, chunks_of(pipeline)));
  const Simulation simulation = simulate_tasks(tasks.workload);

  PipelineRun run;
  run.policy = policy.name;
  run.is_exact = tasks.scale.is_exact();
  fill_times(tasks, simulation, pipeline.devices, run);
  run.peaks = tensor_peaks(tasks, simulation, pipeline.devices);
  for (std::size_t i = 0; i < tasks.transfers.size(); ++i) {
    const std::size_t task = tasks.ops.size() + i;
    const TransferTask& transfer = tasks.transfers[i];
    run.transfers.push_back({transfer.op, transfer.from, transfer.to, tasks.scale.units(simulation.start[task]),
                             tasks.scale.units(simulation.end[task] + tasks.workload.delays[task])});
  }
  if (policy.stashes_weights) run.stashed = stashed_weights(pipeline);
  return run;
}

}  // namespace upsweep

#include "upsweep/training/pipeline_run.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "upsweep/base/checked.hpp"
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

std::vector<TensorPeaks> tensor_peaks(const PipelineTasks& tasks, const Simulation& simulation,
                                      const std::vector<Holding>& tensors, std::size_t devices) {
  std::vector<TensorPeaks> peaks;
  for (const PeakUse& use : peak_use(tasks.workload, simulation, tensors, devices, 2))
    peaks.push_back({use.by_kind[kActivation], use.by_kind[kGradient], use.together});
  return peaks;
}

/// The tensors of a step with their bytes as amounts.
std::vector<Holding> tensors_in_bytes(const Pipeline& pipeline, const PipelineTasks& tasks) {
  std::vector<Holding> tensors = tasks.tensors;
  for (Holding& tensor : tensors) {
    // A layer's own operations release its tensors.
    const std::uint32_t last = tensor.released_by[0] != kNoTask ? tensor.released_by[0] : tensor.released_by[1];
    const LayerBytes& bytes = pipeline.bytes[tasks.ops[last].layer];
    tensor.amount = tensor.kind == kActivation ? bytes.input : bytes.output;
  }
  return tensors;
}

/// Weights and their gradients by device; 0 where nobody knows them.
std::vector<std::uint64_t> weight_bytes(const Pipeline& pipeline, const std::optional<StashedWeights>& stashed) {
  std::vector<std::uint64_t> bytes(pipeline.devices);
  for (std::size_t layer = 0; layer < pipeline.bytes.size(); ++layer) {
    const std::uint32_t device = pipeline.device_of[layer];
    const std::uint64_t versions = stashed ? stashed->weight_versions[device] : 1;
    add_to(bytes[device], checked_mul(versions + 1, pipeline.bytes[layer].weights));
  }
  return bytes;
}

void fill_memory(const Pipeline& pipeline, const PipelineTasks& tasks, const Simulation& simulation, PipelineRun& run) {
  run.peaks = tensor_peaks(tasks, simulation, tasks.tensors, pipeline.devices);
  const bool is_known = !pipeline.bytes.empty();
  const std::vector<Holding> tensors = is_known ? tensors_in_bytes(pipeline, tasks) : tasks.tensors;
  const std::vector<std::uint64_t> weights = weight_bytes(pipeline, run.stashed);
  if (is_known) {
    for (const TensorPeaks& peaks : tensor_peaks(tasks, simulation, tensors, pipeline.devices))
      run.bytes.push_back({peaks, weights[run.bytes.size()]});
  }
  for (const FullestPool& entry : fullest_pool(tasks.workload, simulation, tensors, weights, kMostMemoryEntries))
    run.memory.push_back({tasks.scale.units(entry.from), entry.most});
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

std::uint64_t DeviceBytes::together() const { return checked_add(tensors.together, weights); }

std::uint64_t simulation_bytes(const Pipeline& pipeline) {
  // Tables of the simulator and of the run, the largest transient one included.
  constexpr std::uint64_t kPerOperation = 300;
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
  for (std::size_t i = 0; i < tasks.transfers.size(); ++i) {
    const std::size_t task = tasks.ops.size() + i;
    const TransferTask& transfer = tasks.transfers[i];
    run.transfers.push_back({transfer.op, transfer.from, transfer.to, tasks.scale.units(simulation.start[task]),
                             tasks.scale.units(simulation.end[task] + tasks.workload.delays[task])});
  }
  if (policy.stashes_weights) run.stashed = stashed_weights(pipeline);
  fill_memory(pipeline, tasks, simulation, run);
  return run;
}

}  // namespace upsweep

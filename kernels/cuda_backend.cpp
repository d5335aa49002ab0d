#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cuda_check.hpp"
#include "device_facts.hpp"
#include "device_plan.hpp"
#include "schedule_runner.hpp"
#include "upsweep/backend/fitting.hpp"
#include "upsweep/base/laps.hpp"
#include "upsweep/kernels/backends.hpp"

namespace upsweep {
namespace {

/// More streams than this are of no use to a device, and each costs memory.
constexpr std::size_t kMostStreams = 128;

/// Counts and digests of the layouts that were uploaded, from the host's copy of them.
std::vector<OpMeasurement> counted_ops(const SchedulePlan& plan) {
  std::map<const Layout*, std::uint64_t> digests;
  std::vector<OpMeasurement> ops(plan.ops.size());
  for (std::size_t id = 0; id < ops.size(); ++id) {
    const PlannedOp& planned = plan.ops[id];
    ops[id].products = planned.products;
    ops[id].nnz = plan.length[planned.target];
    const Layout* const layout = plan.layouts[planned.target].get();
    if (layout == nullptr) continue;
    const auto [digest, added] = digests.try_emplace(layout, 0);
    if (added) digest->second = structure_digest(*layout);
    ops[id].structure_digest = digest->second;
  }
  return ops;
}

template <class T>
std::vector<std::vector<double>> downloaded_results(const Schedule& schedule, const kernels::DevicePlan<T>& device) {
  std::vector<std::vector<double>> results;
  for (const ValueId result : schedule.results) {
    results.push_back(result == kIdentity ? std::vector<double>() : device.download(result));
  }
  return results;
}

template <class T>
Measurement run_planned(const Schedule& schedule, const NumericChain<T>& chain, const RunOptions& options) {
  const Availability availability = kernels::cuda_availability();
  if (!availability.available) throw BackendError(availability.reason);
  require_fitting(schedule, chain);
  kernels::cuda_check(cudaSetDevice(0), "cudaSetDevice");
  Laps planning;
  const SchedulePlan plan = plan_schedule(schedule, chain.structure);
  kernels::DevicePlan<T> device(schedule, plan, chain, options.execution, kernels::team_room());
  kernels::require_device_memory(device.total_bytes(), options.memory_limit, "plan, inputs and values");
  device.upload();
  const std::vector<kernels::DeviceOp<T>> ops = device.ops();
  std::vector<std::uint64_t> costs;
  for (const PlannedOp& op : plan.ops) costs.push_back(op.products);
  const kernels::StreamPlan streams =
      kernels::plan_streams(schedule, costs, std::min(options.workers, kMostStreams), options.execution);
  Measurement measurement;
  measurement.workers = std::min(options.workers, kMostStreams);
  measurement.ops = counted_ops(plan);
  measurement.plan_seconds = planning.lap();
  measurement.plan_bytes = device.structure_bytes();
  measurement.value_bytes = device.value_bytes();
  if (options.workers > kMostStreams) {
    measurement.notes.push_back(fmt::format("{} workers asked for, {} streams used", options.workers, kMostStreams));
  }
  kernels::ScheduleRunner<T> runner(schedule, ops, options, streams);
  runner.run_one_by_one();
  runner.measure(measurement);
  if (options.keep_results) {
    device.poison();  // what is handed back comes from the very execution that was measured, and from nothing before it
    runner.run_again();
    measurement.results = downloaded_results(schedule, device);
  }
  return measurement;
}

/// Planned products on CUDA device 0.
class CudaBackend : public Backend {
 public:
  std::string name() const override { return "cuda"; }
  Availability availability() const override { return kernels::cuda_availability(); }
  DeviceFacts facts() const override { return kernels::cuda_facts(); }
  Measurement run(const Schedule& schedule, const NumericChain<float>& chain,
                  const RunOptions& options) const override {
    return run_planned(schedule, chain, options);
  }
  Measurement run(const Schedule& schedule, const NumericChain<double>& chain,
                  const RunOptions& options) const override {
    return run_planned(schedule, chain, options);
  }
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend() { return std::make_unique<CudaBackend>(); }

}  // namespace upsweep

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <vector>

#include "cases.hpp"
#include "upsweep/training/pipeline_run.hpp"
#include "upsweep/training/policy.hpp"

namespace upsweep::bench {
namespace {

constexpr std::size_t kLayersPerDevice = 10;

/// Unit costs on equal stages.
Pipeline equal_stages(std::size_t devices, std::size_t micro_batches) {
  Pipeline pipeline;
  pipeline.devices = devices;
  pipeline.micro_batches = micro_batches;
  const std::size_t layers = devices * kLayersPerDevice;
  pipeline.forward.assign(layers, 1);
  pipeline.output_gradient.assign(layers, 1);
  pipeline.weight_gradient.assign(layers, 1);
  pipeline.update.assign(layers, 0);
  pipeline.transfer_sizes.assign(layers - 1, 0);
  pipeline.device_of = contiguous_allocation(layers, devices);
  pipeline.skip_first_output_gradient = false;
  return pipeline;
}

/// Closed forms of training-schedules, section 4.1.
std::uint64_t makespan(const std::string& policy, std::size_t devices, std::size_t micro_batches) {
  const std::uint64_t stage = kLayersPerDevice;
  const std::uint64_t p = devices;
  const std::uint64_t m = micro_batches;
  if (policy == "ff") return ((m + p - 1) + (p - 1) + 2 * m) * stage;
  if (policy == "zb_h1") return 3 * m * stage + (p - 1) * stage;
  return (m + p - 1) * 3 * stage;
}

/// Simulates a step `runs` times; counts(): its makespan.
Task step_task(const std::string& policy, std::size_t devices, std::size_t micro_batches, std::size_t runs) {
  const auto pipeline = std::make_shared<Pipeline>(equal_stages(devices, micro_batches));
  const auto last = std::make_shared<double>(0);
  Task task;
  task.run = [=] {
    for (std::size_t run = 0; run < runs; ++run) *last = simulate_pipeline(*pipeline, find_policy(policy)).makespan;
  };
  task.counts = [=] { return Counts{static_cast<std::uint64_t>(std::llround(*last))}; };
  return task;
}

}  // namespace

std::string step_name(const std::string& policy, const StepSize& size) {
  return fmt::format("step/policy={}/devices={}/micro_batches={}/tasks={}/runs={}", policy, size.devices,
                     size.micro_batches, 3 * kLayersPerDevice * size.devices * size.micro_batches, size.runs);
}

std::vector<Case> step_cases() {
  std::vector<Case> cases;
  for (const char* policy : kStepPolicies) {
    for (const StepSize& size : kStepSizes) {
      const auto prepare = [=] { return step_task(policy, size.devices, size.micro_batches, size.runs); };
      cases.push_back({step_name(policy, size), 1, 5, prepare, {makespan(policy, size.devices, size.micro_batches)}});
    }
  }
  return cases;
}

}  // namespace upsweep::bench

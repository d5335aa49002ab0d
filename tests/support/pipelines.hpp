#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "upsweep/training/pipeline_run.hpp"
#include "upsweep/training/policy.hpp"

namespace upsweep::testing {

/// Costs of F, O and W of a layer.
struct StageCosts {
  double forward = 1;
  double output = 1;
  double weight = 1;
};

/// A pipeline of equal layers without updates and transfers, O(1) left out.
[[nodiscard]] inline Pipeline equal_pipeline(const std::vector<std::uint32_t>& device_of, std::size_t devices,
                                             std::size_t micro_batches, const StageCosts& costs = {}) {
  const std::size_t layers = device_of.size();
  Pipeline pipeline;
  pipeline.devices = devices;
  pipeline.micro_batches = micro_batches;
  pipeline.forward.assign(layers, costs.forward);
  pipeline.output_gradient.assign(layers, costs.output);
  pipeline.weight_gradient.assign(layers, costs.weight);
  pipeline.update.assign(layers, 0);
  pipeline.device_of = device_of;
  pipeline.transfer_sizes.assign(layers - 1, 0);
  return pipeline;
}

/// The same, `per_device` layers each, in order.
[[nodiscard]] inline Pipeline equal_stages(std::size_t devices, std::size_t per_device, std::size_t micro_batches,
                                           const StageCosts& costs = {}) {
  return equal_pipeline(contiguous_allocation(devices * per_device, devices), devices, micro_batches, costs);
}

[[nodiscard]] inline PipelineRun run_policy(const Pipeline& pipeline, const std::string& policy) {
  return simulate_pipeline(pipeline, find_policy(policy));
}

/// Random pipelines that fit a policy. Times are quarters, so that sums of doubles are exact.
class PipelineTest : public SeededTest {
 protected:
  Pipeline random_pipeline(const std::string& policy) {
    Pipeline pipeline;
    pipeline.devices = between(1, 4);
    pipeline.micro_batches = policy == "mp" ? 1 : between(1, 5);
    if (policy == "interleaved") {
      pipeline.micro_batches = pipeline.devices * between(1, 2);
      pipeline.device_of = random_cut(pipeline.devices * (pipeline.devices == 1 ? 1 : between(1, 3)), pipeline.devices);
    } else if (policy == "1f1b" || policy == "1f1b_ff" || policy == "pipedream" || policy == "zb_h1") {
      pipeline.device_of = random_cut(pipeline.devices, pipeline.devices);
    } else {
      pipeline.device_of = random_allocation(pipeline.devices);
    }
    const std::size_t layers = pipeline.device_of.size();
    const bool has_updates = policy != "pipedream" && chance(0.5);
    for (std::size_t layer = 0; layer < layers; ++layer) {
      pipeline.forward.push_back(quarters(1, 12));
      pipeline.output_gradient.push_back(quarters(1, 12));
      pipeline.weight_gradient.push_back(chance(0.15) ? 0 : quarters(1, 12));
      pipeline.update.push_back(has_updates ? quarters(0, 8) : 0);
      if (layer > 0) pipeline.transfer_sizes.push_back(quarters(0, 8));
    }
    pipeline.skip_first_output_gradient = chance(0.5);
    if (chance(0.7)) pipeline.bandwidth = quarters(1, 2) * 2;
    pipeline.latency = chance(0.5) ? 0 : quarters(1, 8);
    pipeline.comm_model = chance(0.5) ? CommModel::link : CommModel::delay;
    return pipeline;
  }

 private:
  double quarters(std::uint64_t low, std::uint64_t high) { return static_cast<double>(between(low, high)) / 4; }

  /// Stages of 1 to 3 layers that go round the devices.
  std::vector<std::uint32_t> random_cut(std::size_t stages, std::size_t devices) {
    std::vector<std::uint32_t> device_of;
    for (std::size_t stage = 0; stage < stages; ++stage)
      device_of.insert(device_of.end(), between(1, 3), static_cast<std::uint32_t>(stage % devices));
    return device_of;
  }

  std::vector<std::uint32_t> random_allocation(std::size_t devices) {
    const std::size_t layers = between(devices, 9);
    if (chance(0.3)) return contiguous_allocation(layers, devices);
    if (chance(0.4)) return modulo_allocation(layers, devices, between(1, 3));
    std::vector<std::uint32_t> device_of;
    for (std::size_t layer = 0; layer < layers; ++layer)
      device_of.push_back(static_cast<std::uint32_t>(between(0, devices - 1)));
    return device_of;
  }
};

}  // namespace upsweep::testing

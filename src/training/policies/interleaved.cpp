#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "../policy_parts.hpp"

namespace upsweep::policy_files {
namespace {

/// What a virtual step of a device works on.
struct VirtualStep {
  std::size_t chunk;
  std::size_t micro_batch;
};

VirtualStep virtual_step(std::size_t k, std::size_t devices, std::size_t chunks) {
  return {k / devices % chunks, k / (devices * chunks) * devices + k % devices};
}

/// The number of chunks per device. Throws std::invalid_argument unless chunk c of device s is stage c·D + s.
std::size_t require_round_robin(const Pipeline& pipeline, const Chunks& chunks) {
  require_a_layer_per_device(pipeline);
  if (pipeline.micro_batches % pipeline.devices != 0) {
    throw std::invalid_argument(fmt::format("{} micro-batches on {} devices, accepted is a multiple of the devices",
                                            pipeline.micro_batches, pipeline.devices));
  }
  for (std::size_t stage = 0; stage < chunks.all.size(); ++stage) {
    if (chunks.all[stage].device == stage % pipeline.devices) continue;
    throw std::invalid_argument(fmt::format("stage {} on device {}, accepted are stages that go round the devices",
                                            stage, chunks.all[stage].device));
  }
  if (chunks.all.size() % pipeline.devices != 0) {
    throw std::invalid_argument(fmt::format("{} stages on {} devices, accepted are as many on every device",
                                            chunks.all.size(), pipeline.devices));
  }
  return chunks.all.size() / pipeline.devices;
}

// Source: D. Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters, SC 2021, section 2.2.
PolicyPlan interleaved_plan(const Pipeline& pipeline, const Chunks& chunks) {
  const std::size_t per_device = require_round_robin(pipeline, chunks);
  const std::size_t devices = pipeline.devices;
  return build_orders(pipeline, chunks, [&](OrderBuilder& order, const std::vector<Chunk>& of_device) {
    const std::size_t steps = pipeline.micro_batches * per_device;
    const auto forward = [&](std::size_t k) {
      const VirtualStep step = virtual_step(k, devices, per_device);
      order.forward(of_device[step.chunk], step.micro_batch);
    };
    const std::size_t after_it = devices - 1 - of_device.front().device;
    const std::size_t warm_up = std::min(2 * after_it + (per_device - 1) * devices, steps);
    for (std::size_t k = 0; k < warm_up; ++k) forward(k);
    for (std::size_t k = 0; k < steps; ++k) {
      if (warm_up + k < steps) forward(warm_up + k);
      const VirtualStep step = virtual_step(k, devices, per_device);
      order.backward(of_device[per_device - 1 - step.chunk], step.micro_batch);
    }
  });
}

}  // namespace

Policy interleaved() {
  return {"interleaved", "interleaved 1f1b: several chunks per device, a smaller bubble", interleaved_plan};
}

}  // namespace upsweep::policy_files

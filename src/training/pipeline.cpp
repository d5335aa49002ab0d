#include "upsweep/training/pipeline.hpp"

#include <algorithm>

namespace upsweep {

double Pipeline::cost(const StepOp& op) const {
  if (op.kind == StepOpKind::update) return weight_gradient[op.layer] > 0 ? update[op.layer] : 0;
  return listed_cost(*this, op, skip_first_output_gradient);
}

Chunks chunks_of(const Pipeline& pipeline) {
  Chunks chunks;
  chunks.of_device.resize(pipeline.devices);
  for (std::uint32_t layer = 0; layer < pipeline.layers(); ++layer) {
    const std::uint32_t device = pipeline.device_of[layer];
    std::vector<Chunk>& of_device = chunks.of_device[device];
    if (layer > 0 && pipeline.device_of[layer - 1] == device) {
      chunks.all.back().last_layer = layer;
      of_device.back().last_layer = layer;
    } else {
      chunks.all.push_back({layer, layer, device, static_cast<std::uint32_t>(of_device.size())});
      of_device.push_back(chunks.all.back());
    }
    chunks.number_of_layer.push_back(chunks.all.back().number);
    chunks.most_on_a_device = std::max(chunks.most_on_a_device, of_device.size());
  }
  return chunks;
}

std::vector<std::uint32_t> contiguous_allocation(std::size_t layers, std::size_t devices) {
  std::vector<std::uint32_t> device_of;
  for (std::size_t device = 0; device < devices; ++device) {
    const std::size_t count = layers / devices + (device < layers % devices ? 1 : 0);
    device_of.insert(device_of.end(), count, static_cast<std::uint32_t>(device));
  }
  return device_of;
}

std::vector<std::uint32_t> modulo_allocation(std::size_t layers, std::size_t devices, std::size_t group) {
  std::vector<std::uint32_t> device_of;
  for (std::size_t layer = 0; layer < layers; ++layer)
    device_of.push_back(static_cast<std::uint32_t>(layer / group % devices));
  return device_of;
}

}  // namespace upsweep

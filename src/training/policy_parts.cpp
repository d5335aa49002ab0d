#include "policy_parts.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "upsweep/base/checked.hpp"

namespace upsweep {

void OrderBuilder::add(StepOpKind kind, std::uint32_t layer, std::size_t micro_batch) {
  const StepOp op{kind, layer, static_cast<std::uint32_t>(micro_batch)};
  if (pipeline_.exists(op)) order_.push_back(op);
}

void OrderBuilder::forward(const Chunk& chunk, std::size_t micro_batch) {
  for (std::uint32_t layer = chunk.first_layer; layer <= chunk.last_layer; ++layer)
    add(StepOpKind::forward, layer, micro_batch);
}

void OrderBuilder::output_gradients(const Chunk& chunk, std::size_t micro_batch) {
  for (std::uint32_t layer = chunk.last_layer + 1; layer-- > chunk.first_layer;)
    add(StepOpKind::output_gradient, layer, micro_batch);
}

void OrderBuilder::weight_gradients(const Chunk& chunk, std::size_t micro_batch) {
  for (std::uint32_t layer = chunk.last_layer + 1; layer-- > chunk.first_layer;)
    add(StepOpKind::weight_gradient, layer, micro_batch);
}

void OrderBuilder::backward(const Chunk& chunk, std::size_t micro_batch) {
  for (std::uint32_t layer = chunk.last_layer + 1; layer-- > chunk.first_layer;) {
    add(StepOpKind::weight_gradient, layer, micro_batch);
    add(StepOpKind::output_gradient, layer, micro_batch);
  }
}

void require_a_layer_per_device(const Pipeline& pipeline) {
  if (pipeline.layers() < pipeline.devices) {
    throw std::invalid_argument(fmt::format("{} layers on {} devices, accepted is at least one layer per device",
                                            pipeline.layers(), pipeline.devices));
  }
}

void require_one_stage_per_device(const Pipeline& pipeline, const Chunks& chunks) {
  require_a_layer_per_device(pipeline);
  for (std::size_t stage = 0; stage < chunks.all.size(); ++stage) {
    if (chunks.all[stage].device == stage) continue;
    throw std::invalid_argument(fmt::format(
        "layer {} on device {}, accepted is one run of consecutive layers per device, in the order of the devices",
        chunks.all[stage].first_layer + 1, chunks.all[stage].device));
  }
  if (chunks.all.size() < pipeline.devices) {
    throw std::invalid_argument(
        fmt::format("no layer on device {}, accepted is one run of consecutive layers per device", chunks.all.size()));
  }
}

std::uint64_t forward_output_weight(const Pipeline& pipeline, const Chunks& chunks, const StepOp& op) {
  return rank_key(pipeline, chunks, op, {0, 1, 2});
}

std::uint64_t rank_key(const Pipeline& pipeline, const Chunks& chunks, const StepOp& op, const KindRanks& ranks) {
  const std::uint64_t layers = pipeline.layers();
  const bool is_update = op.kind == StepOpKind::update;
  const bool is_forward = op.kind == StepOpKind::forward;
  const std::uint64_t chunk = chunks.number_of_layer[op.layer];
  const std::uint64_t rank = is_update ? 3 : ranks[static_cast<std::size_t>(op.kind)];
  const std::uint64_t chunk_place = is_update ? 0 : is_forward ? chunk : chunks.most_on_a_device - 1 - chunk;
  const std::uint64_t layer_place = is_update || is_forward ? op.layer : layers - 1 - op.layer;
  // A number whose digits are these places.
  const std::uint64_t high = checked_add(checked_mul(rank, chunks.most_on_a_device), chunk_place);
  return checked_add(checked_mul(checked_add(checked_mul(high, pipeline.micro_batches), op.micro_batch), layers),
                     layer_place);
}

}  // namespace upsweep

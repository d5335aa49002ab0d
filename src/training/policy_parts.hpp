#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "upsweep/training/policy.hpp"

namespace upsweep {

using PolicyPlan = std::variant<DeviceOrders, Ranking>;

/// Builds the order of one device; leaves out what does not exist.
class OrderBuilder {
 public:
  explicit OrderBuilder(const Pipeline& pipeline) : pipeline_(pipeline) {}

  /// F of a chunk, layers ascending.
  void forward(const Chunk& chunk, std::size_t micro_batch);
  /// O of a chunk, layers descending.
  void output_gradients(const Chunk& chunk, std::size_t micro_batch);
  /// W of a chunk, layers descending.
  void weight_gradients(const Chunk& chunk, std::size_t micro_batch);
  /// Fused backward: W, O of a layer, then of the one below it.
  void backward(const Chunk& chunk, std::size_t micro_batch);

  [[nodiscard]] std::vector<StepOp> take() { return std::move(order_); }

 private:
  void add(StepOpKind kind, std::uint32_t layer, std::size_t micro_batch);

  const Pipeline& pipeline_;
  std::vector<StepOp> order_;
};

/// Orders of all devices, each by `build(order, chunks of the device)`.
template <class Build>
DeviceOrders build_orders(const Pipeline& pipeline, const Chunks& chunks, const Build& build) {
  DeviceOrders orders;
  for (const std::vector<Chunk>& of_device : chunks.of_device) {
    OrderBuilder order(pipeline);
    if (!of_device.empty()) build(order, of_device);
    orders.of_device.push_back(order.take());
  }
  return orders;
}

/// Throws std::invalid_argument where there are fewer layers than devices.
void require_a_layer_per_device(const Pipeline& pipeline);

/// Throws std::invalid_argument unless device s has exactly stage s, in the order of the layers.
void require_one_stage_per_device(const Pipeline& pipeline, const Chunks& chunks);

/// 1F1B for the stage `s` of p: min(p - 1 - s, M) forwards, then a forward and a backward in turn, then the other
/// backwards. `backward(micro_batch)` adds a backward pass. Source: D. Narayanan et al., PipeDream, SOSP '19.
template <class Backward>
void one_forward_one_backward(OrderBuilder& order, const Pipeline& pipeline, const Chunk& stage,
                              const Backward& backward) {
  const std::size_t count = pipeline.micro_batches;
  const std::size_t warm_up = std::min(pipeline.devices - 1 - stage.device, count);
  for (std::size_t m = 0; m < warm_up; ++m) order.forward(stage, m);
  for (std::size_t k = 0; k < count; ++k) {
    if (warm_up + k < count) order.forward(stage, warm_up + k);
    backward(k);
  }
}

/// Position of an operation's kind in the order in which a ranked policy prefers kinds.
using KindRanks = std::uint64_t[3];  // of F, O, W

/// Key of ranked policies: F before O before W.
[[nodiscard]] std::uint64_t forward_output_weight(const Pipeline& pipeline, const Chunks& chunks, const StepOp& op);

/// Key of ranked policies: F by (rank, chunk, micro-batch, layer), O and W by (rank, -chunk, micro-batch, -layer),
/// updates after everything, by layer.
[[nodiscard]] std::uint64_t rank_key(const Pipeline& pipeline, const Chunks& chunks, const StepOp& op,
                                     const KindRanks& ranks);

}  // namespace upsweep

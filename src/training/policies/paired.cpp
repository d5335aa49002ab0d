#include "../policy_parts.hpp"

namespace upsweep::policy_files {
namespace {

// On the device of the last layer a chunk waits for the gradients of all others, so that O of a chunk are paired with W
// of the one above.
void order_last_device(OrderBuilder& order, const std::vector<Chunk>& chunks, std::size_t micro_batches) {
  for (std::size_t c = 0; c + 1 < chunks.size(); ++c) {
    for (std::size_t m = 0; m < micro_batches; ++m) order.forward(chunks[c], m);
  }
  for (std::size_t m = 0; m < micro_batches; ++m) {
    order.forward(chunks.back(), m);
    order.output_gradients(chunks.back(), m);
  }
  for (std::size_t c = chunks.size() - 1; c-- > 0;) {
    for (std::size_t m = 0; m < micro_batches; ++m) {
      order.output_gradients(chunks[c], m);
      order.weight_gradients(chunks[c + 1], m);
    }
  }
  for (std::size_t m = 0; m < micro_batches; ++m) order.weight_gradients(chunks.front(), m);
}

void order_other_device(OrderBuilder& order, const std::vector<Chunk>& chunks, std::size_t micro_batches) {
  for (const Chunk& chunk : chunks) {
    for (std::size_t m = 0; m < micro_batches; ++m) order.forward(chunk, m);
  }
  for (std::size_t c = chunks.size(); c-- > 0;) {
    for (std::size_t m = 0; m < micro_batches; ++m) {
      order.output_gradients(chunks[c], m);
      order.weight_gradients(chunks[c], m);
    }
  }
}

PolicyPlan paired_plan(const Pipeline& pipeline, const Chunks& chunks) {
  return build_orders(pipeline, chunks, [&](OrderBuilder& order, const std::vector<Chunk>& of_device) {
    const bool is_last = of_device.front().device == pipeline.device_of.back();
    (is_last ? order_last_device : order_other_device)(order, of_device, pipeline.micro_batches);
  });
}

}  // namespace

Policy paired() {
  return {"paired", "OOO-Pipe2 with few retained gradients: W follows the O of its chunk", paired_plan};
}

}  // namespace upsweep::policy_files

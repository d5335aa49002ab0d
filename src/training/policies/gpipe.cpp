#include "../policy_parts.hpp"

namespace upsweep::policy_files {
namespace {

PolicyPlan gpipe_plan(const Pipeline& pipeline, const Chunks& chunks) {
  return build_orders(pipeline, chunks, [&](OrderBuilder& order, const std::vector<Chunk>& of_device) {
    for (const Chunk& chunk : of_device) {
      for (std::size_t m = 0; m < pipeline.micro_batches; ++m) order.forward(chunk, m);
    }
    for (std::size_t c = of_device.size(); c-- > 0;) {
      for (std::size_t m = 0; m < pipeline.micro_batches; ++m) order.backward(of_device[c], m);
    }
  });
}

}  // namespace

Policy gpipe() { return {"gpipe", "fill and drain: all forwards, then all backwards", gpipe_plan}; }

}  // namespace upsweep::policy_files

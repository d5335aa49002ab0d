#include "../policy_parts.hpp"

namespace upsweep::policy_files {
namespace {

// Source: P. Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024, section 2.1.1.
PolicyPlan zb_h1_plan(const Pipeline& pipeline, const Chunks& chunks) {
  require_one_stage_per_device(pipeline, chunks);
  return build_orders(pipeline, chunks, [&](OrderBuilder& order, const std::vector<Chunk>& of_device) {
    const Chunk& stage = of_device.front();
    std::size_t owed = 0;  // the oldest micro-batch whose W are outstanding
    one_forward_one_backward(order, pipeline, stage, [&](std::size_t k) {
      order.output_gradients(stage, k);
      if (k >= stage.device) order.weight_gradients(stage, owed++);
    });
    while (owed < pipeline.micro_batches) order.weight_gradients(stage, owed++);
  });
}

}  // namespace

Policy zb_h1() { return {"zb_h1", "zero bubble H1: W fill the bubbles of 1f1b", zb_h1_plan}; }

}  // namespace upsweep::policy_files

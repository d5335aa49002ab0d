#include "../policy_parts.hpp"

namespace upsweep::policy_files {
namespace {

PolicyPlan one_f_one_b_ff_plan(const Pipeline& pipeline, const Chunks& chunks) {
  require_one_stage_per_device(pipeline, chunks);
  return build_orders(pipeline, chunks, [&](OrderBuilder& order, const std::vector<Chunk>& of_device) {
    one_forward_one_backward(order, pipeline, of_device.front(), [&](std::size_t m) {
      order.output_gradients(of_device.front(), m);
      order.weight_gradients(of_device.front(), m);
    });
  });
}

}  // namespace

Policy one_f_one_b_ff() {
  return {"1f1b_ff", "1f1b with fast-forwarding: all O of a backward before its W", one_f_one_b_ff_plan};
}

}  // namespace upsweep::policy_files

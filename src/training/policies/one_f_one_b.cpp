#include "../policy_parts.hpp"

namespace upsweep::policy_files {
namespace {

PolicyPlan one_f_one_b_plan(const Pipeline& pipeline, const Chunks& chunks) {
  require_one_stage_per_device(pipeline, chunks);
  return build_orders(pipeline, chunks, [&](OrderBuilder& order, const std::vector<Chunk>& of_device) {
    one_forward_one_backward(order, pipeline, of_device.front(),
                             [&](std::size_t m) { order.backward(of_device.front(), m); });
  });
}

}  // namespace

Policy one_f_one_b() {
  return {"1f1b", "one forward, one backward: as gpipe with fewer activations", one_f_one_b_plan};
}

}  // namespace upsweep::policy_files

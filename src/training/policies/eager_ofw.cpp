#include "../policy_parts.hpp"

namespace upsweep::policy_files {
namespace {

std::uint64_t key(const Pipeline& pipeline, const Chunks& chunks, const StepOp& op) {
  return rank_key(pipeline, chunks, op, {1, 0, 2});
}

PolicyPlan eager_ofw_plan(const Pipeline&, const Chunks&) { return Ranking{key, false}; }

}  // namespace

Policy eager_ofw() {
  return {"eager_ofw", "whatever is ready, O before F before W; with modulo allocation OOO-Pipe2", eager_ofw_plan};
}

}  // namespace upsweep::policy_files

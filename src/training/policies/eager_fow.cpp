#include "../policy_parts.hpp"

namespace upsweep::policy_files {
namespace {

std::uint64_t key(const Pipeline& pipeline, const Chunks& chunks, const StepOp& op) {
  return rank_key(pipeline, chunks, op, {0, 1, 2});
}

PolicyPlan plan(const Pipeline&, const Chunks&) { return Ranking{key, false}; }

}  // namespace

Policy eager_fow() { return {"eager_fow", "whatever is ready, F before O before W", plan}; }

}  // namespace upsweep::policy_files

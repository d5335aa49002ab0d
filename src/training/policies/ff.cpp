#include "../policy_parts.hpp"

namespace upsweep::policy_files {
namespace {

PolicyPlan ff_plan(const Pipeline&, const Chunks&) { return Ranking{forward_output_weight, true}; }

}  // namespace

Policy ff() { return {"ff", "gradient fast-forwarding, OOO-Pipe1: as gpipe, O before W", ff_plan}; }

}  // namespace upsweep::policy_files

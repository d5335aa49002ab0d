#include "../policy_parts.hpp"

namespace upsweep::policy_files {
namespace {

PolicyPlan eager_fow_plan(const Pipeline&, const Chunks&) { return Ranking{forward_output_weight, false}; }

}  // namespace

Policy eager_fow() { return {"eager_fow", "whatever is ready, F before O before W", eager_fow_plan}; }

}  // namespace upsweep::policy_files

#include "recurrent_level_lists.hpp"

#include <algorithm>
#include <span>

#include "upsweep/recurrent/level_plan.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep::kernels {
namespace {

bool are_vectors(std::span<const LevelOp> ops) {
  return std::ranges::all_of(ops, [](const LevelOp& op) { return op.is_vector; });
}

LevelStep step_of(const LevelOp& op) {
  if (op.is_vector) return {LevelStep::kVector, op.vector, op.later.index, op.target_vector};
  return {LevelStep::kMatrix, op.earlier.index, op.later.index, op.target_slot};
}

/// Adds the launches of a stage.
void add_stage(const Stage& stage, std::span<const LevelOp> ops, LevelLists& lists) {
  if (stage.is_chain && are_vectors(ops)) {
    lists.launches.push_back({stage.phase, true, false, lists.chains.size(), ops.size()});
    for (const LevelOp& op : ops) lists.chains.push_back({op.vector, op.target_vector, op.later.index});
    return;
  }
  // Of a chain every combine is a level of its own.
  const std::size_t per_launch = stage.is_chain ? 1 : ops.size();
  for (std::size_t begin = 0; begin < ops.size(); begin += per_launch) {
    const auto level = ops.subspan(begin, per_launch);
    lists.launches.push_back({stage.phase, false, !are_vectors(level), lists.levels.size(), level.size()});
    for (const LevelOp& op : level) lists.levels.push_back(step_of(op));
  }
}

}  // namespace

LevelLists level_lists(const CellShape& shape, std::size_t steps, std::size_t batch, std::uint32_t depth) {
  const LevelPlan plan = plan_levels(hybrid_schedule(steps + 1, depth), Elements::in_slots);
  LevelLists lists;
  lists.element_slots = plan.element_slots;
  lists.slots = plan.slots;
  for (const Stage& stage : plan.stages) {
    add_stage(stage, std::span(plan.ops).subspan(stage.begin, stage.end - stage.begin), lists);
  }
  lists.flops = level_flops(plan, shape, batch);
  return lists;
}

}  // namespace upsweep::kernels

#include "upsweep/recurrent/level_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

/// Hands out slots; a combine works in place where it uses one of its operands for the last time.
class SlotPlanner {
 public:
  SlotPlanner(Schedule live, Elements elements)
      : schedule_(std::move(live)),
        elements_(elements),
        ranges_(value_ranges(schedule_)),
        uses_(schedule_.values()),
        slots_(schedule_.values(), LevelPlan::kNoSlot),
        computed_(schedule_.length) {}

  [[nodiscard]] LevelPlan make() {
    for (const Combine& combine : schedule_.combines) {
      ++uses_[combine.earlier];
      ++uses_[combine.later];
    }
    for (std::size_t k = 1; k < schedule_.length && elements_ == Elements::in_slots; ++k) {
      if (uses_[k] > 0) slots_[k] = new_slot();
    }
    plan_.length = schedule_.length;
    plan_.element_slots.assign(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(schedule_.length));
    std::size_t id = 0;
    while (id < schedule_.combines.size()) id = add_level(id);
    return std::move(plan_);
  }

 private:
  [[nodiscard]] bool is_vector(ValueId value) const { return ranges_[value].first == 0; }
  [[nodiscard]] std::uint32_t vector_of(ValueId value) const {
    return static_cast<std::uint32_t>(schedule_.length) - 1 - ranges_[value].last;
  }
  [[nodiscard]] MatrixPlace place_of(ValueId value) const {
    if (slots_[value] == LevelPlan::kNoSlot) return {value, true};
    return {slots_[value], false};
  }
  [[nodiscard]] std::uint32_t new_slot() { return static_cast<std::uint32_t>(plan_.slots++); }

  /// Adds the level that starts at combine `first`; returns where the next one starts.
  std::size_t add_level(std::size_t first) {
    const Combine& head = schedule_.combines[first];
    const std::size_t begin = plan_.ops.size();
    std::size_t id = first;
    for (; id < schedule_.combines.size() && schedule_.combines[id].level == head.level; ++id) {
      plan_.ops.push_back(op_of(id));
    }
    const std::size_t end = plan_.ops.size();
    const bool single = end - begin == 1;
    if (single && !plan_.stages.empty() && plan_.stages.back().is_chain && plan_.stages.back().phase == head.phase) {
      plan_.stages.back().end = end;
    } else {
      plan_.stages.push_back({head.phase, begin, end, single});
    }
    return id;
  }

  [[nodiscard]] LevelOp op_of(std::size_t id) {
    const Combine& combine = schedule_.combines[id];
    const ValueId value = schedule_.value_of(id);
    const MatrixPlace later = place_of(combine.later);
    if (is_vector(value)) {
      const std::uint32_t vector = vector_of(value);
      if (computed_[vector]) throw std::invalid_argument(fmt::format("the schedule computes result {} twice", vector));
      computed_[vector] = true;
      return {true, vector_of(combine.earlier), {}, later, vector, LevelPlan::kNoSlot};
    }
    const MatrixPlace earlier = place_of(combine.earlier);
    // Others of the level may still read an operand that has uses left.
    const bool into_later = !later.is_element && uses_[combine.later] == 1;
    const bool into_earlier = !earlier.is_element && uses_[combine.earlier] == 1;
    slots_[value] = into_later ? later.index : into_earlier ? earlier.index : new_slot();
    return {false, LevelPlan::kNoSlot, earlier, later, LevelPlan::kNoSlot, slots_[value]};
  }

  Schedule schedule_;  // without dead combines
  Elements elements_;
  std::vector<ValueRange> ranges_;
  std::vector<std::uint32_t> uses_;
  std::vector<std::uint32_t> slots_;
  std::vector<bool> computed_;  // by number: the vectors that an op writes
  LevelPlan plan_;
};

}  // namespace

LevelPlan plan_levels(Schedule schedule, Elements elements) {
  if (schedule.length < 2) {
    throw std::invalid_argument(fmt::format("a scan over {} elements, accepted are 2 or more", schedule.length));
  }
  return SlotPlanner(live_part(std::move(schedule)), elements).make();
}

ScanFlops level_flops(const LevelPlan& plan, const CellShape& shape, std::size_t batch) {
  const std::uint64_t vector = checked_mul(batch, checked_mul(2 * shape.hidden, shape.hidden));
  const std::uint64_t form = checked_mul(vector, shape.gates());
  ScanFlops flops;
  for (const Stage& stage : plan.stages) {
    for (std::size_t op = stage.begin; op < stage.end; ++op) {
      add_to(of_phase(flops, stage.phase), plan.ops[op].is_vector ? vector : checked_mul(vector, shape.hidden));
    }
  }
  add_to(flops.down, form);
  const auto unused = static_cast<std::uint64_t>(std::ranges::count(plan.element_slots, LevelPlan::kNoSlot));
  flops.jacobians = checked_mul(form, plan.element_slots.size() - unused);
  return flops;
}

}  // namespace upsweep

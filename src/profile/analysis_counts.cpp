#include "upsweep/profile/analysis_counts.hpp"

#include <utility>

#include "count_lists.hpp"

namespace upsweep {
namespace {

template <class Item, class Counts, class Use>
void visit_list(Item& item, const Counts& counts, const Use& use) {
  for (const auto count : counts) use(item.*count);
}

template <class Op, class Use>
void visit_op(Op& op, const Use& use) {
  visit_list(op, kOpCounts, use);
  use(op.flops);
  visit_list(op.steps, kStepCounts, use);
}

/// `analysis` const or not.
template <class Analyses, class Use>
void visit(Analyses& analysis, const Use& use) {
  visit_list(analysis.network, kNetworkCounts, use);
  for (auto& op : analysis.network.operators) {
    visit_list(op, kOperatorCounts, use);
    for (auto& gradient : op.gradients) visit_op(gradient, use);
  }
  for (auto& link : analysis.network.links) {
    visit_list(link, kLinkCounts, use);
    visit_list(link.formation, kFormationCounts, use);
    for (auto& step : link.formation.steps) visit_op(step.op, use);
  }
  for (auto& schedule : analysis.schedules) {
    for (auto& op : schedule.ops) visit_op(op, use);
    for (auto& bytes : schedule.value_bytes) use(bytes);
  }
}

}  // namespace

void for_each_count(const Analysis& analysis, const std::function<void(std::uint64_t count)>& use) {
  visit(analysis, use);
}

Analysis with_counts(Analysis analysis, const std::function<std::uint64_t()>& next) {
  visit(analysis, [&](std::uint64_t& count) { count = next(); });
  for (ScheduleProfile& schedule : analysis.schedules) schedule.levels = level_profiles(schedule);
  return analysis;
}

}  // namespace upsweep

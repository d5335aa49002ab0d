#include <limits>
#include <stdexcept>

#include "turns.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

std::vector<double> as_costs(const std::vector<std::uint64_t>& counts) { return {counts.begin(), counts.end()}; }

/// What stages take on workers that share ops.
std::vector<double> shared_stages(const StackedProfile& profile, std::uint64_t workers, std::uint64_t batch) {
  const SharedWork work = shared_work(profile);
  std::vector<double> costs;
  auto level = work.levels.begin();  // of each stage its products and then its additions
  for (const StackedStage& stage : profile.stages) {
    const auto end = level + 1 + static_cast<std::ptrdiff_t>(stage.additions.size());
    costs.push_back(static_cast<double>(shared_makespan({1, {level, end}}, workers, batch)));
    level = end;
  }
  return costs;
}

std::vector<double> stage_costs(const StackedProfile& profile, AccountRule rule, std::uint64_t workers,
                                std::uint64_t batch) {
  return rule == AccountRule::whole ? as_costs(stacked_stage_makespans(profile, workers, batch))
                                    : shared_stages(profile, workers, batch);
}

std::uint64_t makespan(const StackedProfile& profile, AccountRule rule, std::uint64_t workers, std::uint64_t batch) {
  return rule == AccountRule::whole ? stacked_makespan(profile, workers, batch).flops
                                    : shared_makespan(shared_work(profile), workers, batch);
}

/// Whether a way is faster than another through a stack of another shape.
bool wins_at(const StackedProfile& schedule, const StackedProfile& against, const StackedShape& shape, AccountRule rule,
             const ExplainedOn& on) {
  const auto takes = [&](const StackedProfile& way) {
    return makespan(profile_stacked(shape, way.method, way.value_bytes), rule, on.workers, on.batch);
  };
  return takes(schedule) < takes(against);
}

Account account(const StackedProfile& schedule, const StackedProfile& against, AccountRule rule,
                const ExplainedOn& on) {
  constexpr std::uint64_t kAllAtOnce = std::numeric_limits<std::uint64_t>::max();
  Account account;
  account.rule = rule;
  const std::vector<double> costs = stage_costs(schedule, rule, on.workers, on.batch);
  account.total = sum(costs);
  account.against = sum(stage_costs(against, rule, on.workers, on.batch));
  const std::vector<std::string> binds = alone_binds(rule, costs, stage_costs(schedule, rule, kAllAtOnce, 1));
  for (std::size_t stage = 0; stage < costs.size(); ++stage) account.levels.push_back({costs[stage], binds[stage]});
  const auto wins = [&](std::uint64_t StackedShape::*extent) {
    return [&, extent](std::uint64_t number) {
      StackedShape shape = schedule.shape;
      shape.*extent = number;
      return wins_at(schedule, against, shape, rule, on);
    };
  };
  account.turns = {
      workers_turn([&](std::uint64_t workers) { return makespan(schedule, rule, workers, on.batch); },
                   [&](std::uint64_t workers) { return makespan(against, rule, workers, on.batch); }, on.workers),
      number_turn(Turn::Of::hidden, schedule.shape.hidden, kMostExtent, wins(&StackedShape::hidden)),
      number_turn(Turn::Of::steps, schedule.shape.steps, kMostExtent, wins(&StackedShape::steps))};
  return account;
}

}  // namespace

Explanation explain(const StackedProfile& schedule, const StackedProfile& against, const ExplainedOn& on) {
  if (schedule.shape != against.shape || schedule.value_bytes != against.value_bytes)
    throw std::invalid_argument("ways through different stacks, accepted are two through the same");
  Explanation explanation;
  explanation.schedule = to_string(schedule.method);
  explanation.against = to_string(against.method);
  explanation.workers = on.workers;
  explanation.flops = checked_add(schedule.flops, schedule.addition_flops);
  BlockProducts blocks;
  for (const StackedStage& stage : schedule.stages) {
    const StageFlops flops = stage_flops(schedule, stage);
    const std::uint64_t ops = checked_add(stage.products.matrix, stage.products.vector);
    explanation.levels.push_back({to_string(stage.phase), stage.repeat, checked_mul(stage.repeat, ops),
                                  checked_mul(stage.repeat, checked_add(flops.matrix, flops.vector))});
    add_to(blocks.products, checked_mul(stage.repeat, stage.products.matrix));
    add_to(blocks.flops, checked_mul(stage.repeat, flops.matrix));
  }
  explanation.blocks = blocks;
  explanation.accounts = {account(schedule, against, AccountRule::whole, on),
                          account(schedule, against, AccountRule::shared, on)};
  return explanation;
}

}  // namespace upsweep

#include "upsweep/search/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "turns.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/scan/scheme.hpp"
#include "upsweep/sim/batched.hpp"
#include "upsweep/sim/shared_ops.hpp"

namespace upsweep {
namespace {

/// A level as workers that share its ops see it.
SharedWork shared_level(const ScheduleProfile& profile, std::size_t level) {
  const LevelProfile& mine = profile.levels[level];
  return {profile.inputs, {{1, mine.flops_sum, mine.span_max}}, mine.flops_sum, mine.span_max};
}

/// What levels take by a rule.
std::vector<double> level_costs(const ScheduleProfile& profile, AccountRule rule, const ExplainedOn& on,
                                const Machine* machine) {
  if (rule == AccountRule::seconds)
    return batched_time(profile, *machine, on.workers, on.value_bytes, Scope::all, on.batch).level_seconds;
  const auto inputs = static_cast<double>(profile.inputs);
  std::vector<double> costs;
  if (rule == AccountRule::whole) {
    for (const std::uint64_t cost : batched_levels(profile, on.workers, Scope::all, on.batch, CostUnit::flops))
      costs.push_back(static_cast<double>(cost) / inputs);
    return costs;
  }
  for (std::size_t level = 0; level < profile.levels.size(); ++level)
    costs.push_back(static_cast<double>(shared_makespan(shared_level(profile, level), on.workers, on.batch)) / inputs);
  return costs;
}

/// Every combine that plain back-propagation does not have: products of matrices, and products with vectors that read
/// one.
std::vector<bool> added_ops(const ScheduleProfile& profile) {
  std::vector<bool> added;
  for (std::size_t id = 0; id < profile.ops.size(); ++id)
    added.push_back(!profile.ops[id].is_mv || profile.schedule.combines[id].later >= profile.schedule.length);
  return added;
}

/// The profile with the work of added_ops() times `factor`.
ScheduleProfile with_products(ScheduleProfile profile, double factor) {
  const std::vector<bool> added = added_ops(profile);
  const auto scale = [factor](std::uint64_t& count) {
    count = static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * factor));
  };
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    if (!added[id]) continue;
    OpProfile& op = profile.ops[id];
    for (std::uint64_t OpProfile::*count :
         {&OpProfile::right_nnz, &OpProfile::products, &OpProfile::flops, &OpProfile::right_bytes})
      scale(op.*count);
    op.span = std::min(op.span, op.flops);
    for (const auto count : kStepCounts) scale(op.steps.*count);
    if (op.is_mv) continue;
    for (std::uint64_t OpProfile::*count :
         {&OpProfile::left_nnz, &OpProfile::nnz, &OpProfile::bytes, &OpProfile::left_bytes})
      scale(op.*count);
  }
  profile.levels = level_profiles(profile);
  return profile;
}

/// Two schedules on a machine or none.
class Comparison {
 public:
  Comparison(const ScheduleProfile& schedule, const ScheduleProfile& against, const ExplainedOn& on)
      : schedule_(schedule), against_(against), on_(on), machine_(on.machine) {}

  [[nodiscard]] Account account(AccountRule rule) const {
    Account account;
    account.rule = rule;
    const std::vector<double> costs = level_costs(schedule_, rule, on_, machine_);
    account.total = sum(costs);
    account.against = total(against_, rule, machine_);
    const std::vector<std::string> binds =
        rule == AccountRule::seconds
            ? machine_binds(*machine_, costs,
                            [&](const Machine& better) { return level_costs(schedule_, rule, on_, &better); })
            : alone_binds(rule, costs, least_costs(rule));
    for (std::size_t level = 0; level < costs.size(); ++level) account.levels.push_back({costs[level], binds[level]});
    if (rule == AccountRule::seconds) {
      account.turns = machine_turns(*machine_, [&](const Machine& other, double) {
        return takes_less(total(schedule_, rule, &other), total(against_, rule, &other));
      });
    } else {
      account.turns = {workers_turn([&](std::uint64_t workers) { return makespan(schedule_, rule, workers); },
                                    [&](std::uint64_t workers) { return makespan(against_, rule, workers); },
                                    on_.workers)};
    }
    account.turns.push_back(products_turn(rule));
    return account;
  }

 private:
  [[nodiscard]] double total(const ScheduleProfile& profile, AccountRule rule, const Machine* machine) const {
    return sum(level_costs(profile, rule, on_, machine));
  }

  /// Of each level what its largest op or span takes alone.
  [[nodiscard]] std::vector<double> least_costs(AccountRule rule) const {
    std::vector<double> least;
    for (const LevelProfile& level : schedule_.levels) {
      least.push_back(static_cast<double>(rule == AccountRule::whole ? level.flops_max : level.span_max) /
                      static_cast<double>(schedule_.inputs));
    }
    return least;
  }

  [[nodiscard]] std::uint64_t makespan(const ScheduleProfile& profile, AccountRule rule, std::uint64_t workers) const {
    if (rule == AccountRule::shared) return shared_makespan(shared_work(profile, Scope::all), workers, on_.batch);
    return batched_level_makespan(profile, workers, Scope::all, on_.batch, CostUnit::flops);
  }

  [[nodiscard]] Turn products_turn(AccountRule rule) const {
    return {Turn::Of::products, turning_factor([&](double factor) {
              return takes_less(total(with_products(schedule_, factor), rule, machine_),
                                total(with_products(against_, factor), rule, machine_));
            })};
  }

  const ScheduleProfile& schedule_;
  const ScheduleProfile& against_;
  ExplainedOn on_;
  const Machine* machine_;
};

/// Products of matrices, the most expensive first.
std::vector<FillIn> fill_ins(const ScheduleProfile& profile) {
  const std::vector<ValueRange> ranges = value_ranges(profile.schedule);
  const auto last = static_cast<std::uint32_t>(profile.schedule.length - 1);
  std::vector<FillIn> products;
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    const OpProfile& op = profile.ops[id];
    if (op.is_mv) continue;
    const ValueRange range = ranges[profile.schedule.value_of(id)];
    // a[k] stands for link n - k from the input on, counted from 0.
    products.push_back({id, profile.schedule.combines[id].level, last - range.last, last - range.first,
                        op.left_nnz + op.right_nnz, op.nnz, op.flops});
  }
  std::ranges::stable_sort(products, std::greater(), &FillIn::flops);
  return products;
}

}  // namespace

std::string to_string(AccountRule rule) {
  switch (rule) {
    case AccountRule::whole:
      return "whole";
    case AccountRule::shared:
      return "shared";
    case AccountRule::seconds:
      break;
  }
  return "seconds";
}

std::string to_string(Turn::Of of) {
  switch (of) {
    case Turn::Of::workers:
      return "workers";
    case Turn::Of::products:
      return "products";
    case Turn::Of::latency:
      return "latency";
    case Turn::Of::bandwidth:
      return "bandwidth";
    case Turn::Of::arithmetic:
      return "arithmetic";
    case Turn::Of::hidden:
      return "hidden";
    case Turn::Of::steps:
      break;
  }
  return "steps";
}

Explanation explain(const ScheduleProfile& schedule, const ScheduleProfile& against, const ExplainedOn& on) {
  if (schedule.schedule.length != against.schedule.length || schedule.inputs != against.inputs)
    throw std::invalid_argument("schedules over different chains, accepted are two over the same");
  const Comparison comparison(schedule, against, on);
  Explanation explanation;
  explanation.schedule = schedule.schedule.name;
  explanation.against = against.schedule.name;
  explanation.workers = on.workers;
  explanation.inputs = schedule.inputs;
  const auto is_plain = [](const ScheduleProfile& of) { return has_plain_ops(of.ops.size(), of.schedule.length); };
  explanation.are_plain = is_plain(schedule) && is_plain(against);
  for (const LevelProfile& level : schedule.levels) {
    explanation.levels.push_back({to_string(level.phase), 1, level.ops, level.flops_sum});
    add_to(explanation.flops, level.flops_sum);
  }
  if (on.machine != nullptr) {
    explanation.accounts = {comparison.account(AccountRule::seconds)};
  } else {
    explanation.accounts = {comparison.account(AccountRule::whole), comparison.account(AccountRule::shared)};
  }
  explanation.knows_products = true;
  explanation.products = fill_ins(schedule);
  return explanation;
}

}  // namespace upsweep

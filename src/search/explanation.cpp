#include "upsweep/search/explanation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/search/crossover.hpp"
#include "upsweep/sim/batched.hpp"
#include "upsweep/sim/shared_ops.hpp"

namespace upsweep {
namespace {

constexpr int kMostDoublings = 30;

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

double sum(const std::vector<double>& costs) {
  double total = 0;
  for (const double cost : costs) total += cost;
  return total;
}

constexpr std::array kMachineParts = {std::pair{Turn::Of::latency, Binding::latency},
                                      std::pair{Turn::Of::bandwidth, Binding::bandwidth},
                                      std::pair{Turn::Of::arithmetic, Binding::arithmetic}};

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

/// The factor nearest to 1 with which `wins` answers otherwise than now.
std::optional<double> turning_factor(const std::function<bool(double factor)>& wins) {
  const bool now = wins(1);
  const auto turns = [&](double factor) {
    try {
      return wins(factor) != now;
    } catch (const CountOverflow&) {  // so slow a machine has no times
      return false;
    }
  };
  for (int doublings = 1; doublings <= kMostDoublings; ++doublings) {
    std::optional<double> nearest;
    for (const double side : {1.0, -1.0}) {
      double far = side * doublings;
      if (!turns(std::exp2(far))) continue;
      double near = side * (doublings - 1);
      for (int halvings = 0; halvings < 20; ++halvings) {
        const double middle = (near + far) / 2;
        (turns(std::exp2(middle)) ? far : near) = middle;
      }
      if (!nearest || std::fabs(far) < std::fabs(*nearest)) nearest = far;
    }
    if (nearest) return std::exp2(*nearest);
  }
  return std::nullopt;
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
    const std::vector<std::string> binds = rule == AccountRule::seconds ? machine_binds(costs) : binds_of(rule, costs);
    for (std::size_t level = 0; level < costs.size(); ++level) account.levels.push_back({costs[level], binds[level]});
    account.turns = rule == AccountRule::seconds ? machine_turns() : std::vector{workers_turn(rule)};
    account.turns.push_back(products_turn(rule));
    return account;
  }

 private:
  [[nodiscard]] double total(const ScheduleProfile& profile, AccountRule rule, const Machine* machine) const {
    return sum(level_costs(profile, rule, on_, machine));
  }

  [[nodiscard]] std::vector<std::string> binds_of(AccountRule rule, const std::vector<double>& costs) const {
    constexpr double kNear = 1.05;
    std::vector<std::string> binds;
    for (std::size_t level = 0; level < costs.size(); ++level) {
      const LevelProfile& mine = schedule_.levels[level];
      const auto least = static_cast<double>(rule == AccountRule::whole ? mine.flops_max : mine.span_max) /
                         static_cast<double>(schedule_.inputs);
      const char* alone = rule == AccountRule::whole ? "largest op" : "span";
      binds.emplace_back(costs[level] <= 0 ? "" : costs[level] <= kNear * least ? alone : "workers");
    }
    return binds;
  }

  /// Of each level the part of the machine of which twice as much helps it most.
  [[nodiscard]] std::vector<std::string> machine_binds(const std::vector<double>& costs) const {
    std::vector<std::string> binds(costs.size());
    std::vector<double> least = costs;
    for (const auto& [of, part] : kMachineParts) {
      const Machine better = scaled(*machine_, part, 2);
      const std::vector<double> mine = level_costs(schedule_, AccountRule::seconds, on_, &better);
      for (std::size_t level = 0; level < costs.size(); ++level) {
        if (!(mine[level] < least[level])) continue;
        least[level] = mine[level];
        binds[level] = to_string(part);
      }
    }
    return binds;
  }

  [[nodiscard]] Turn workers_turn(AccountRule rule) const {
    const MakespanOfWorkers mine = [&](std::uint64_t workers) { return makespan(schedule_, rule, workers); };
    const MakespanOfWorkers other = [&](std::uint64_t workers) { return makespan(against_, rule, workers); };
    const bool wins = mine(on_.workers) < other(on_.workers);
    const OvertakingWorkers found = overtaking_workers(std::array{other}, std::array{mine});
    Turn turn{Turn::Of::workers, {}, found.is_known};
    if (!found.is_known || !found.from) return turn;
    if (!wins) turn.to = static_cast<double>(*found.from);
    // Where it wins already, fewer than the fewest with which it does.
    if (wins && *found.from > 1) turn.to = static_cast<double>(*found.from - 1);
    return turn;
  }

  [[nodiscard]] std::uint64_t makespan(const ScheduleProfile& profile, AccountRule rule, std::uint64_t workers) const {
    if (rule == AccountRule::shared) return shared_makespan(shared_work(profile, Scope::all), workers, on_.batch);
    return batched_level_makespan(profile, workers, Scope::all, on_.batch, CostUnit::flops);
  }

  [[nodiscard]] std::vector<Turn> machine_turns() const {
    std::vector<Turn> turns;
    for (const auto& [of, part] : kMachineParts) {
      turns.push_back({of, turning_factor([&](double factor) {
                         // More of a latency is less of a machine.
                         const Machine other = scaled(*machine_, part, of == Turn::Of::latency ? 1 / factor : factor);
                         return total(schedule_, AccountRule::seconds, &other) <
                                total(against_, AccountRule::seconds, &other);
                       })});
    }
    return turns;
  }

  [[nodiscard]] Turn products_turn(AccountRule rule) const {
    return {Turn::Of::products, turning_factor([&](double factor) {
              return total(with_products(schedule_, factor), rule, machine_) <
                     total(with_products(against_, factor), rule, machine_);
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
    products.push_back({id, last - range.last, last - range.first, op.left_nnz + op.right_nnz, op.nnz, op.flops});
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
      break;
  }
  return "arithmetic";
}

Explanation explain(const ScheduleProfile& schedule, const ScheduleProfile& against, const ExplainedOn& on) {
  if (schedule.schedule.length != against.schedule.length || schedule.inputs != against.inputs)
    throw std::invalid_argument("schedules over different chains, accepted are two over the same");
  const Comparison comparison(schedule, against, on);
  Explanation explanation;
  explanation.workers = on.workers;
  if (on.machine != nullptr) {
    explanation.accounts = {comparison.account(AccountRule::seconds)};
  } else {
    explanation.accounts = {comparison.account(AccountRule::whole), comparison.account(AccountRule::shared)};
  }
  explanation.products = fill_ins(schedule);
  return explanation;
}

}  // namespace upsweep

#include "upsweep/search/point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "point_rules.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/sim/batched.hpp"
#include "upsweep/sim/predict.hpp"
#include "upsweep/sim/simulate.hpp"

namespace upsweep {
namespace {

/// Sums over the inputs, of one copy of the combines in scope.
struct ScopedSums {
  Totals totals;
  std::uint64_t flops_max = 0;
};

ScopedSums sums_of(const ScheduleProfile& profile, const PointRules& rules) {
  ScopedSums sums;
  std::vector<std::uint64_t> most(profile.schedule.levels, 0);
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    const OpProfile& op = profile.ops[id];
    if (rules.scope == Scope::live && op.dead) continue;
    ++sums.totals.ops;
    add_to(sums.totals.flops, op.flops);
    std::uint64_t& level = most[profile.schedule.combines[id].level];
    level = std::max(level, op.flops);
    sums.flops_max = std::max(sums.flops_max, op.flops);
  }
  for (const std::uint64_t level : most) add_to(sums.totals.critical_path_level, level);
  // The longest path needs a graph.
  if (rules.execution == Execution::dag) sums.totals = totals(profile, rules.scope);
  return sums;
}

/// Why the schedule does not fit into the limit, or nothing; `peak` is a sum over the inputs.
std::string memory_reason(const ScheduleProfile& profile, std::uint64_t peak, const PointRules& rules) {
  if (!rules.memory_limit) return {};
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t inputs = profile.inputs;
  const std::uint64_t limit = *rules.memory_limit > most / inputs ? most : *rules.memory_limit * inputs;
  if (peak <= limit) return {};  // so is every product
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    const OpProfile& op = profile.ops[id];
    if (op.bytes > limit && (rules.scope == Scope::all || !op.dead))
      return product_reason(id, op.m, op.n, rounded_up(op.bytes, inputs), *rules.memory_limit);
  }
  return peak_reason(rounded_up(peak, inputs), *rules.memory_limit);
}

std::uint64_t makespan_flops(const ScheduleProfile& profile, const PointRules& rules) {
  if (rules.execution == Execution::level)
    return batched_level_makespan(profile, rules.workers, rules.scope, rules.batch, CostUnit::flops);
  return simulate(profile.schedule, profile.flops(), in_scope(profile, rules.scope), rules.workers, Execution::dag)
      .makespan;
}

double seconds_of(const ScheduleProfile& profile, const PointRules& rules) {
  if (rules.execution == Execution::level)
    return batched_seconds(profile, *rules.machine, rules.workers, rules.value_bytes, rules.scope, rules.batch);
  return predict_time(profile, *rules.machine, rules.workers, Execution::dag, rules.value_bytes, rules.scope).seconds;
}

double score_of(const ScheduleProfile& profile, const Totals& sums, const PointRules& rules) {
  const auto inputs = static_cast<double>(profile.inputs);
  switch (rules.objective) {
    case Objective::time:
      if (rules.machine != nullptr) return seconds_of(profile, rules);
      return static_cast<double>(makespan_flops(profile, rules)) / inputs;
    case Objective::critical_flops:
      return static_cast<double>(sums.critical_path(rules.execution)) / inputs;
    case Objective::work_flops:
      return static_cast<double>(checked_mul(sums.flops, rules.batch)) / inputs;
  }
  throw std::logic_error("unknown objective");
}

const ScheduleProfile& profile_named(const Analysis& analysis, const std::string& name) {
  for (const ScheduleProfile& profile : analysis.schedules) {
    if (profile.schedule.name == name) return profile;
  }
  throw std::invalid_argument(fmt::format("the model was not counted under the schedule {}", name));
}

/// What does not depend on the schedule.
PointFigures network_figures(const CountedNetwork& counted, const PointRules& rules) {
  const NetworkProfile& network = counted.analysis.network;
  const auto inputs = static_cast<double>(network.inputs);
  PointFigures figures;
  figures.is_in_seconds = rules.machine != nullptr;
  figures.workers = rules.workers;
  figures.elements = network.links.size();
  figures.chain_build_values = static_cast<double>(checked_mul(network.build_values, rules.batch)) / inputs;
  for (const LinkProfile& link : network.links) {
    figures.largest_jacobian_bytes = std::max(figures.largest_jacobian_bytes, static_cast<double>(link.bytes) / inputs);
    // The gradient that a link starts from; none of the chain's own input is needed.
    figures.largest_vector_bytes =
        std::max(figures.largest_vector_bytes, static_cast<double>(checked_mul(link.cols, rules.value_bytes)));
  }
  return figures;
}

}  // namespace

PointSchedule score_profile(const ScheduleProfile& profile, const PointRules& rules) {
  const auto inputs = static_cast<double>(profile.inputs);
  const ScopedSums sums = sums_of(profile, rules);
  const std::uint64_t peak =
      checked_mul(peak_live_bytes(profile.schedule, profile.value_bytes, in_scope(profile, rules.scope)), rules.batch);
  PointSchedule scored;
  scored.schedule = profile.schedule.name;
  scored.depth = profile.schedule.hybrid_depth();
  scored.reason = memory_reason(profile, peak, rules);
  scored.is_feasible = scored.reason.empty();
  scored.score = score_of(profile, sums.totals, rules);
  scored.levels = static_cast<double>(profile.schedule.levels);
  scored.ops = static_cast<double>(checked_mul(sums.totals.ops, rules.batch));
  scored.flops = static_cast<double>(checked_mul(sums.totals.flops, rules.batch)) / inputs;
  scored.critical_path_flops = static_cast<double>(sums.totals.critical_path(rules.execution)) / inputs;
  scored.steps =
      static_cast<double>(batched_level_makespan(profile, rules.workers, rules.scope, rules.batch, CostUnit::unit));
  scored.per_step_flops = static_cast<double>(sums.flops_max) / inputs;
  scored.peak_live_bytes = static_cast<double>(peak) / inputs;
  return scored;
}

PointFigures score_point(const CountedNetwork& network, const Machine* machine, const PointSettings& settings) {
  const std::size_t length = network.analysis.network.links.size() + 1;
  const PointRules rules = rules_of(settings, length, network.value_bytes, machine);
  const AskedSchedules asked = asked_schedules(settings, length, rules.workers);
  PointFigures figures = network_figures(network, rules);
  figures.plain = score_profile(profile_named(network.analysis, hybrid_name(0)), rules);
  std::vector<PointSchedule> scored;
  for (std::uint32_t depth = asked.first_depth; depth < asked.end_depth; ++depth) {
    scored.push_back(depth == 0 ? figures.plain
                                : score_profile(profile_named(network.analysis, hybrid_name(depth)), rules));
  }
  for (const std::string& name : asked.schemes)
    scored.push_back(score_profile(profile_named(network.analysis, name), rules));
  choose_schedules(scored, 0, figures);
  return figures;
}

}  // namespace upsweep

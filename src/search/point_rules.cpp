#include "point_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "smaller_score.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep {
namespace {

/// What a simulation without barriers gave. Throws std::invalid_argument where it gave up.
template <class Number>
Number known(const std::optional<Number>& found, const CountedSchedule& schedule, const PointRules& rules) {
  if (found) return *found;
  throw std::invalid_argument(
      fmt::format("{} on {} workers has no short simulation without barriers (execution is dag), accepted is execution "
                  "level",
                  schedule.name(), rules.workers));
}

double makespan_flops(const CountedSchedule& schedule, const PointRules& rules) {
  if (rules.ops == Ops::shared)
    return static_cast<double>(shared_makespan(schedule.shared(rules.scope), rules.workers, rules.batch));
  if (rules.execution == Execution::level)
    return static_cast<double>(schedule.level_makespan(CostUnit::flops, rules.workers, rules.scope, rules.batch));
  return static_cast<double>(known(schedule.dag_makespan(rules.workers, rules.scope), schedule, rules));
}

double seconds_of(const CountedSchedule& schedule, const PointRules& rules) {
  if (rules.execution == Execution::level)
    return schedule.level_seconds(*rules.machine, rules.workers, rules.scope, rules.batch);
  return known(schedule.dag_seconds(*rules.machine, rules.workers, rules.scope), schedule, rules);
}

double score_of(const CountedSchedule& schedule, const Totals& sums, const PointRules& rules) {
  const auto inputs = static_cast<double>(schedule.inputs());
  switch (rules.objective) {
    case Objective::time:
      if (rules.machine != nullptr) return seconds_of(schedule, rules);
      return makespan_flops(schedule, rules) / inputs;
    case Objective::critical_flops:
      return static_cast<double>(sums.critical_path(rules.execution)) / inputs;
    case Objective::work_flops:
      return static_cast<double>(checked_mul(sums.flops, rules.batch)) / inputs;
  }
  throw std::logic_error("unknown objective");
}

/// What a request becomes at a length.
std::string name_at(const ScheduleRequest& request, std::size_t length) {
  if (request.order) return canonical_name(request);
  const std::uint64_t elements = length - 1;
  const bool is_cut = !request.scheme->parameter.empty() && !request.scheme->is_hybrid && request.parameter > elements;
  return scheme_name(*request.scheme, is_cut ? elements : request.parameter);
}

/// Whether it is plain back-propagation, under another name too, as score_schedule() has it; of passes, whose ops are
/// not counted, by its name.
bool is_plain(const PointSchedule& schedule, const PointSchedule& plain) {
  return std::isnan(schedule.ops) ? is_plain_schedule(schedule.schedule) : schedule.ops == plain.ops;
}

}  // namespace

std::string hybrid_name(std::uint32_t depth) { return depth == 0 ? "linear" : fmt::format("hybrid:{}", depth); }

AskedSchedules asked_schedules(const PointSettings& settings, std::size_t length, std::uint64_t workers) {
  const std::uint32_t deepest = max_depth(length);
  if (settings.schedule == "best") return {0, deepest + 1, {}};
  if (settings.schedule == "best-of-all") return {0, deepest + 1, scheme_names(length, workers)};
  const ScheduleRequest request = parse_schedule(settings.schedule);
  if (request.order) static_cast<void>(make_schedule(request, length));  // throws for another length
  if (!request.scheme->is_hybrid) return {0, 0, {name_at(request, length)}};
  const auto depth = static_cast<std::uint32_t>(std::min<std::uint64_t>(request.parameter, deepest));
  return {depth, depth + 1, {}};
}

std::vector<std::string> schedules_of_point(const PointSettings& settings, std::size_t length, std::uint64_t workers) {
  const AskedSchedules asked = asked_schedules(settings, length, workers);
  std::vector<std::string> names = {hybrid_name(0)};
  for (std::uint32_t depth = std::max(asked.first_depth, 1U); depth < asked.end_depth; ++depth)
    names.push_back(hybrid_name(depth));
  names.insert(names.end(), asked.schemes.begin(), asked.schemes.end());
  return names;
}

std::uint64_t workers_of_point(const PointSettings& settings, std::uint64_t length, const Machine* machine) {
  const std::uint64_t most = machine == nullptr ? std::numeric_limits<std::uint64_t>::max() : machine->workers();
  if (!settings.workers) {
    const std::uint64_t widest = std::max<std::uint64_t>(length / 2, 1);  // the pairs of the first level of a sweep
    const std::uint64_t inputs = std::max<std::uint64_t>(settings.batch, 1);
    return std::min(most, widest > most / inputs ? most : widest * inputs);
  }
  if (*settings.workers == 0) throw std::invalid_argument("workers are 0, accepted is at least 1");
  if (*settings.workers > most) {
    throw std::invalid_argument(fmt::format("workers are {}, but the machine {} has {}, accepted is at most that many",
                                            *settings.workers, machine->name, most));
  }
  return *settings.workers;
}

PointRules rules_of(const PointSettings& settings, std::size_t length, unsigned value_bytes, const Machine* machine) {
  if (settings.batch == 0) throw std::invalid_argument("the batch is 0, accepted is at least 1");
  if (settings.batch > 1 && settings.execution == Execution::dag) {
    throw std::invalid_argument(
        fmt::format("the batch is {} and execution is dag, which has one input: accepted is a batch of 1, or execution "
                    "level",
                    settings.batch));
  }
  if (settings.ops == Ops::shared && settings.execution == Execution::dag) {
    throw std::invalid_argument(
        "ops are shared and execution is dag, of which a lower bound alone is known: accepted is execution level");
  }
  if (settings.launch == LaunchMode::fused && settings.execution == Execution::dag) {
    throw std::invalid_argument(
        "launch is fused, a kernel for each level, and execution is dag: accepted is execution level, or launch graph "
        "or eager");
  }
  PointRules rules;
  rules.ops = settings.ops;
  // The seconds of a pram are those of whole ops: shared ones are compared in FLOPs, as in the verdict of a search.
  const bool has_seconds =
      settings.objective == Objective::time && (settings.ops == Ops::whole || !has_whole_ops(machine));
  rules.machine = has_seconds ? machine : nullptr;
  rules.value_bytes = value_bytes;
  rules.objective = settings.objective;
  rules.execution = settings.execution;
  rules.scope = settings.scope;
  rules.workers = workers_of_point(settings, length, machine);
  rules.batch = settings.batch;
  rules.memory_limit = settings.memory_limit;
  if (!rules.memory_limit && settings.is_limited_by_machine && machine != nullptr && machine->memory_bytes > 0)
    rules.memory_limit = machine->memory_bytes;
  return rules;
}

PointSchedule score_counted(const CountedSchedule& schedule, const PointRules& rules) {
  const auto inputs = static_cast<double>(schedule.inputs());
  const CountedSchedule::Sums sums = schedule.sums(rules.scope, rules.execution == Execution::dag);
  const std::uint64_t peak = checked_mul(schedule.peak_live_bytes(rules.scope), rules.batch);
  PointSchedule scored;
  scored.schedule = schedule.name();
  scored.depth = schedule.depth();
  if (rules.memory_limit) scored.reason = memory_reason(schedule, rules.scope, rules.batch, *rules.memory_limit);
  scored.is_feasible = scored.reason.empty();
  scored.score = score_of(schedule, sums.totals, rules);
  scored.levels = static_cast<double>(schedule.levels());
  scored.ops = static_cast<double>(checked_mul(sums.totals.ops, rules.batch));
  scored.flops = static_cast<double>(checked_mul(sums.totals.flops, rules.batch)) / inputs;
  scored.critical_path_flops = static_cast<double>(sums.totals.critical_path(rules.execution)) / inputs;
  scored.steps = static_cast<double>(schedule.level_makespan(CostUnit::unit, rules.workers, rules.scope, rules.batch));
  scored.per_step_flops = static_cast<double>(sums.flops_max) / inputs;
  scored.peak_live_bytes = static_cast<double>(peak) / inputs;
  return scored;
}

void choose_schedules(const std::vector<PointSchedule>& asked, PointFigures& figures) {
  const PointSchedule* best = nullptr;
  const PointSchedule* runner_up = nullptr;
  const PointSchedule* scan = nullptr;
  const PointSchedule* refused = nullptr;
  const auto is_better = [](const PointSchedule& one, const PointSchedule* other) {
    return other == nullptr || is_smaller_score(one.score, other->score);
  };
  for (const PointSchedule& schedule : asked) {
    const bool is_scan = !is_plain(schedule, figures.plain);
    if (!schedule.is_feasible) {
      if (is_scan && is_better(schedule, refused)) refused = &schedule;
      continue;
    }
    if (is_scan && is_better(schedule, scan)) scan = &schedule;
    if (is_better(schedule, best)) {
      runner_up = best;
      best = &schedule;
    } else if (is_better(schedule, runner_up)) {
      runner_up = &schedule;
    }
  }
  if (best != nullptr) figures.best = *best;
  if (scan != nullptr) figures.scan = *scan;
  if (scan == nullptr && refused != nullptr) figures.refused_scan = *refused;
  if (runner_up != nullptr && best->score > 0) figures.margin = std::max(0.0, runner_up->score / best->score - 1);
}

}  // namespace upsweep

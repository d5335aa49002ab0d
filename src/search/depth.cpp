#include "upsweep/search/depth.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/profile/estimate.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/search/overtaking.hpp"
#include "upsweep/search/what_binds.hpp"

namespace upsweep {
namespace {

/// Of a counted schedule; nothing where the simulation gave up, or seconds are not predicted.
std::optional<double> score_of(const CountedSchedule& schedule, const Candidate& candidate,
                               const SearchOptions& options) {
  if (options.in_seconds()) return options.execution == Execution::level ? candidate.level_s : candidate.dag_s;
  const std::optional<std::uint64_t> flops = score_flops(candidate, options);
  if (!flops) return std::nullopt;
  return static_cast<double>(*flops) / static_cast<double>(schedule.inputs());
}

/// What the score depends on.
void count_score(const CountedSchedule& schedule, const SearchOptions& options, std::uint64_t workers,
                 Candidate& candidate) {
  candidate.totals = schedule.sums(options.scope, true).totals;
  candidate.totals.ops = checked_mul(candidate.totals.ops, options.batch);
  candidate.totals.flops = checked_mul(candidate.totals.flops, options.batch);
  candidate.pram = schedule.pram(workers, options.scope, options.batch);
  if (options.machine != nullptr) {
    candidate.level_s = schedule.level_seconds(*options.machine, workers, options.scope, options.batch);
    if (options.batch == 1) candidate.dag_s = schedule.dag_seconds(*options.machine, workers, options.scope);
  }
  candidate.score = score_of(schedule, candidate, options);
}

/// The intervals of a candidate whose counts are estimates.
void find_intervals(const CountedSchedule& schedule, const SearchOptions& options, std::uint64_t workers,
                    Candidate& candidate) {
  const std::vector<std::unique_ptr<CountedSchedule>> others = schedule.without();
  if (others.empty()) return;
  std::vector<double> flops;
  std::vector<double> shared;
  std::vector<double> scores;
  const auto inputs = static_cast<double>(schedule.inputs());
  for (const std::unique_ptr<CountedSchedule>& other : others) {
    Candidate mine;
    count_score(*other, options, workers, mine);
    flops.push_back(static_cast<double>(mine.totals.flops) / inputs);
    shared.push_back(static_cast<double>(mine.pram.shared_flops) / inputs);
    if (mine.score) scores.push_back(*mine.score);
  }
  candidate.flops_interval = jackknife_interval(static_cast<double>(candidate.totals.flops) / inputs, flops);
  candidate.shared_interval = jackknife_interval(static_cast<double>(candidate.pram.shared_flops) / inputs, shared);
  if (candidate.score && scores.size() == others.size())
    candidate.score_interval = jackknife_interval(*candidate.score, scores);
}

/// As Candidate::batched_score. Throws CountOverflow.
std::optional<double> batched_score(const CountedSchedule& schedule, const SearchOptions& options,
                                    std::uint64_t workers) {
  if (options.objective != Objective::time) return std::nullopt;
  const std::uint64_t batch = options.other_batch();
  if (options.in_seconds()) return schedule.level_seconds(*options.machine, workers, options.scope, batch);
  const std::uint64_t flops = schedule.level_makespan(CostUnit::flops, workers, options.scope, batch);
  return static_cast<double>(flops) / static_cast<double>(schedule.inputs());
}

/// As Candidate::time_interval.
std::optional<Interval> time_interval(const CountedSchedule& schedule, const SearchOptions& options,
                                      std::uint64_t workers) {
  if (!options.in_seconds()) return std::nullopt;
  const auto seconds = [&](bool high) -> std::optional<double> {
    const std::optional<Machine> bound = at_bound(*options.machine, high);
    if (!bound) return std::nullopt;
    return options.execution == Execution::level
               ? std::optional(schedule.level_seconds(*bound, workers, options.scope, options.batch))
               : schedule.dag_seconds(*bound, workers, options.scope);
  };
  const std::optional<double> low = seconds(false);
  const std::optional<double> high = seconds(true);
  return low && high ? std::optional(Interval{*low, *high}) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> score_flops(const Candidate& candidate, const SearchOptions& options) {
  switch (options.objective) {
    case Objective::time:
      if (const std::optional<Makespan> makespan = candidate.pram.makespan(options.execution)) return makespan->flops;
      return std::nullopt;
    case Objective::critical_flops:
      return candidate.totals.critical_path(options.execution);
    case Objective::work_flops:
      return candidate.totals.flops;
  }
  throw std::logic_error("unknown objective");
}

std::vector<Schedule> depth_candidates(std::size_t length) {
  std::vector<Schedule> schedules;
  for (std::uint32_t depth = 0; depth <= max_depth(length); ++depth)
    schedules.push_back(hybrid_schedule(length, depth));
  return schedules;
}

std::vector<Schedule> scheme_candidates(std::size_t length, std::size_t workers) {
  std::vector<Schedule> schedules;
  for (const std::string& name : scheme_names(length, workers))
    schedules.push_back(make_schedule(parse_schedule(name), length));
  return schedules;
}

Candidate score_schedule(const CountedSchedule& schedule, const SearchOptions& options, std::uint64_t workers,
                         const Candidate* linear) {
  Candidate candidate;
  candidate.depth = schedule.depth();
  candidate.schedule = schedule.name();
  candidate.levels = schedule.levels();
  count_score(schedule, options, workers, candidate);
  candidate.is_plain = linear == nullptr || candidate.totals.ops == linear->totals.ops;
  find_intervals(schedule, options, workers, candidate);
  candidate.time_interval = time_interval(schedule, options, workers);
  if (options.machine != nullptr) {
    for (std::size_t i = 0; i < kLaunchModes.size(); ++i) {
      if (!can_launch(*options.machine, kLaunchModes[i])) continue;
      candidate.launch_s[i] = kLaunchModes[i] == options.machine->launch
                                  ? candidate.level_s
                                  : schedule.level_seconds(launched(*options.machine, kLaunchModes[i]), workers,
                                                           options.scope, options.batch);
    }
  }
  try {
    candidate.batched_score = batched_score(schedule, options, workers);
  } catch (const CountOverflow&) {
    candidate.batched_score.reset();  // so long a chain is scored without it
  }
  if (options.memory_limit)
    candidate.reason = memory_reason(schedule, options.scope, options.batch, *options.memory_limit);
  candidate.feasible = candidate.reason.empty();
  if (options.machine != nullptr) {
    candidate.binding =
        binding_of(schedule, *options.machine, workers, options.execution, options.scope, options.batch);
  }
  return candidate;
}

ScoreBound score_bound(const ScheduleProfile& least, const SearchOptions& options, std::uint64_t workers) {
  const std::unique_ptr<CountedSchedule> schedule = counted(least, options.value_bytes);
  const Totals totals = schedule->sums(options.scope, true).totals;
  const std::uint64_t flops = checked_mul(totals.flops, options.batch);
  ScoreBound bound{flops, shared_makespan(schedule->shared(options.scope), workers, options.batch)};
  const std::uint64_t path = totals.critical_path(options.execution);
  if (options.objective == Objective::critical_flops) bound.score = path;
  if (options.objective == Objective::time) bound.score = std::max(path, ceil_div(flops, workers));
  return bound;
}

SearchResult compare_schedules(std::span<const std::unique_ptr<CountedSchedule>> schedules,
                               const SearchOptions& options, std::uint64_t workers,
                               std::span<const UncountedSchedule> uncounted) {
  SearchResult result;
  result.options = options;
  result.inputs = schedules.front()->inputs();
  result.workers = workers;
  OvertakingSearch overtaking(options);
  for (const std::unique_ptr<CountedSchedule>& schedule : schedules) {
    const Candidate* linear = result.candidates.empty() ? nullptr : &result.linear();
    Candidate candidate = score_schedule(*schedule, options, workers, linear);
    if (candidate.feasible) overtaking.add(*schedule, candidate.totals, candidate.is_plain);
    (candidate.depth ? result.candidates : result.schemes).push_back(std::move(candidate));
  }
  const auto inputs = static_cast<double>(result.inputs);
  for (const UncountedSchedule& mine : uncounted) {
    const ScoreBound bound = score_bound(mine.least, options, result.workers);
    Uncounted left{mine.least.schedule.name, mine.least.schedule.hybrid_depth()};
    left.is_plain = is_plain_schedule(left.schedule);
    left.pairs = mine.pairs;
    if (!options.in_seconds()) left.bound = static_cast<double>(bound.score) / inputs;
    left.shared_bound = static_cast<double>(bound.shared) / inputs;
    const std::unique_ptr<CountedSchedule> least = counted(mine.least, options.value_bytes);
    if (!left.is_plain) overtaking.add_least(*least, least->sums(options.scope, true).totals);
    result.uncounted.push_back(std::move(left));
  }
  if (result.linear().feasible) result.overtakes = overtaking.result();
  finish_search(result);
  return result;
}

SearchResult search_depth(const std::vector<ScheduleProfile>& profiles, const SearchOptions& options,
                          const std::vector<UncountedSchedule>& uncounted) {
  if (profiles.empty() || !profiles.front().schedule.hybrid_depth()) {
    throw std::invalid_argument("search_depth needs the profile of depth 0 first");
  }
  std::vector<std::unique_ptr<CountedSchedule>> schedules;
  std::uint64_t widest = 1;
  for (const ScheduleProfile& profile : profiles) {
    schedules.push_back(counted(profile, options.value_bytes));
    if (profile.schedule.hybrid_depth()) widest = std::max<std::uint64_t>(widest, widest_level(profile.schedule));
  }
  return compare_schedules(schedules, options, options.workers.value_or(widest), uncounted);
}

}  // namespace upsweep

#include "upsweep/search/chain_search.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/profile/homogeneous_schedule.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/search/depth.hpp"
#include "upsweep/search/overtaking.hpp"
#include "upsweep/sim/homogeneous.hpp"

namespace upsweep {
namespace {

std::vector<HomogeneousProfile> all_depths(const HomogeneousChain& chain, unsigned value_bytes) {
  std::vector<HomogeneousProfile> profiles = {profile_homogeneous(chain, 0, value_bytes)};
  for (std::uint32_t depth = 1; depth <= max_depth(chain.length()); ++depth)
    profiles.push_back(profile_homogeneous(chain, depth, value_bytes));
  return profiles;
}

/// No makespan of the schedule is below this. Under `dag` every inner combine of the up-sweep has started before the
/// middle does (see ScanCounts), and what then still runs has at most the most expensive one to go.
std::uint64_t least_makespan(const HomogeneousProfile& profile, Execution execution, Scope scope,
                             std::uint64_t workers) {
  const Totals sums = totals(profile, scope);
  std::uint64_t least = std::max(sums.critical_path(execution), (sums.flops - 1) / workers + 1);
  std::uint64_t up = 0;
  std::uint64_t middle = 0;
  for (const LevelRun& run : profile.runs) {
    const HomogeneousLevel& level = run.cycle.front();
    if (level.profile.phase == Phase::middle) middle = run.levels * level.profile.flops_max;
    if (level.profile.phase != Phase::up) continue;
    for (const OpRun& ops : level.runs) up += ops.is_mv || ops.dead ? 0 : ops.count * ops.flops;
  }
  const std::uint64_t dearest = profile.all.flops_max;
  if (profile.depth > 0 && up / workers > dearest) least = std::max(least, up / workers - dearest + middle);
  return least;
}

/// The best depth with these workers where it beats `linear` FLOPs. Sets `gave_up` where a simulation did.
std::optional<Overtaking> overtaking_with(const std::vector<HomogeneousProfile>& profiles, Execution execution,
                                          Scope scope, std::uint64_t workers, bool& gave_up) {
  const std::uint64_t linear = totals(profiles.front(), scope).flops;
  std::optional<Overtaking> best;
  for (const HomogeneousProfile& profile : profiles) {
    const std::uint64_t to_beat = best ? best->scan_flops : linear;
    if (profile.depth == 0 || least_makespan(profile, execution, scope, workers) >= to_beat) continue;
    const std::optional<std::uint64_t> flops =
        execution == Execution::level ? homogeneous_level_makespan(profile, CostUnit::flops, workers, scope)
                                      : homogeneous_dag_makespan(profile, CostUnit::flops, workers, scope);
    gave_up = gave_up || !flops;
    if (flops && *flops < to_beat) best = {workers, profile.depth, *flops, linear};
  }
  return best;
}

/// The smallest number of `low`..`high` for which `holds`, which holds for `high` and all after the first.
template <class Predicate>
std::uint64_t first_that(std::uint64_t low, std::uint64_t high, Predicate holds) {
  while (low < high) {
    const std::uint64_t half = low + (high - low) / 2;
    if (holds(half)) {
      high = half;
    } else {
      low = half + 1;
    }
  }
  return low;
}

/// As hybrid_overtaking(). Sets `gave_up` where a simulation did.
std::optional<Overtaking> first_overtaking(const std::vector<HomogeneousProfile>& profiles, Execution execution,
                                           Scope scope, std::uint64_t most_workers, bool& gave_up) {
  const std::uint64_t linear = totals(profiles.front(), scope).flops;
  const auto possible = [&](std::uint64_t workers) {
    return std::ranges::any_of(profiles, [&](const HomogeneousProfile& profile) {
      return profile.depth > 0 && least_makespan(profile, execution, scope, workers) < linear;
    });
  };
  const auto overtakes = [&](std::uint64_t workers) {
    return overtaking_with(profiles, execution, scope, workers, gave_up).has_value();
  };
  if (most_workers == 0 || !possible(most_workers)) return std::nullopt;
  std::uint64_t workers = first_that(1, most_workers, possible);
  if (execution == Execution::level) {
    if (!overtakes(most_workers)) return std::nullopt;
    workers = first_that(workers, most_workers, overtakes);
  }
  for (; workers <= most_workers && !gave_up; ++workers) {
    const std::optional<Overtaking> found = overtaking_with(profiles, execution, scope, workers, gave_up);
    if (found && !gave_up) return found;
  }
  return std::nullopt;
}

}  // namespace

SearchResult search_chain(const HomogeneousChain& chain, const SearchOptions& options, std::uint64_t scheme_elements) {
  if (options.workers == 0) throw std::invalid_argument("search_chain needs at least 1 worker");
  SearchResult result;
  result.options = options;
  const std::vector<HomogeneousProfile> profiles = all_depths(chain, options.value_bytes);
  for (const HomogeneousProfile& profile : profiles) result.workers = std::max(result.workers, profile.widest);
  result.workers = options.workers ? *options.workers : checked_mul(result.workers, options.batch);
  OvertakingSearch overtaking(options);
  const auto score = [&](const CountedSchedule& schedule, std::vector<Candidate>& candidates, bool is_whole_known) {
    const Candidate* linear = result.candidates.empty() ? nullptr : &result.linear();
    candidates.push_back(score_schedule(schedule, options, result.workers, linear));
    const Candidate& candidate = candidates.back();
    if (candidate.feasible) overtaking.add(schedule, candidate.totals, candidate.is_plain, is_whole_known);
  };
  const bool has_closed_form = options.batch == 1;  // of the fewest workers with which a depth overtakes
  std::vector<HomogeneousProfile> feasible;
  for (const HomogeneousProfile& profile : profiles) {
    score(*counted(profile), result.candidates, has_closed_form);
    if (result.candidates.back().feasible) feasible.push_back(profile);
  }
  if (has_whole_ops(options.machine) && has_closed_form) {
    bool gave_up = false;
    result.overtaking = first_overtaking(profiles, options.execution, options.scope, chain.elements, gave_up);
    std::optional<Overtaking> fitting = result.overtaking;  // without the depths that do not fit
    if (feasible.size() < profiles.size() && result.linear().feasible)
      fitting = first_overtaking(feasible, options.execution, options.scope, chain.elements, gave_up);
    OvertakingWorkers whole{!gave_up, fitting ? std::optional(fitting->workers) : std::nullopt};
    if (fitting) whole.scan = result.candidates[fitting->depth].schedule;
    whole.is_followed = options.execution == Execution::level;  // where more workers never hurt
    if (whole.is_followed) whole.always_from = whole.from;
    overtaking.set_whole(whole);
  }
  if (chain.elements <= scheme_elements) {
    for (Schedule& scheme : scheme_candidates(chain.length(), result.workers)) {
      const ScheduleProfile profile = profile_homogeneous_schedule(std::move(scheme), chain, options.value_bytes);
      score(*counted(profile, options.value_bytes), result.schemes, false);
    }
  }
  if (result.linear().feasible) result.overtakes = overtaking.result();
  finish_search(result);
  return result;
}

std::optional<Overtaking> hybrid_overtaking(const HomogeneousChain& chain, Execution execution, Scope scope,
                                            std::uint64_t most_workers) {
  bool gave_up = false;
  return first_overtaking(all_depths(chain, 4), execution, scope, most_workers, gave_up);
}

}  // namespace upsweep

#include "upsweep/search/homogeneous.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "upsweep/profile/homogeneous_schedule.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

std::vector<HomogeneousProfile> all_depths(const HomogeneousChain& chain, unsigned value_bytes) {
  std::vector<HomogeneousProfile> profiles = {profile_homogeneous(chain, 0, value_bytes)};
  for (std::uint32_t depth = 1; depth <= max_depth(chain.length()); ++depth)
    profiles.push_back(profile_homogeneous(chain, depth, value_bytes));
  return profiles;
}

std::optional<double> score(const HomogeneousCandidate& candidate, const SearchOptions& options) {
  switch (options.objective) {
    case Objective::time:
      if (options.execution == Execution::level) return static_cast<double>(candidate.pram.level.flops);
      return candidate.pram.dag ? std::optional(static_cast<double>(candidate.pram.dag->flops)) : std::nullopt;
    case Objective::critical_flops:
      return static_cast<double>(candidate.totals.critical_path(options.execution));
    case Objective::work_flops:
      return static_cast<double>(candidate.totals.flops);
  }
  throw std::logic_error("unknown objective");
}

/// Why the first product that does not fit into the limit does not, or nothing.
std::string chain_product_reason(const HomogeneousProfile& profile, std::uint64_t limit, Scope scope) {
  std::uint64_t id = 0;
  for (const LevelRun& run : profile.runs) {
    std::uint64_t start = id;  // of a level of the cycle
    for (std::size_t i = 0; i < run.cycle.size(); ++i) {
      for (const OpRun& ops : run.cycle[i].runs) {
        if (ops.bytes > limit && (scope == Scope::all || !ops.dead)) {
          return fmt::format("op {}: its {} x {} product takes {} bytes, more than --memory {}", start,
                             profile.chain.size, ops.is_mv ? 1 : profile.chain.size, ops.bytes, limit);
        }
        start += ops.count;
      }
      id += run.times(i) * run.cycle[i].profile.ops;
    }
  }
  return {};
}

HomogeneousCandidate evaluate(const HomogeneousProfile& profile, const SearchOptions& options, std::uint64_t workers) {
  HomogeneousCandidate candidate;
  candidate.depth = profile.depth;
  candidate.schedule = profile.schedule;
  candidate.levels = profile.levels;
  candidate.totals = totals(profile, options.scope);
  candidate.pram = homogeneous_pram(profile, workers, options.scope);
  candidate.score = score(candidate, options);
  if (options.memory_limit) {
    candidate.reason = chain_product_reason(profile, *options.memory_limit, options.scope);
    if (candidate.reason.empty() && candidate.pram.peak_live_bytes > *options.memory_limit) {
      candidate.reason = fmt::format("peak live bytes are {}, more than --memory {}", candidate.pram.peak_live_bytes,
                                     *options.memory_limit);
    }
  }
  candidate.feasible = candidate.reason.empty();
  return candidate;
}

HomogeneousCandidate evaluate(const ScheduleProfile& profile, const SearchOptions& options, std::uint64_t workers) {
  Candidate scored = score_schedule(profile, options, workers);
  const PramProfile& pram = scored.pram;
  HomogeneousCandidate candidate;
  candidate.schedule = std::move(scored.schedule);
  candidate.feasible = scored.feasible;
  candidate.reason = std::move(scored.reason);
  candidate.score = scored.score;
  candidate.levels = scored.levels;
  candidate.totals = scored.totals;
  candidate.pram = {workers, pram.steps, pram.work, pram.per_step_flops, pram.level, pram.dag, pram.peak_live_bytes};
  return candidate;
}

/// The best of the first `count` candidates and schemes, and by how much.
struct HomogeneousChoice {
  std::optional<std::size_t> best;
  std::optional<double> margin;
};

HomogeneousChoice choose(const HomogeneousSearchResult& result, std::size_t count) {
  const auto score_of = [&](std::size_t i) { return *result.at(i).score; };
  std::optional<std::size_t> best;
  std::optional<std::size_t> runner_up;
  for (std::size_t i = 0; i < count; ++i) {
    if (!result.at(i).feasible) continue;
    if (!result.at(i).score) return {};  // it might be the best
    if (!best || score_of(i) < score_of(*best)) {
      runner_up = std::exchange(best, i);
    } else if (!runner_up || score_of(i) < score_of(*runner_up)) {
      runner_up = i;
    }
  }
  HomogeneousChoice choice{best, std::nullopt};
  if (runner_up && score_of(*best) > 0) choice.margin = score_of(*runner_up) / score_of(*best) - 1;
  return choice;
}

/// Says of each candidate and scheme which one before it has the same figures.
void mark_equal(HomogeneousSearchResult& result) {
  const auto equal = [](const HomogeneousCandidate& a, const HomogeneousCandidate& b) {
    return a.levels == b.levels && a.totals == b.totals && a.pram == b.pram;
  };
  const std::size_t depths = result.candidates.size();
  for (std::size_t i = 0; i < result.size(); ++i) {
    HomogeneousCandidate& mine = i < depths ? result.candidates[i] : result.schemes[i - depths];
    std::size_t same = 0;
    while (same < i && !equal(mine, result.at(same))) ++same;
    if (same == i) continue;
    mine.same_as = result.at(same).depth;
    if (!mine.same_as) mine.same_scheme = result.at(same).schedule;
  }
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

}  // namespace

HomogeneousSearchResult search_homogeneous(const HomogeneousChain& chain, const SearchOptions& options,
                                           std::uint64_t scheme_elements) {
  if (options.machine != nullptr) throw std::invalid_argument("search_homogeneous scores without a machine");
  HomogeneousSearchResult result;
  result.options = options;
  result.reference = homogeneous_reference(chain, options.value_bytes);
  const std::vector<HomogeneousProfile> profiles = all_depths(chain, options.value_bytes);
  for (const HomogeneousProfile& profile : profiles) result.workers = std::max(result.workers, profile.widest);
  if (options.workers) result.workers = *options.workers;
  for (const HomogeneousProfile& profile : profiles)
    result.candidates.push_back(evaluate(profile, options, result.workers));
  if (chain.elements <= scheme_elements) {
    for (Schedule& scheme : scheme_candidates(chain.length(), result.workers)) {
      const ScheduleProfile profile = profile_homogeneous_schedule(std::move(scheme), chain, options.value_bytes);
      result.schemes.push_back(evaluate(profile, options, result.workers));
    }
  }
  mark_equal(result);
  const HomogeneousChoice depth = choose(result, result.candidates.size());
  result.best = depth.best;
  result.margin = depth.margin;
  const HomogeneousChoice any = choose(result, result.size());
  result.best_scheme = any.best;
  result.scheme_margin = any.margin;
  return result;
}

std::optional<Overtaking> overtaking_workers(const HomogeneousChain& chain, Execution execution, Scope scope,
                                             std::uint64_t most_workers) {
  const std::vector<HomogeneousProfile> profiles = all_depths(chain, 4);
  const std::uint64_t linear = totals(profiles.front(), scope).flops;
  bool gave_up = false;
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

}  // namespace upsweep

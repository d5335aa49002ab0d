#include "upsweep/search/depth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

#include "point_rules.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

std::uint64_t score_flops(const Candidate& candidate, const SearchOptions& options) {
  switch (options.objective) {
    case Objective::time:
      return candidate.pram.makespan(options.execution).flops;
    case Objective::critical_flops:
      return candidate.totals.critical_path(options.execution);
    case Objective::work_flops:
      return candidate.totals.flops;
  }
  throw std::logic_error("unknown objective");
}

/// Why the candidate does not fit into `limit` bytes, or nothing. Byte counts are sums over the inputs, so is the
/// limit.
std::string memory_reason(const ScheduleProfile& profile, const Candidate& candidate, const SearchOptions& options) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit =
      *options.memory_limit > most / profile.inputs ? most : *options.memory_limit * profile.inputs;
  const std::vector<bool> runs = in_scope(profile, options.scope);
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    const OpProfile& op = profile.ops[id];
    if (runs[id] && op.bytes > limit) {
      return fmt::format("op {}: its {} x {} product takes {} bytes, more than --memory {}", id, op.m, op.n,
                         rounded_up(op.bytes, profile.inputs), *options.memory_limit);
    }
  }
  if (candidate.pram.peak_live_bytes > limit) {
    return fmt::format("peak live bytes are {}, more than --memory {}",
                       rounded_up(candidate.pram.peak_live_bytes, profile.inputs), *options.memory_limit);
  }
  return {};
}

/// The best of the first `count` candidates and schemes, and by how much.
struct Choice {
  std::optional<std::size_t> best;
  std::optional<double> margin;
};

Choice choose(const SearchResult& result, std::size_t count) {
  const auto score = [&](std::size_t i) { return result.at(i).score; };
  Choice choice;
  std::optional<std::size_t> runner_up;
  for (std::size_t i = 0; i < count; ++i) {
    if (!result.at(i).feasible) continue;
    if (!choice.best || score(i) < score(*choice.best)) {
      runner_up = std::exchange(choice.best, i);
    } else if (!runner_up || score(i) < score(*runner_up)) {
      runner_up = i;
    }
  }
  if (runner_up && score(*choice.best) > 0) choice.margin = score(*runner_up) / score(*choice.best) - 1;
  return choice;
}

void mark_equal(std::vector<Candidate>& candidates, std::vector<Candidate>& schemes) {
  const auto equal = [](const Candidate& a, const Candidate& b) {
    return a.levels == b.levels && a.totals == b.totals && a.pram == b.pram;
  };
  const auto first_equal = [&](const Candidate& one, const std::vector<Candidate>& all, std::size_t count) {
    std::size_t i = 0;
    while (i < count && !equal(one, all[i])) ++i;
    return i;
  };
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::size_t same = first_equal(candidates[i], candidates, i);
    if (same < i) candidates[i].same_as = candidates[same].depth;
  }
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    const std::size_t depth = first_equal(schemes[i], candidates, candidates.size());
    if (depth < candidates.size()) {
      schemes[i].same_as = candidates[depth].depth;
      continue;
    }
    const std::size_t same = first_equal(schemes[i], schemes, i);
    if (same < i) schemes[i].same_scheme = schemes[same].schedule;
  }
}

}  // namespace

std::string to_string(Objective objective) {
  switch (objective) {
    case Objective::time:
      return "time";
    case Objective::critical_flops:
      return "critical-flops";
    case Objective::work_flops:
      return "work-flops";
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
  std::vector<Schedule> schedules = {kogge_stone_schedule(length), sklansky_schedule(length),
                                     brent_kung_schedule(length), recursive_doubling_schedule(length),
                                     cyclic_reduction_schedule(length)};
  const std::size_t elements = length - 1;
  constexpr std::size_t kFewest = 3;
  constexpr std::size_t kAlways = 4;
  std::set<std::size_t> counts = {kAlways, workers, workers + 1};
  for (std::size_t blocks = kAlways; blocks < std::min(workers, elements + 1); blocks *= 2) counts.insert(blocks);
  for (const std::size_t blocks : counts) {
    if (blocks >= kFewest && blocks <= elements) schedules.push_back(blocked_schedule(length, blocks));
  }
  return schedules;
}

Candidate score_schedule(const ScheduleProfile& profile, const SearchOptions& options, std::size_t workers) {
  Candidate candidate;
  candidate.depth = profile.schedule.hybrid_depth();
  candidate.schedule = profile.schedule.name;
  candidate.levels = profile.schedule.levels;
  candidate.totals = totals(profile, options.scope);
  candidate.pram = pram_profile(profile, workers, options.scope);
  if (options.machine != nullptr) {
    const auto predict = [&](Execution execution) {
      return predict_time(profile, *options.machine, workers, execution, options.value_bytes, options.scope);
    };
    candidate.level_time = predict(Execution::level);
    candidate.dag_time = predict(Execution::dag);
  }
  if (options.in_seconds()) {
    candidate.score =
        options.execution == Execution::level ? candidate.level_time->seconds : candidate.dag_time->seconds;
  } else {
    candidate.score = static_cast<double>(score_flops(candidate, options)) / static_cast<double>(profile.inputs);
  }
  if (options.memory_limit) candidate.reason = memory_reason(profile, candidate, options);
  candidate.feasible = candidate.reason.empty();
  return candidate;
}

SearchResult search_depth(const std::vector<ScheduleProfile>& profiles, const SearchOptions& options) {
  if (profiles.empty() || !profiles.front().schedule.hybrid_depth()) {
    throw std::invalid_argument("search_depth needs the profile of depth 0 first");
  }
  SearchResult result;
  result.options = options;
  result.inputs = profiles.front().inputs;
  for (const ScheduleProfile& profile : profiles) {
    if (profile.schedule.hybrid_depth()) result.workers = std::max(result.workers, widest_level(profile.schedule));
  }
  result.workers = options.workers.value_or(result.workers);
  for (const ScheduleProfile& profile : profiles) {
    Candidate candidate = score_schedule(profile, options, result.workers);
    (candidate.depth ? result.candidates : result.schemes).push_back(std::move(candidate));
  }
  mark_equal(result.candidates, result.schemes);
  const Choice depth = choose(result, result.candidates.size());
  result.best = depth.best;
  result.margin = depth.margin;
  const Choice any = choose(result, result.size());
  result.best_scheme = any.best;
  result.scheme_margin = any.margin;
  return result;
}

}  // namespace upsweep

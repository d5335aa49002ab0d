#include "upsweep/search/depth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

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
                         op.bytes / profile.inputs, *options.memory_limit);
    }
  }
  if (candidate.pram.peak_live_bytes > limit) {
    return fmt::format("peak live bytes are {}, more than --memory {}", candidate.pram.peak_live_bytes / profile.inputs,
                       *options.memory_limit);
  }
  return {};
}

Candidate evaluate(const ScheduleProfile& profile, const SearchOptions& options, std::size_t workers) {
  Candidate candidate;
  candidate.depth = profile.schedule.depth;
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

void choose(SearchResult& result) {
  const auto better = [&](std::size_t a, std::size_t b) {
    return result.candidates[a].score < result.candidates[b].score;
  };
  std::optional<std::size_t> runner_up;
  for (std::size_t i = 0; i < result.candidates.size(); ++i) {
    if (!result.candidates[i].feasible) continue;
    if (!result.best || better(i, *result.best)) {
      runner_up = std::exchange(result.best, i);
    } else if (!runner_up || better(i, *runner_up)) {
      runner_up = i;
    }
  }
  if (runner_up && result.candidates[*result.best].score > 0) {
    result.margin = result.candidates[*runner_up].score / result.candidates[*result.best].score - 1;
  }
}

void mark_equal(std::vector<Candidate>& candidates) {
  const auto equal = [](const Candidate& a, const Candidate& b) {
    return a.levels == b.levels && a.totals == b.totals && a.pram == b.pram;
  };
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (std::size_t j = 0; j < i && !candidates[i].same_as; ++j) {
      if (equal(candidates[i], candidates[j])) candidates[i].same_as = candidates[j].depth;
    }
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

SearchResult search_depth(const std::vector<ScheduleProfile>& profiles, const SearchOptions& options) {
  if (profiles.empty()) throw std::invalid_argument("search_depth needs at least one profile");
  SearchResult result;
  result.options = options;
  result.inputs = profiles.front().inputs;
  for (const ScheduleProfile& profile : profiles)
    result.workers = std::max(result.workers, widest_level(profile.schedule));
  result.workers = options.workers.value_or(result.workers);
  for (const ScheduleProfile& profile : profiles)
    result.candidates.push_back(evaluate(profile, options, result.workers));
  mark_equal(result.candidates);
  choose(result);
  return result;
}

}  // namespace upsweep

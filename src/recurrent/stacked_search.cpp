#include "upsweep/recurrent/stacked_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

constexpr StackedKind kScans[] = {StackedKind::layers_then_time, StackedKind::layer_by_layer,
                                  StackedKind::products_ahead};

std::uint32_t largest_depth(const StackedShape& shape) { return shape.steps < 2 ? 0 : max_depth(shape.steps + 1); }

void add_depth(std::vector<StackedMethod>& methods, StackedKind kind, std::uint32_t depth) {
  if (kind != StackedKind::products_ahead || depth > 0) methods.push_back({kind, TimeScan::hybrid, depth});
}

std::uint64_t score(const StackedCandidate& candidate, StackedObjective objective) {
  switch (objective) {
    case StackedObjective::time:
      return candidate.makespan.flops;
    case StackedObjective::critical_flops:
      return candidate.profile.critical_path_flops;
    case StackedObjective::work_flops:
      return checked_add(candidate.profile.flops, candidate.profile.addition_flops);
  }
  throw std::logic_error("unknown objective");
}

StackedCandidate evaluate(StackedProfile profile, const StackedSearchOptions& options, std::uint64_t workers) {
  StackedCandidate candidate;
  candidate.makespan = stacked_makespan(profile, workers);
  candidate.profile = std::move(profile);
  candidate.score = score(candidate, options.objective);
  if (options.memory_limit && candidate.profile.memory_bytes > *options.memory_limit) {
    candidate.feasible = false;
    candidate.reason =
        fmt::format("it takes {} bytes, more than --memory {}", candidate.profile.memory_bytes, *options.memory_limit);
  }
  return candidate;
}

void choose(StackedSearchResult& result) {
  const auto score_of = [&](std::size_t i) { return result.candidates[i].score; };
  std::optional<std::size_t> runner_up;
  for (std::size_t i = 0; i < result.candidates.size(); ++i) {
    if (!result.candidates[i].feasible) continue;
    if (!result.best || score_of(i) < score_of(*result.best)) {
      runner_up = std::exchange(result.best, i);
    } else if (!runner_up || score_of(i) < score_of(*runner_up)) {
      runner_up = i;
    }
  }
  if (runner_up && score_of(*result.best) > 0)
    result.margin = static_cast<double>(score_of(*runner_up)) / static_cast<double>(score_of(*result.best)) - 1;
}

/// The fastest of all that beat the wavefront with these workers.
std::optional<StackedOvertaking> overtaking_with(const StackedSearchResult& result, std::uint64_t workers) {
  const std::uint64_t wavefront = stacked_makespan(result.wavefront().profile, workers).flops;
  std::optional<StackedOvertaking> best;
  for (std::size_t i = 1; i < result.candidates.size(); ++i) {
    const StackedProfile& profile = result.candidates[i].profile;
    const std::uint64_t to_beat = best ? best->flops : wavefront;
    const std::uint64_t shared = checked_add(profile.flops, profile.addition_flops) / workers;
    if (std::max(shared, profile.critical_path_flops) >= to_beat) continue;
    const std::uint64_t flops = stacked_makespan(profile, workers).flops;
    if (flops < to_beat) best = {workers, profile.method, flops, wavefront};
  }
  return best;
}

}  // namespace

std::string to_string(StackedObjective objective) {
  switch (objective) {
    case StackedObjective::time:
      return "time";
    case StackedObjective::critical_flops:
      return "critical-flops";
    case StackedObjective::work_flops:
      return "work-flops";
  }
  throw std::logic_error("unknown objective");
}

std::vector<StackedMethod> stacked_methods(const StackedShape& shape) {
  std::vector<StackedMethod> methods = {{}};
  for (const StackedKind kind : kScans) {
    for (std::uint32_t depth = 0; depth <= largest_depth(shape); ++depth) add_depth(methods, kind, depth);
    if (shape.steps > 1) methods.push_back({kind, TimeScan::kogge_stone, 0});
  }
  return methods;
}

std::vector<StackedMethod> stacked_methods(const StackedShape& shape, std::uint32_t depth) {
  std::vector<StackedMethod> methods = {{}};
  for (const StackedKind kind : kScans) {
    add_depth(methods, kind, std::min(depth, largest_depth(shape)));
    if (shape.steps > 1) methods.push_back({kind, TimeScan::kogge_stone, 0});
  }
  return methods;
}

StackedSearchResult compare_stacked(const StackedShape& shape, const std::vector<StackedMethod>& methods,
                                    const StackedSearchOptions& options) {
  if (methods.empty() || methods.front().kind != StackedKind::wavefront)
    throw std::invalid_argument("compare_stacked needs the wavefront as the first of its methods");
  StackedSearchResult result;
  result.options = options;
  result.shape = shape;
  std::vector<StackedProfile> profiles;
  for (const StackedMethod& method : methods) {
    profiles.push_back(profile_stacked(shape, method, options.value_bytes));
    result.workers = std::max(result.workers, profiles.back().widest);
  }
  if (options.workers) result.workers = *options.workers;
  for (StackedProfile& profile : profiles)
    result.candidates.push_back(evaluate(std::move(profile), options, result.workers));
  choose(result);
  return result;
}

std::optional<StackedOvertaking> overtaking_wavefront(const StackedSearchResult& result) {
  const std::uint64_t steady = std::max<std::uint64_t>(result.wavefront().profile.widest, 1);
  for (std::uint64_t workers = 1; workers <= steady; ++workers) {
    if (const auto found = overtaking_with(result, workers)) return found;
  }
  std::uint64_t high = steady;
  for (const StackedCandidate& candidate : result.candidates) high = std::max(high, candidate.profile.widest);
  if (!overtaking_with(result, high)) return std::nullopt;
  std::uint64_t low = steady + 1;
  while (low < high) {
    const std::uint64_t half = low + (high - low) / 2;
    if (overtaking_with(result, half)) {
      high = half;
    } else {
      low = half + 1;
    }
  }
  return overtaking_with(result, low);
}

}  // namespace upsweep

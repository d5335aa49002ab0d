#include "upsweep/search/stacked_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

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

std::uint64_t score(const Candidate& candidate, Objective objective) {
  switch (objective) {
    case Objective::time:
      return candidate.pram.level.flops;
    case Objective::critical_flops:
      return candidate.totals.critical_path_level;
    case Objective::work_flops:
      return candidate.totals.flops;
  }
  throw std::logic_error("unknown objective");
}

/// A scan over no step of one layer after the other is back-propagation in another order.
bool multiplies_jacobians(const StackedMethod& method) {
  if (method.kind == StackedKind::wavefront) return false;
  return method.kind != StackedKind::layer_by_layer || method.scan != TimeScan::hybrid || method.depth > 0;
}

Candidate evaluate(const StackedProfile& profile, const SearchOptions& options, std::uint64_t workers) {
  Candidate candidate;
  candidate.schedule = to_string(profile.method);
  candidate.is_plain = !multiplies_jacobians(profile.method);
  candidate.levels = checked_add(profile.levels, profile.addition_levels);
  const std::uint64_t batch = options.batch;
  candidate.totals.ops = checked_mul(checked_add(profile.products.matrix, profile.products.vector), batch);
  candidate.totals.flops = checked_mul(checked_add(profile.flops, profile.addition_flops), batch);
  candidate.totals.critical_path_level = profile.critical_path_flops;
  candidate.pram.workers = workers;
  candidate.pram.level = stacked_makespan(profile, workers, batch);
  candidate.pram.steps = candidate.pram.level.unit;
  const SharedWork shared = shared_work(profile);
  candidate.pram.shared_flops = shared_makespan(shared, workers, batch);
  candidate.pram.shared_bound_flops = shared_bound(shared, workers, batch);
  candidate.pram.work = candidate.totals.ops;
  candidate.pram.per_step_flops = profile.per_step_flops;
  candidate.pram.peak_live_bytes = checked_mul(profile.memory_bytes, batch);
  candidate.has_dag_path = false;
  candidate.score = static_cast<double>(score(candidate, options.objective));
  if (options.memory_limit && candidate.pram.peak_live_bytes > *options.memory_limit) {
    candidate.feasible = false;
    candidate.reason = fmt::format("it takes {} bytes, more than the limit of {} bytes", candidate.pram.peak_live_bytes,
                                   *options.memory_limit);
  }
  return candidate;
}

/// The fastest of all that beat the wavefront with these workers.
std::optional<StackedOvertaking> overtaking_with(const StackedSearchResult& result, std::uint64_t workers) {
  const std::uint64_t wavefront = stacked_makespan(result.wavefront(), workers).flops;
  std::optional<StackedOvertaking> best;
  for (std::size_t i = 1; i < result.profiles.size(); ++i) {
    const StackedProfile& profile = result.profiles[i];
    const std::uint64_t to_beat = best ? best->flops : wavefront;
    const std::uint64_t shared = checked_add(profile.flops, profile.addition_flops) / workers;
    if (std::max(shared, profile.critical_path_flops) >= to_beat) continue;
    const std::uint64_t flops = stacked_makespan(profile, workers).flops;
    if (flops < to_beat) best = {workers, profile.method, flops, wavefront};
  }
  return best;
}

std::optional<Overtakes> overtakes_of(const StackedSearchResult& result) {
  std::vector<MakespanOfWorkers> whole_plain;
  std::vector<MakespanOfWorkers> whole_scans;
  std::vector<SharedWork> plain;
  std::vector<SharedWork> scans;
  std::vector<std::string> names;  // of the scans
  for (std::size_t i = 0; i < result.profiles.size(); ++i) {
    const StackedProfile& profile = result.profiles[i];
    if (!result.candidates[i].feasible) continue;
    const bool is_scan = multiplies_jacobians(profile.method);
    (is_scan ? whole_scans : whole_plain).emplace_back([&profile, batch = result.options.batch](std::uint64_t workers) {
      return stacked_makespan(profile, workers, batch).flops;
    });
    (is_scan ? scans : plain).push_back(shared_work(profile));
    if (is_scan) names.push_back(result.candidates[i].schedule);
  }
  if (scans.empty()) return std::nullopt;
  return Overtakes{overtaking_workers(whole_plain, whole_scans, names),
                   shared_overtaking(plain, scans, result.options.batch, names)};
}

}  // namespace

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
                                    const SearchOptions& options) {
  if (methods.empty() || methods.front().kind != StackedKind::wavefront)
    throw std::invalid_argument("compare_stacked needs the wavefront as the first of its methods");
  StackedSearchResult result;
  result.options = options;
  result.options.execution = Execution::level;
  result.shape = shape;
  for (const StackedMethod& method : methods) {
    result.profiles.push_back(profile_stacked(shape, method, options.value_bytes));
    result.workers = std::max(result.workers, result.profiles.back().widest);
  }
  result.workers = options.workers ? *options.workers : checked_mul(result.workers, options.batch);
  for (const StackedProfile& profile : result.profiles)
    result.candidates.push_back(evaluate(profile, options, result.workers));
  if (options.objective == Objective::time && result.linear().feasible) result.overtakes = overtakes_of(result);
  finish_search(result);
  return result;
}

std::optional<StackedOvertaking> overtaking_wavefront(const StackedSearchResult& result) {
  const std::uint64_t steady = std::max<std::uint64_t>(result.wavefront().widest, 1);
  for (std::uint64_t workers = 1; workers <= steady; ++workers) {
    if (const auto found = overtaking_with(result, workers)) return found;
  }
  std::uint64_t high = steady;
  for (const StackedProfile& profile : result.profiles) high = std::max(high, profile.widest);
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

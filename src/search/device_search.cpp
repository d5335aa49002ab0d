#include "upsweep/search/device_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/recurrent/pass_work.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

std::vector<BackwardMethod> methods_of(const PassShape& shape) {
  std::vector<BackwardMethod> methods{{}};
  const std::uint64_t elements = checked_mul(shape.is_fused ? 1 : 2, shape.steps);
  const std::uint32_t deepest = max_depth(elements + 1);
  for (std::uint32_t depth = 0; depth <= deepest; ++depth) methods.push_back({BackwardKind::levels, depth, {}});
  for (std::size_t blocks = 1; blocks <= std::min(shape.steps, kMostBlocks); blocks *= 2) {
    methods.push_back({BackwardKind::blocked, 0, {.blocks = blocks, .first_block = 1, .store_jacobians = false}});
    if (!shape.is_fused) break;
  }
  return methods;
}

/// Why a pass cannot be chosen; empty where it can.
std::string infeasible(const PredictedPass& pass, const PassShape& shape, std::uint64_t limit) {
  if (limit > 0 && pass.prediction.memory_bytes > limit) {
    return fmt::format("{} bytes exceed {}", pass.prediction.memory_bytes, limit);
  }
  if (!shape.is_fused && pass.method.kind == BackwardKind::blocked) {
    return fmt::format("a baseline only: {} has no unfused steps", to_string(pass.method));
  }
  return "";
}

/// Seconds by workers as numbers of which a smaller one is less time: a makespan is only ever compared.
std::uint64_t ordered(double seconds) { return std::bit_cast<std::uint32_t>(static_cast<float>(seconds)); }

/// What ops that workers share come to on a pram, and from how many workers on scans overtake by either rule.
void add_shared(const PassShape& shape, unsigned value_bytes, const DeviceAssumptions& assumptions,
                DeviceSearchResult& result) {
  constexpr std::uint64_t kMostEvaluations = 4096;
  std::vector<SharedWork> plain_work;
  std::vector<SharedWork> scan_work;
  std::vector<MakespanOfWorkers> plain_time;
  std::vector<MakespanOfWorkers> scan_time;
  std::vector<std::string> names;  // of the scans
  Machine machine = *result.options.machine;
  for (std::size_t i = 0; i < result.candidates.size(); ++i) {
    Candidate& candidate = result.candidates[i];
    const BackwardMethod& method = result.passes[i].method;
    SharedWork work = shared_work(shape, method);
    candidate.pram.shared_flops = shared_makespan(work, result.workers, shape.batch);
    candidate.pram.shared_bound_flops = shared_bound(work, result.workers, shape.batch);
    candidate.has_shared = true;
    if (!candidate.feasible) continue;
    if (!candidate.is_plain) names.push_back(candidate.schedule);
    (candidate.is_plain ? plain_work : scan_work).push_back(std::move(work));
    (candidate.is_plain ? plain_time : scan_time).emplace_back([&, method](std::uint64_t workers) {
      machine.rates.back().workers = workers;
      return ordered(predict_on_device(machine, shape, method, value_bytes, assumptions).hidden_s());
    });
  }
  if (scan_work.empty() || plain_work.empty()) return;
  result.overtakes = Overtakes{overtaking_workers(plain_time, scan_time, names, kMostWorkers, kMostEvaluations),
                               shared_overtaking(plain_work, scan_work, shape.batch, names)};
}

/// The fastest scan where it beats the baseline.
std::optional<std::string> overtaking_scan(const Machine& machine, const PassShape& shape,
                                           const BackwardMethod& baseline, unsigned value_bytes,
                                           const DeviceAssumptions& assumptions) {
  const auto seconds = [&](const BackwardMethod& method) {
    return predict_on_device(machine, shape, method, value_bytes, assumptions).hidden_s();
  };
  std::optional<std::string> best;
  double least = seconds(baseline);
  for (const BackwardMethod& method : methods_of(shape)) {
    if (!is_scan(method)) continue;
    const double found = seconds(method);
    if (found >= least) continue;
    least = found;
    best = to_string(method);
  }
  return best;
}

}  // namespace

Binding binding_of(Bound bound) {
  switch (bound) {
    case Bound::launch:
    case Bound::latency:
      return Binding::latency;
    case Bound::workers:
      return Binding::workers;
    case Bound::arithmetic:
      return Binding::arithmetic;
    case Bound::shared_memory:
    case Bound::memory:
      break;
  }
  return Binding::bandwidth;
}

std::string resource_text(Bound bound) {
  const std::string resource = to_string(binding_of(bound));
  if (bound == Bound::launch || bound == Bound::shared_memory) return resource + ": " + to_string(bound);
  return resource;
}

std::optional<Bound> bound_of(const DevicePrediction& prediction) {
  DevicePhase sum;
  for (const DevicePhase* phase : {&prediction.jacobians, &prediction.up, &prediction.middle, &prediction.down}) {
    for (std::size_t i = 0; i < kBounds; ++i) sum.parts_s[i] += phase->parts_s[i];
  }
  return sum.seconds() > 0 ? std::optional(sum.bound()) : std::nullopt;
}

std::uint64_t hidden_flops(const DevicePrediction& p) {
  return checked_add(checked_add(p.jacobians.flops, p.up.flops), checked_add(p.middle.flops, p.down.flops));
}

void add_pass(DeviceSearchResult& result, PredictedPass pass, const std::string& reason) {
  Candidate candidate;
  candidate.schedule = to_string(pass.method);
  candidate.is_plain = !is_scan(pass.method);
  if (pass.method.kind == BackwardKind::levels) candidate.depth = pass.method.depth;
  candidate.is_counted = candidate.has_shared = candidate.has_dag_path = false;
  candidate.totals.flops = hidden_flops(pass.prediction);
  candidate.pram.peak_live_bytes = pass.prediction.memory_bytes;
  candidate.score = candidate.level_s = pass.prediction.hidden_s();
  if (const std::optional<Bound> bound = bound_of(pass.prediction)) candidate.binding = binding_of(*bound);
  candidate.reason = reason;
  candidate.feasible = reason.empty();
  result.candidates.push_back(std::move(candidate));
  result.passes.push_back(std::move(pass));
}

DeviceSearchResult search_on_device(const Machine& machine, const PassShape& shape, unsigned value_bytes,
                                    const DeviceAssumptions& assumptions, std::optional<std::uint64_t> memory_limit) {
  return compare_on_device(machine, shape, methods_of(shape), value_bytes, assumptions, memory_limit);
}

DeviceSearchResult compare_on_device(const Machine& machine, const PassShape& shape,
                                     const std::vector<BackwardMethod>& methods, unsigned value_bytes,
                                     const DeviceAssumptions& assumptions, std::optional<std::uint64_t> memory_limit) {
  DeviceSearchResult result;
  result.options.execution = Execution::level;
  result.options.batch = shape.batch;
  result.options.memory_limit = memory_limit;
  result.options.machine = &machine;
  result.options.value_bytes = value_bytes;
  result.workers = machine.workers();
  const std::uint64_t limit = memory_limit.value_or(machine.memory_bytes);
  for (const BackwardMethod& method : methods) {
    PredictedPass pass{method, predict_on_device(machine, shape, method, value_bytes, assumptions)};
    const std::string reason = infeasible(pass, shape, limit);
    add_pass(result, std::move(pass), reason);
  }
  if (machine.kind == MachineKind::pram) add_shared(shape, value_bytes, assumptions, result);
  finish_search(result);
  return result;
}

DeviceOvertakingSearch overtaking_steps(const Machine& machine, PassShape shape, const BackwardMethod& baseline,
                                        unsigned value_bytes, const DeviceAssumptions& assumptions) {
  constexpr std::size_t kOneByOne = 64;
  const auto scan_at = [&](std::size_t steps) {
    shape.steps = steps;
    return overtaking_scan(machine, shape, baseline, value_bytes, assumptions);
  };
  std::size_t steps = 2;
  std::optional<std::string> scan = scan_at(steps);
  std::size_t below = 1;  // no scan is faster here
  while (!scan) {
    below = steps;
    steps = steps < kOneByOne ? steps + 1 : 2 * steps;
    if (steps > kMostOvertakingSteps) return {std::nullopt, below};
    try {
      scan = scan_at(steps);
    } catch (const CountOverflow&) {
      return {std::nullopt, below};
    }
  }
  while (steps - below > 1) {
    const std::size_t middle = below + (steps - below) / 2;
    if (const std::optional<std::string> earlier = scan_at(middle)) {
      steps = middle;
      scan = earlier;
    } else {
      below = middle;
    }
  }
  return {DeviceOvertaking{steps, *scan}, steps};
}

}  // namespace upsweep

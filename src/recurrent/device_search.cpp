#include "upsweep/recurrent/device_search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upsweep/base/checked.hpp"
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

/// Why a candidate cannot be chosen; empty where it can.
std::string infeasible(const DeviceCandidate& candidate, const PassShape& shape, std::uint64_t limit) {
  if (limit > 0 && candidate.prediction.memory_bytes > limit) {
    return fmt::format("{} bytes exceed {}", candidate.prediction.memory_bytes, limit);
  }
  if (!shape.is_fused && candidate.method.kind == BackwardKind::blocked) {
    return fmt::format("a baseline only: {} has no unfused steps", candidate.name);
  }
  return "";
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

DeviceSearchResult search_on_device(const Machine& machine, const PassShape& shape, unsigned value_bytes,
                                    const DeviceAssumptions& assumptions, std::optional<std::uint64_t> memory_limit) {
  DeviceSearchResult result;
  const std::uint64_t limit = memory_limit.value_or(machine.memory_bytes);
  std::vector<std::size_t> feasible;
  for (const BackwardMethod& method : methods_of(shape)) {
    DeviceCandidate candidate;
    candidate.method = method;
    candidate.name = to_string(method);
    candidate.prediction = predict_on_device(machine, shape, method, value_bytes, assumptions);
    candidate.reason = infeasible(candidate, shape, limit);
    candidate.is_feasible = candidate.reason.empty();
    if (candidate.is_feasible) feasible.push_back(result.candidates.size());
    result.candidates.push_back(std::move(candidate));
  }
  const auto seconds = [&result](std::size_t i) { return result.candidates[i].prediction.hidden_s(); };
  std::stable_sort(feasible.begin(), feasible.end(),
                   [&](std::size_t a, std::size_t b) { return seconds(a) < seconds(b); });
  if (!feasible.empty()) result.best = feasible.front();
  if (feasible.size() > 1 && seconds(feasible[0]) > 0) result.margin = seconds(feasible[1]) / seconds(feasible[0]) - 1;
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

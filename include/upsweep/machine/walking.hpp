#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "upsweep/machine/machine.hpp"

namespace upsweep {

/// Whether a unit of kWorkNames goes to a row of Y.
[[nodiscard]] constexpr bool is_pass(std::string_view unit) { return unit.ends_with("pass"); }

/// Whether a unit of kWorkNames reads rows of Y again and again. Those come from the cache where Y fits, however much
/// the rest of a schedule moves through it.
[[nodiscard]] constexpr bool is_walking(std::string_view unit) {
  return is_pass(unit) || unit.ends_with("_step") || unit.ends_with("_run");
}

/// How much of Y comes from memory each time that it is walked: uncached_share() of Y's own bytes; 1 of what is no walk
/// over rows, whose operands are read once.
[[nodiscard]] inline double walked_share(const Machine& machine, const OpWork& work) {
  return work.is_mv || work.steps.passes == 0 ? 1 : uncached_share(machine, work.picked_bytes);
}

/// Costs of a unit where all operands come from memory, but of Y only the share that does not fit the cache.
[[nodiscard]] inline WorkCosts from_memory(const KindRates& kind, double walked) {
  WorkCosts costs = kind.memory_costs;
  for (std::size_t i = 0; i < kWorkNames.size(); ++i) {
    if (is_walking(kWorkNames[i])) costs.unit_s[i] = walked * costs.unit_s[i] + (1 - walked) * kind.costs.unit_s[i];
  }
  return costs;
}

}  // namespace upsweep

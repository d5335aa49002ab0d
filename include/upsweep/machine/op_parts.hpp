#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/base/checked.hpp"
#include "upsweep/machine/work_costs.hpp"

namespace upsweep {

/// The rule by which the cpu backend cuts an op into parts for its workers, and by which the machine model knows how
/// many workers an op can use.
///
/// `cost` is about the number of entries that are read, written or multiplied: op_cost(). A part has at least kPartCost
/// of them, since handing it to another thread costs about a microsecond; there are at most kPartsPerWorker parts for
/// each worker, to even out what they are given.
inline constexpr std::uint64_t kPartCost = 1 << 15;
inline constexpr std::uint64_t kPartsPerWorker = 8;

[[nodiscard]] inline std::uint64_t op_parts(std::uint64_t cost, std::size_t workers) {
  if (workers <= 1) return 1;
  return std::clamp<std::uint64_t>(cost / kPartCost, 1, kPartsPerWorker * workers);
}

/// Cost of a team or of walking a row, in entries.
inline constexpr std::uint64_t kUnitCost = 4;

/// Cost of an element of a vector that is picked and scaled, in entries.
inline constexpr std::uint64_t kPickCost = 2;

/// The cost of a combine by its counts.
[[nodiscard]] inline std::uint64_t op_cost(const OpWork& work) {
  const ProductSteps& steps = work.steps;
  if (const std::uint64_t picked = picked_entries(work); picked > 0) return checked_mul(kPickCost, picked);
  if (steps.scaled() > 0) return kUnitCost * steps.teams + steps.scaled();
  return kUnitCost * (steps.teams + steps.passes) + steps.single_hops + steps.team_hops + steps.single_steps +
         steps.team_steps + steps.single_sums + steps.team_sums;
}

}  // namespace upsweep

#pragma once

#include <cstdint>
#include <optional>

#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/scan/execution.hpp"
#include "upsweep/sim/complexity.hpp"

namespace upsweep {

/// Totals in a scope, as totals() gives them.
[[nodiscard]] Totals totals(const HomogeneousProfile& profile, Scope scope);

/// Makespan of simulate() under Execution::level on `workers` >= 1 workers: list scheduling of each level's few runs of
/// equal combines, many at once.
///
/// Throws std::invalid_argument for 0 workers, CountOverflow. Cost: O(distinct levels), whatever the length.
[[nodiscard]] std::uint64_t homogeneous_level_makespan(const HomogeneousProfile& profile, CostUnit unit,
                                                       std::uint64_t workers, Scope scope);

/// The most instants of a simulation without barriers.
inline constexpr std::uint64_t kMostInstants = std::uint64_t{1} << 20;

/// Makespan of simulate() under Execution::dag, exact: an event simulation over numbers of ready combines instead of
/// combines, which leaps over periods that repeat. Nothing after `event_limit` instants. Numbers are not enough
/// where a combine of the up-sweep costs less than one of the level before (random chains that thin out), or one costs
/// nothing: then chains of at most 1024 elements are simulated combine by combine, of longer ones there is nothing.
///
/// Throws std::invalid_argument for 0 workers, CountOverflow. Cost: O(instants · depth); the instants that are not
/// leapt over are some hundred to some ten thousand, whatever the length.
[[nodiscard]] std::optional<std::uint64_t> homogeneous_dag_makespan(const HomogeneousProfile& profile,
                                                                    const HomogeneousCost& cost, std::uint64_t workers,
                                                                    Scope scope,
                                                                    std::uint64_t event_limit = kMostInstants);

/// The same of FLOPs or combines.
[[nodiscard]] std::optional<std::uint64_t> homogeneous_dag_makespan(const HomogeneousProfile& profile, CostUnit unit,
                                                                    std::uint64_t workers, Scope scope,
                                                                    std::uint64_t event_limit = kMostInstants);

/// pram_profile() of a homogeneous chain. Throws std::invalid_argument for 0 workers, CountOverflow.
[[nodiscard]] PramProfile homogeneous_pram(const HomogeneousProfile& profile, std::uint64_t workers,
                                           Scope scope = Scope::all, std::uint64_t batch = 1);

}  // namespace upsweep

#pragma once

#include <cstdint>
#include <optional>

#include "upsweep/machine/machine.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/sim/complexity.hpp"

namespace upsweep {

/// Seconds of a schedule over a homogeneous chain under Execution::level: predict_time() of the explicit schedule, with
/// every combine `batch` times (each input has its own Jacobians).
///
/// Equal to predict_time() for batch 1 and an exact chain, up to rounding of sums. `profile.value_bytes` counts. Throws
/// std::invalid_argument for 0 workers or a batch of 0, CountOverflow. Cost: O(distinct levels), whatever the length.
[[nodiscard]] double homogeneous_seconds(const HomogeneousProfile& profile, const Machine& machine,
                                         std::uint64_t workers, Scope scope, std::uint64_t batch = 1);

/// The same under Execution::dag, of one input: equal to predict_time() of an exact chain, up to rounding of sums.
/// Nothing without has_dag_time(), and on a pram where homogeneous_dag_makespan() has none. Throws
/// std::invalid_argument for 0 workers, CountOverflow. Cost: O(distinct levels); on a pram that of
/// homogeneous_dag_makespan().
[[nodiscard]] std::optional<double> homogeneous_dag_seconds(const HomogeneousProfile& profile, const Machine& machine,
                                                            std::uint64_t workers, Scope scope);

/// Makespan of simulate() under Execution::level with every combine `batch` times, copies of one beside each other:
/// homogeneous_level_makespan() for batch 1. Throws and costs the same.
[[nodiscard]] std::uint64_t batched_level_makespan(const HomogeneousProfile& profile, std::uint64_t workers,
                                                   Scope scope, std::uint64_t batch, CostUnit unit);

}  // namespace upsweep

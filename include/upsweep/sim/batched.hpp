#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "upsweep/machine/machine.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/sim/complexity.hpp"

namespace upsweep {

/// A schedule under Execution::level with every combine `batch` times: predict_time() for batch 1.
struct BatchedTime {
  double seconds = 0;
  std::vector<double> level_seconds;  ///< as Prediction::level_seconds
};

/// Throws like predict_time(); std::invalid_argument for a batch of 0. Cost: O(combines · min(workers, width)) on a
/// pram where combines of a level differ, else O(combines); whatever the batch.
[[nodiscard]] BatchedTime batched_time(const ScheduleProfile& profile, const Machine& machine, std::size_t workers,
                                       unsigned value_bytes, Scope scope, std::uint64_t batch);

/// Of it the seconds.
[[nodiscard]] double batched_seconds(const ScheduleProfile& profile, const Machine& machine, std::size_t workers,
                                     unsigned value_bytes, Scope scope, std::uint64_t batch);

/// Makespan of simulate() under Execution::level with every combine `batch` times, copies of one beside each other, in
/// id order; costs are 1 or the FLOPs, summed over the inputs of the profile. Throws like batched_seconds(); cost:
/// O(combines · min(workers, width)), whatever the batch.
[[nodiscard]] std::uint64_t batched_level_makespan(const ScheduleProfile& profile, std::size_t workers, Scope scope,
                                                   std::uint64_t batch, CostUnit unit);

/// The same by level: makespans of each, 0 where it has no combine in scope.
[[nodiscard]] std::vector<std::uint64_t> batched_levels(const ScheduleProfile& profile, std::size_t workers,
                                                        Scope scope, std::uint64_t batch, CostUnit unit);

}  // namespace upsweep

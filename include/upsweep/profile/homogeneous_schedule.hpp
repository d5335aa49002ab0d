#pragma once

#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// profile_schedules() of any schedule over a homogeneous chain, equal in every count, combine by combine: the closed
/// forms of its few kinds of products stand in for patterns, so that the size of the matrices does not matter. Rows of
/// a dense matrix are one shared row, as those of a linear operator without a mask.
///
/// Shapes: the schedule has the length of the chain. `value_bytes` is 4 or 8. Throws std::invalid_argument when the
/// lengths differ and like homogeneous_reference(); CountOverflow. Cost: O(combines) time and memory.
[[nodiscard]] ScheduleProfile profile_homogeneous_schedule(Schedule schedule, const HomogeneousChain& chain,
                                                           unsigned value_bytes);

}  // namespace upsweep

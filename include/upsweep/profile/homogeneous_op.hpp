#pragma once

#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/profile/profile.hpp"

namespace upsweep {

/// One combine of a run with all counts, as profile_schedules() has them: shapes, operands, result, steps.
///
/// Exact for dense, diagonal and banded chains, in which rows with the same columns count as one shared row;
/// expectations, rounded, for uniform ones, whose rows count as rows of their own (no two share their columns) and of
/// which some row is taken to have several entries.
/// `value_bytes` is 4 or 8. Throws CountOverflow. Cost: O(1).
[[nodiscard]] OpProfile homogeneous_op(const HomogeneousChain& chain, const OpRun& run, unsigned value_bytes);

}  // namespace upsweep

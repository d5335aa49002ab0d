#pragma once

#include <cstdint>
#include <functional>

#include "upsweep/profile/network_profile.hpp"

namespace upsweep {

/// Calls `use` for every count of an analysis, always in the same order; of levels, which follow from their ops, for
/// none. Analyses of the same operators under the same schedules have as many.
void for_each_count(const Analysis& analysis, const std::function<void(std::uint64_t count)>& use);

/// The analysis whose counts are those that `next` hands out in that order, in all else as `analysis`. Throws
/// CountOverflow where sums of levels leave 64 bits.
[[nodiscard]] Analysis with_counts(Analysis analysis, const std::function<std::uint64_t()>& next);

}  // namespace upsweep

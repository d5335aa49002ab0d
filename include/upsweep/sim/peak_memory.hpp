#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// Largest sum of bytes that are live in a level.
///
/// Shapes: `value_bytes` has one entry per value of the schedule, `runs` one per combine. An element of the array lives
/// from the start to its last use (one that is never used needs no memory), a value from its level to its last use (one
/// that is never read counts in its own level only), results to the end. Without any level: the bytes of a[0].
/// Throws CountOverflow.
[[nodiscard]] std::uint64_t peak_live_bytes(const Schedule& schedule, std::span<const std::uint64_t> value_bytes,
                                            const std::vector<bool>& runs);

}  // namespace upsweep

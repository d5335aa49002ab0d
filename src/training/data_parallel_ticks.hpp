#pragma once

#include "upsweep/sim/tick_scale.hpp"
#include "upsweep/training/data_parallel.hpp"

namespace upsweep {

/// Ticks for all times of a step.
[[nodiscard]] TickScale data_parallel_ticks(const DataParallel& step);

}  // namespace upsweep

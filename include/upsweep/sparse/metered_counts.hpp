#pragma once

#include "upsweep/base/work_meter.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {

/// count_products(), of which rows of classes that have to be written out are steps of `meter`, begun only where it
/// leaves as many. Throws what the meter throws; WorkLimitReached, OutOfRoom.
[[nodiscard]] ProductCounts count_products(const Pattern& x, const Pattern& y, WorkMeter* meter);

}  // namespace upsweep

#pragma once

#include "upsweep/document/document.hpp"
#include "upsweep/store/query_result.hpp"

namespace upsweep {

/// The most that each device holds at once under each variant of a stored training step, and the limit; empty where
/// nothing is known of it.
[[nodiscard]] Document device_memory(const RunTables& run);

}  // namespace upsweep

#pragma once

namespace upsweep {

/// The script that leads from schema version 8 to 9: what limits a run on its machine, and what a scan over a network
/// with branches is to be compared with.
[[nodiscard]] const char* comparison_schema();

}  // namespace upsweep

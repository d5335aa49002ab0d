#pragma once

namespace upsweep {

/// The script that leads from schema version 7 to 8: pictures of sparsity patterns.
[[nodiscard]] const char* picture_schema();

}  // namespace upsweep

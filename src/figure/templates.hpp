#pragma once

#include <string>

namespace upsweep {

/// All of src/figure/templates as a JSON object by kind, embedded by the build.
[[nodiscard]] const std::string& figure_templates();

}  // namespace upsweep

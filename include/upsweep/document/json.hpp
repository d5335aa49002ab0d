#pragma once

#include <nlohmann/json_fwd.hpp>

namespace upsweep {

/// JSON with keys in the order in which they were set.
using Json = nlohmann::ordered_json;

}  // namespace upsweep

#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace upsweep {

/// JSON with keys in the order in which they were set.
using Json = nlohmann::ordered_json;

/// The mean sum / inputs: an integer where it is one, else the nearest double.
[[nodiscard]] Json json_mean(std::uint64_t sum, std::uint64_t inputs);

}  // namespace upsweep

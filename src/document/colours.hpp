#pragma once

#include <string_view>

namespace upsweep {

// What tables tell a terminal.

inline constexpr std::string_view kBestColour = "\033[1;32m";
inline constexpr std::string_view kNoColour = "\033[0m";

}  // namespace upsweep

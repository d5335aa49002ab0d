#pragma once

#include <span>

namespace upsweep {

/// SQLite application id of our files: "UpSw".
inline constexpr int kApplicationId = 0x55705377;

/// Scripts that lead from schema version i to i + 1. Released ones never change; a new version is a new script at the
/// end.
[[nodiscard]] std::span<const char* const> migrations();

}  // namespace upsweep

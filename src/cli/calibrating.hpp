#pragma once

#include <cstddef>
#include <string>

#include "upsweep/backend/backend.hpp"
#include "upsweep/machine/machine.hpp"

namespace upsweep::cli {

/// Replaces the progress line on standard error, if that is a terminal; an empty text removes it.
void show_progress(const std::string& text);

/// The present time, ISO 8601 in UTC.
[[nodiscard]] std::string now_utc();

/// Calibrates a backend for a validation that was given no machine file: only what its runs need.
[[nodiscard]] Machine calibrate_now(const Backend& backend, std::size_t workers, unsigned value_bytes,
                                    const std::string& tool_version);

}  // namespace upsweep::cli

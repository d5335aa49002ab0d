#pragma once

#include <string>

#include "upsweep/anchors/anchors.hpp"
#include "upsweep/report/format.hpp"

namespace upsweep {

/// {"families", "points", "failures"}: see docs/anchors.md. Times in milliseconds, as tables have them.
[[nodiscard]] Json to_json(const AnchorReport& report);
/// A line for each point.
[[nodiscard]] std::string to_csv(const AnchorReport& report);
/// Families, what they rest on, failures, the worst ten rows, and what is skipped.
[[nodiscard]] std::string to_text(const AnchorReport& report, const TextStyle& style = {});

}  // namespace upsweep

#pragma once

#include "upsweep/anchors/anchors.hpp"
#include "upsweep/document/document.hpp"

namespace upsweep {

/// {"families", "points", "failures"}: see docs/anchors.md; times in milliseconds, as tables have them. CSV: a line for
/// each point. People read families, what they rest on, failures, the worst ten rows, and what is skipped.
[[nodiscard]] Document document(const AnchorReport& report);

/// A row for each family, device and library, and one for each of the ten points that are predicted worst. Both refer
/// to the report.
[[nodiscard]] Table anchor_families(const AnchorReport& report);
[[nodiscard]] Table worst_anchors(const AnchorReport& report);

}  // namespace upsweep

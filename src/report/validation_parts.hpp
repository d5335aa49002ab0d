#pragma once

#include "upsweep/report/validation_report.hpp"

// Parts of the report of a validation and of its verdict.

namespace upsweep {

/// After how many iterations what planning the fastest scan takes more than planning plain back-propagation is paid
/// back, measured: schedule, planning_s, saved_s, iterations; null where no scan pays.
[[nodiscard]] Json payback_json(const ValidationReport& report);

}  // namespace upsweep

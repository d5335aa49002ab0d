#pragma once

#include <string>

#include "upsweep/profile/network_profile.hpp"
#include "upsweep/report/validation_report.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep::cli {

/// Stores the schedules of a validation that ran, with what was measured; whether there were any. `report` refers to
/// `validation`.
bool save_validation(RunStore& store, RunContext context, const Analysis& analysis, const Validation& validation,
                     const ValidationReport& report, const std::string& db);

}  // namespace upsweep::cli

#pragma once

#include <cstdint>
#include <vector>

#include "upsweep/profile/network_profile.hpp"
#include "upsweep/report/validation_report.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep {

/// Stores the schedules of a validation that ran, with what was measured; their ids. `report` refers to `validation`.
[[nodiscard]] std::vector<std::int64_t> save_validation(RunStore& store, RunContext context, const Analysis& analysis,
                                                        const Validation& validation, const ValidationReport& report);

}  // namespace upsweep

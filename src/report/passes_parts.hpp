#pragma once

#include <cstddef>
#include <optional>

#include "upsweep/report/passes_report.hpp"

// Parts of the report on measured passes, each in a file of its own.

namespace upsweep {

/// Of a pass; nothing without a prediction.
[[nodiscard]] std::optional<double> predicted_seconds(const PassesReport& report, std::size_t i);

/// Whether the machine changed its speed by more than the verdict bears.
[[nodiscard]] bool changed_speed(const PassesReport& report);

}  // namespace upsweep

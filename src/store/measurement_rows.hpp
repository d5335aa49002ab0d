#pragma once

#include <cstdint>
#include <string>

#include "sqlite.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep {

/// The row of the machine whose file is `text`, made where there is none; returns its id.
[[nodiscard]] std::int64_t machine_row(Sqlite& database, const Machine& machine, const std::string& text);

/// Writes a measurement of a run with its levels and ops.
void save_measurement(Sqlite& database, std::int64_t run, const MeasurementRecord& record);

}  // namespace upsweep

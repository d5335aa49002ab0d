#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sqlite.hpp"
#include "upsweep/store/run_store.hpp"
#include "upsweep/store/stored_run.hpp"

namespace upsweep {

/// A machine as it is kept; its id is not known yet.
[[nodiscard]] StoredMachine machine_row(const Machine& machine, const std::string& text);

/// The id of the machine with the same text, made where there is none. Inside a transaction, as what follows.
std::int64_t save_machine(Sqlite& database, const StoredMachine& machine);

/// A measurement as it is kept; its id is not known yet.
[[nodiscard]] StoredMeasurement measurement_row(const MeasurementRecord& record);

/// Writes a measurement of a run with its levels and ops.
void save_measurement(Sqlite& database, std::int64_t run, const StoredMeasurement& measurement);

/// The measurements of a run with their rows, oldest first.
[[nodiscard]] std::vector<StoredMeasurement> read_measurements(Sqlite& database, std::int64_t run);

}  // namespace upsweep

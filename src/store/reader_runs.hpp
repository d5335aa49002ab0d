#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sqlite.hpp"
#include "upsweep/store/stored_run.hpp"

namespace upsweep {

// Reading for StoreReader, inside its transaction.

/// All runs of schedules, newest first.
[[nodiscard]] std::vector<StoredRun> read_runs(Sqlite& database);
/// One of them.
[[nodiscard]] std::optional<StoredRun> read_run(Sqlite& database, std::int64_t id);
[[nodiscard]] std::optional<StoredSearch> read_search(Sqlite& database, std::int64_t id);
[[nodiscard]] std::optional<StoredMachine> read_machine(Sqlite& database, std::int64_t id);

// The rows of a run, by their numbers.
[[nodiscard]] std::vector<StoredOperator> read_operators(Sqlite& database, std::int64_t run);
[[nodiscard]] std::vector<StoredLevel> read_levels(Sqlite& database, std::int64_t run);
/// `expected`: about how many.
[[nodiscard]] std::vector<StoredOp> read_ops(Sqlite& database, std::int64_t run, std::uint64_t expected);
/// Its measurements with their rows, oldest first.
[[nodiscard]] std::vector<StoredMeasurement> read_measurements(Sqlite& database, std::int64_t run);

}  // namespace upsweep

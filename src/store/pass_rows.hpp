#pragma once

#include <cstdint>
#include <optional>

#include "sqlite.hpp"
#include "upsweep/store/pass_record.hpp"
#include "upsweep/store/stored_study.hpp"

namespace upsweep {

/// Writes a run with its passes and losses; its id is the next of all runs. Inside a transaction.
std::int64_t save_pass_run(Sqlite& database, std::int64_t command, const PassRecord& record);

[[nodiscard]] std::optional<StoredPasses> read_passes(Sqlite& database, std::int64_t id);

}  // namespace upsweep

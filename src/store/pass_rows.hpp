#pragma once

#include <cstdint>

#include "sqlite.hpp"
#include "upsweep/store/pass_record.hpp"

namespace upsweep {

/// Writes a run with its passes and losses; its id is the next of all runs. Inside a transaction.
std::int64_t save_pass_run(Sqlite& database, std::int64_t command, const PassRecord& record);

}  // namespace upsweep

#pragma once

#include <cstdint>

#include "sqlite.hpp"
#include "upsweep/store/anchor_record.hpp"

namespace upsweep {

/// Writes published times beside predictions; the id is the next of all runs. Inside a transaction.
std::int64_t save_anchor_run(Sqlite& database, std::int64_t command, const AnchorRecord& record);

}  // namespace upsweep

#pragma once

#include <cstdint>

#include "sqlite.hpp"

namespace upsweep {

/// An id that no run of any kind has had: the next of the table runs, whose sequence moves on. Inside a transaction.
std::int64_t next_run_id(Sqlite& database);

}  // namespace upsweep

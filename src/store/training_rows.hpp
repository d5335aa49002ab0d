#pragma once

#include <cstdint>

#include "sqlite.hpp"
#include "upsweep/store/training_record.hpp"

namespace upsweep {

/// Writes a training run with its figures and tasks; its id is the next of all runs. Inside a transaction.
std::int64_t save_training_run(Sqlite& database, std::int64_t command, const TrainingRecord& record);

}  // namespace upsweep

#pragma once

#include <cstdint>
#include <optional>

#include "sqlite.hpp"
#include "upsweep/store/stored_study.hpp"
#include "upsweep/store/training_record.hpp"

namespace upsweep {

/// Writes a training run with its figures and tasks; its id is the next of all runs. Inside a transaction.
std::int64_t save_training_run(Sqlite& database, std::int64_t command, const TrainingRecord& record);

/// A training with the tasks of its best variant, or of the first one without a best.
[[nodiscard]] std::optional<StoredTraining> read_training(Sqlite& database, std::int64_t id);

}  // namespace upsweep

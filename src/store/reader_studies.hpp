#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sqlite.hpp"
#include "upsweep/store/stored_study.hpp"

namespace upsweep {

// Reading for StoreReader, inside its transaction: trainings, backward passes, studies.

/// A training with the tasks of its best variant, or of the first one without a best.
[[nodiscard]] std::optional<StoredTraining> read_training(Sqlite& database, std::int64_t id);
[[nodiscard]] std::optional<StoredPasses> read_passes(Sqlite& database, std::int64_t id);
[[nodiscard]] std::optional<StoredStudy> read_study(Sqlite& database, std::int64_t id);
/// Calls `take` for every point of a study, by position.
void read_points(Sqlite& database, std::int64_t study, const std::function<void(const StudyPointRow& point)>& take);

}  // namespace upsweep

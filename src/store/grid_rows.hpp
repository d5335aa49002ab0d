#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "sqlite.hpp"
#include "upsweep/store/point_record.hpp"
#include "upsweep/store/stored_study.hpp"

namespace upsweep {

/// Writes a study with its axes; returns its id. Inside a transaction, as the next.
std::int64_t save_study(Sqlite& database, std::int64_t command, const StudyRecord& record);

/// Replaces the answers of a study.
void replace_answers(Sqlite& database, std::int64_t study, std::span<const AnswerRecord> answers);

/// A study with its axes and answers.
[[nodiscard]] std::optional<StoredStudy> read_study(Sqlite& database, std::int64_t id);

/// Calls `take` for every point of a study, by position.
void read_points(Sqlite& database, std::int64_t study, const std::function<void(const StudyPointRow& point)>& take);

}  // namespace upsweep

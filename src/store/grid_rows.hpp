#pragma once

#include <cstdint>
#include <span>

#include "sqlite.hpp"
#include "upsweep/store/point_record.hpp"

namespace upsweep {

/// Writes a study with its axes; returns its id. Inside a transaction, as the next.
std::int64_t save_study(Sqlite& database, std::int64_t command, const StudyRecord& record);

/// Replaces the answers of a study.
void replace_answers(Sqlite& database, std::int64_t study, std::span<const AnswerRecord> answers);

}  // namespace upsweep

#pragma once

#include <string>

#include "upsweep/report/format.hpp"
#include "upsweep/store/stored_study.hpp"

namespace upsweep {

/// A study of a database: its columns, "axes" (name, values) and "answers" (question, where, sentence, answer). Its
/// points are rows of the view study_points.
[[nodiscard]] Json to_json(const StoredStudy& study);
/// Its columns in one row.
[[nodiscard]] std::string to_csv(const StoredStudy& study);
/// Names and values below each other, the axes among them, then every answer.
[[nodiscard]] std::string to_text(const StoredStudy& study, const TextStyle& style = {});

}  // namespace upsweep

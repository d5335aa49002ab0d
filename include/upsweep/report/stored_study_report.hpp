#pragma once

#include <string>

#include "upsweep/document/document.hpp"
#include "upsweep/store/stored_study.hpp"

namespace upsweep {

/// A study of a database: its columns, which CSV has in one row, "axes" (name, values) and "answers" (question, where,
/// sentence, answer). Its points are rows of the view study_points. People read names and values below each other, the
/// axes among them, then every answer.
[[nodiscard]] Document document(const StoredStudy& study);

}  // namespace upsweep

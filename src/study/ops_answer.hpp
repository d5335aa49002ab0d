#pragma once

#include <optional>

#include "upsweep/io/study_file.hpp"
#include "upsweep/store/point_record.hpp"

namespace upsweep {

/// What whole and shared ops mean for the answers of a study, where they mean less than one would think: nothing (on
/// processors and GPUs, for other objectives than time, for memory), or FLOPs where whole ones are seconds (on a pram).
/// Nothing where both are answered alike.
[[nodiscard]] std::optional<AnswerRecord> ops_answer(const StudyFile& study);

}  // namespace upsweep

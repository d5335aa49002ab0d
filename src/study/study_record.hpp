#pragma once

#include <cstdint>

#include "upsweep/io/study_file.hpp"
#include "upsweep/store/point_record.hpp"
#include "upsweep/study/run_study.hpp"

namespace upsweep {

/// What the store keeps of a study of so many points.
[[nodiscard]] StudyRecord study_record(const StudyFile& study, const StudyOptions& options, std::uint64_t points);

}  // namespace upsweep

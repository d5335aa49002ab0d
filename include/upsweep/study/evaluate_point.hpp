#pragma once

#include <string>

#include "upsweep/grid/point_brief.hpp"
#include "upsweep/search/what_binds.hpp"
#include "upsweep/store/point_record.hpp"
#include "upsweep/study/count_cache.hpp"
#include "upsweep/study/point_factory.hpp"

namespace upsweep {

/// Evaluates a point: counts its model (from the cache), scores its schedules, adds the memory models of the papers.
///
/// What makes a point impossible is its status with the reason; nothing that a user wrote throws. std::bad_alloc and
/// faults of ours do.
[[nodiscard]] PointRecord evaluate_point(const PointInputs& inputs, CountCache& cache);

/// What limits the scan of a point; nothing for points that are not done. Cost: some evaluations.
[[nodiscard]] std::optional<Binding> binding_of_point(const PointInputs& inputs, CountCache& cache);

/// What answers need of a record; `schedule` is the number of the best schedule's name.
[[nodiscard]] PointBrief brief_of(const PointRecord& record, std::uint32_t schedule);

/// Settings of a point as text, the same for the same meaning: part of its key.
[[nodiscard]] std::string settings_text(const StudySettings& settings);

}  // namespace upsweep

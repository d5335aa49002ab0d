#pragma once

#include "upsweep/document/json.hpp"
#include "upsweep/report/training_report.hpp"

namespace upsweep {

/// The object of a pipeline study: of its only policy, or with lists `policies` and `scans`.
[[nodiscard]] Json pipeline_json(const TrainingFile& file, const PipelineStudy& study, const PipelineAnswers& answers);

}  // namespace upsweep

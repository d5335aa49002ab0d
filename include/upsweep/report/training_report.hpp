#pragma once

#include <cstdint>
#include <string>

#include "upsweep/io/training_file.hpp"
#include "upsweep/report/format.hpp"
#include "upsweep/report/timeline.hpp"
#include "upsweep/search/verdict.hpp"
#include "upsweep/store/training_record.hpp"
#include "upsweep/training/study.hpp"

namespace upsweep {

// Reports of `upsweep training`: JSON with the keys that training-schedules names, one CSV table, and text for people.

/// One policy: figures and `trace`; a comparison: `policies`, `scans` and `best`. CSV: operations with their times, or
/// one row per policy.
[[nodiscard]] Json to_json(const TrainingFile& file, const PipelineStudy& study, const PipelineAnswers& answers);
[[nodiscard]] std::string to_csv(const PipelineStudy& study, const PipelineAnswers& answers);
[[nodiscard]] std::string to_text(const TrainingFile& file, const PipelineStudy& study, const PipelineAnswers& answers,
                                  TimelineStyle style);

/// Costs of the layers for people, as the file has them or as they follow from a network: those of the first choice.
[[nodiscard]] std::string costs_text(const TrainingFile& file, const PipelineStudy& study);
[[nodiscard]] std::string costs_text(const TrainingFile& file, const DataParallelStudy& study);

/// CSV: makespans by link rule and k.
[[nodiscard]] Json to_json(const TrainingFile& file, const DataParallelStudy& study,
                           const DataParallelAnswers& answers);
[[nodiscard]] std::string to_csv(const DataParallelStudy& study, const DataParallelAnswers& answers);
[[nodiscard]] std::string to_text(const TrainingFile& file, const DataParallelStudy& study,
                                  const DataParallelAnswers& answers, TimelineStyle style);

/// CSV: memory by k.
[[nodiscard]] Json to_json(const TrainingFile& file, const FirstKMemoryStudy& study,
                           const FirstKMemoryAnswers& answers);
[[nodiscard]] std::string to_csv(const FirstKMemoryStudy& study, const FirstKMemoryAnswers& answers);
[[nodiscard]] std::string to_text(const TrainingFile& file, const FirstKMemoryStudy& study,
                                  const FirstKMemoryAnswers& answers, TimelineStyle style);

/// CSV: kernels with their regions and times, of both schedules.
[[nodiscard]] Json to_json(const TrainingFile& file, const MultiRegionStudy& study, const MultiRegionAnswers& answers);
[[nodiscard]] std::string to_csv(const MultiRegionStudy& study, const MultiRegionAnswers& answers);
[[nodiscard]] std::string to_text(const TrainingFile& file, const MultiRegionStudy& study,
                                  const MultiRegionAnswers& answers, TimelineStyle style);

/// The best variant of a training step beside the slowest that fits, or beside a scan that is faster.
[[nodiscard]] Verdict training_verdict(const TrainingRecord& record);

}  // namespace upsweep

#pragma once

#include <cstdint>
#include <string>

#include "upsweep/document/document.hpp"
#include "upsweep/io/training_file.hpp"
#include "upsweep/report/timeline.hpp"
#include "upsweep/search/verdict.hpp"
#include "upsweep/store/training_record.hpp"
#include "upsweep/training/study.hpp"

namespace upsweep {

// Reports of `upsweep training`: JSON with the keys that training-schedules names. They refer to what they are made
// from.

/// One policy: figures and `trace`; a comparison: `policies`, `scans` and `best`. CSV: operations with their times, or
/// one row per policy.
[[nodiscard]] Document document(const TrainingFile& file, const PipelineStudy& study, const PipelineAnswers& answers,
                                TimelineStyle style);
/// CSV: makespans by link rule and k.
[[nodiscard]] Document document(const TrainingFile& file, const DataParallelStudy& study,
                                const DataParallelAnswers& answers, TimelineStyle style);
/// CSV: memory by k.
[[nodiscard]] Document document(const TrainingFile& file, const FirstKMemoryStudy& study,
                                const FirstKMemoryAnswers& answers, TimelineStyle style);
/// CSV: kernels with their regions and times, of both schedules.
[[nodiscard]] Document document(const TrainingFile& file, const MultiRegionStudy& study,
                                const MultiRegionAnswers& answers, TimelineStyle style);

/// Costs of the layers for people, as the file has them or as they follow from a network: those of the first choice.
[[nodiscard]] Document costs_document(const TrainingFile& file, const PipelineStudy& study);
[[nodiscard]] Document costs_document(const TrainingFile& file, const DataParallelStudy& study);

/// The best variant of a training step beside the slowest that fits, or beside a scan that is faster.
/// `memory_limit`: on a device, in `unit`, as of VerdictFrame.
[[nodiscard]] Verdict training_verdict(const TrainingRecord& record, std::optional<double> memory_limit = {},
                                       const std::string& unit = "bytes");

}  // namespace upsweep

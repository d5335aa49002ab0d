#pragma once

#include "upsweep/app/session.hpp"
#include "upsweep/io/training_file.hpp"
#include "upsweep/store/training_record.hpp"
#include "upsweep/training/study.hpp"

namespace upsweep {

// What the store keeps of a study: its figures, and the tasks of what it recommends and compares.

[[nodiscard]] TrainingRecord training_record(const Caller& caller, const TrainingFile& file, const PipelineStudy& study,
                                             const PipelineAnswers& answers);
/// Tasks: the conventional order over a fifo link, and the searched k.
[[nodiscard]] TrainingRecord training_record(const Caller& caller, const TrainingFile& file,
                                             const DataParallelStudy& study, const DataParallelAnswers& answers);
[[nodiscard]] TrainingRecord training_record(const Caller& caller, const TrainingFile& file,
                                             const FirstKMemoryStudy& study, const FirstKMemoryAnswers& answers);
[[nodiscard]] TrainingRecord training_record(const Caller& caller, const TrainingFile& file,
                                             const MultiRegionStudy& study, const MultiRegionAnswers& answers);

}  // namespace upsweep

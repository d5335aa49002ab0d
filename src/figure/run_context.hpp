#pragma once

#include <string>

#include "upsweep/store/stored_run.hpp"
#include "upsweep/store/stored_study.hpp"

namespace upsweep {

// What a figure is of, for one that stands alone: Figure::context.

/// "lenet5, guaranteed pattern, hybrid:2, 4 workers, on v100".
[[nodiscard]] std::string run_context(const RunDetails& run);

/// "lenet5, guaranteed pattern, 4 workers, on v100": of the runs of a search or of a validation, whose schedules
/// differ. `machine`: its name, empty without.
[[nodiscard]] std::string runs_context(const StoredRun& run, const std::string& machine);
/// The same of one of them with its details.
[[nodiscard]] std::string runs_context(const RunDetails& run);

/// "rnn tanh, 20 hidden elements, 1000 steps, 16 sequences, on a100".
[[nodiscard]] std::string passes_context(const PassRecord& record);

/// "pipeline, bert-24, on 4 devices, v100, nvlink, 8 samples, ...": as its verdict says.
[[nodiscard]] std::string training_context(const TrainingRecord& record);

/// "studies/gpus.yaml, all with one input, level execution": the file and what its points have in common, as far as its
/// verdict says.
[[nodiscard]] std::string study_context(const StoredStudy& study);

}  // namespace upsweep

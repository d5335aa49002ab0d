#pragma once

#include <vector>

#include "upsweep/io/training_file.hpp"
#include "upsweep/training/study.hpp"

namespace upsweep::cli {

/// The scans that a pipeline study compares with, on the machine and network of the file. Throws InputError.
[[nodiscard]] std::vector<ScanStepRun> simulate_scans(const TrainingFile& file, const PipelineStudy& study);

}  // namespace upsweep::cli

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/store/training_record.hpp"

namespace upsweep {

/// What the fullest device of a step holds from a time on, at most: see PipelineRun::memory.
struct StepMemory {
  double from = 0;
  double most = 0;  ///< bytes where is_memory_in_bytes(), else tensors of the file's micro-batches
};

/// The memory of a variant over time; empty where it is not stored.
[[nodiscard]] std::vector<StepMemory> step_memory(const TrainingRecord& record, std::uint32_t variant);

/// Whether the memory of a record's variants is in bytes, weights included.
[[nodiscard]] bool is_memory_in_bytes(const TrainingRecord& record);

}  // namespace upsweep

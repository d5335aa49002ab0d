#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/report/step_memory.hpp"
#include "upsweep/store/training_record.hpp"

namespace upsweep {

/// A device, stream or link with what happens on it.
struct TimelineRow {
  std::string name;
  bool is_link = false;
  std::vector<const TrainingTask*> tasks;
};

/// A variant of a training step with what there is to draw of it.
struct DrawnStep {
  std::uint32_t variant = 0;
  std::vector<TimelineRow> rows;
  std::size_t resources = 0;       ///< on which something takes time, drawn or not
  std::size_t unused = 0;          ///< on which nothing does
  std::vector<StepMemory> memory;  ///< empty where it is not stored
  double end = 0;
  std::size_t first_row = 0;  ///< of the figure: that of rows.front()
};

/// Whether a task is drawn as one of a link.
[[nodiscard]] bool is_on_link(const TrainingTask& task);

/// The variants of which a figure draws the operations, by number: at most twelve with 128 rows, of more the first
/// ones and the best.
/// Several have no rows for the transfers between devices. Refers to the record.
[[nodiscard]] std::vector<DrawnStep> drawn_steps(const TrainingRecord& record);

}  // namespace upsweep

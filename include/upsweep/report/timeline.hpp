#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "upsweep/training/pipeline_run.hpp"

namespace upsweep {

/// How much a timeline shows.
enum class TimelineStyle : std::uint8_t {
  labels,  ///< kind, layer and micro-batch where there is room
  kinds,   ///< one line per device
  none,
};

/// A timeline as text: a block of lines per device, time from left to right.
///
/// Where all times are multiples of the shortest operation and there is room, each such unit is a column with the kind
/// of the operation (F, O, W, U), its layer and below it the micro-batch as a letter; otherwise a column is one unit,
/// or a share of the time, with the kind that takes most of it. '.' is idle. `rows` names the devices.
[[nodiscard]] std::string timeline_text(std::span<const StepEntry> entries, const std::vector<std::string>& rows,
                                        std::size_t micro_batches, TimelineStyle style = TimelineStyle::labels);

}  // namespace upsweep

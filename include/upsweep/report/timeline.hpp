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

/// How time becomes columns.
struct TimelineScale {
  enum class Form : std::uint8_t { labels, kinds, none };
  Form form = Form::none;
  double column = 1;      ///< time of a column (of characters under `kinds`)
  std::size_t width = 1;  ///< characters of a column under `labels`
  bool has_micro_batches = false;
  bool is_unit = false;   ///< all times are multiples of a column
  std::size_t line = 0;   ///< columns of a line under `kinds`: a longer timeline goes on below
  std::size_t parts = 1;  ///< lines per device of the longest timeline under `kinds`
};

/// The scale for these operations, alone or of several timelines that are to be compared.
///
/// Where all times are multiples of one unit and there is room, a column is such a unit, with the kind of the operation
/// (F, O, W, U), its layer and, where there are several, its micro-batch as a letter, or of one character with the kind
/// alone, on up to four lines. Otherwise a column is a share of the time: the letter of a kind says that no other runs
/// in it, B that O and W do, '*' that others do together, a small letter that the device is idle for most of it.
[[nodiscard]] TimelineScale timeline_scale(std::span<const StepEntry> entries, TimelineStyle style);

/// What a column stands for and what its marks mean, a line for people; `column` is the time of a column as text.
/// Empty where nothing is shown.
[[nodiscard]] std::string timeline_heading(const TimelineScale& scale, const std::string& column);

/// A timeline as text: a block of lines per device, time from left to right; '.' is idle. `rows` names the devices.
[[nodiscard]] std::string timeline_text(std::span<const StepEntry> entries, const std::vector<std::string>& rows,
                                        const TimelineScale& scale);

/// The same at a scale of its own.
[[nodiscard]] inline std::string timeline_text(std::span<const StepEntry> entries, const std::vector<std::string>& rows,
                                               TimelineStyle style = TimelineStyle::labels) {
  return timeline_text(entries, rows, timeline_scale(entries, style));
}

}  // namespace upsweep

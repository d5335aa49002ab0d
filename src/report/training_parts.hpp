#pragma once

#include <string>
#include <vector>

#include "upsweep/report/training_report.hpp"

namespace upsweep {

/// A number without a fraction where it has none.
[[nodiscard]] Value number_value(double number);
[[nodiscard]] Json json_number(double number);
[[nodiscard]] Json json_numbers(const std::vector<double>& numbers);

/// Shortest text of a number: "23", "23.5".
[[nodiscard]] std::string plain_number(double number);

/// A time of a training file for people: seconds with a unit where costs are from a network, else the number.
[[nodiscard]] std::string time_text(const TrainingFile& file, double time);

/// The number, which people read so.
[[nodiscard]] Value time_value(const TrainingFile& file, double time);

/// timeline_heading() with a column's time as the file has it.
[[nodiscard]] std::string heading_text(const TrainingFile& file, const TimelineScale& scale);

/// "23.4 %".
[[nodiscard]] std::string percent_text(double share);

/// name, kind and where costs are from.
[[nodiscard]] Json training_head(const TrainingFile& file);

/// What costs are based on, for people: lines, or nothing where they stand in the file.
[[nodiscard]] std::string source_text(const TrainingFile& file);

/// The file's note as a paragraph, or nothing.
[[nodiscard]] std::string note_text(const TrainingFile& file);

[[nodiscard]] Json optimum_json(const std::optional<Optimum>& optimum);
/// A sentence about how far a makespan is from the optimum, or nothing.
[[nodiscard]] std::string optimum_text(const TrainingFile& file, double makespan,
                                       const std::optional<Optimum>& optimum);

}  // namespace upsweep

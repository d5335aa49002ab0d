#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/grid/axis.hpp"
#include "upsweep/grid/constraint.hpp"
#include "upsweep/grid/question.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/search/point.hpp"

namespace upsweep {

/// Settings of a point with the pattern that its model is counted in.
struct StudySettings {
  PointSettings point;                 ///< its batch is `batch` or, without it, the model's
  std::optional<std::uint64_t> batch;  ///< as the study says; nothing: the recurrent model's, else 1
  PatternKind pattern = PatternKind::guaranteed;

  friend bool operator==(const StudySettings&, const StudySettings&) = default;
};

/// Names of the settings that an axis may set: "schedule", "workers", "batch", "execution", "scope", "pattern",
/// "memory_limit_MiB", "ops", "launch", "library", "interval".
[[nodiscard]] const std::vector<std::string>& setting_names();

/// Sets a setting by its name. Throws std::invalid_argument, in a sentence for users, for a value that is not accepted
/// or a name that is none.
void set_setting(StudySettings& settings, const std::string& name, const AxisValue& value);

/// The number of a setting (workers, batch, memory_limit_MiB), or nothing.
[[nodiscard]] std::optional<double> setting_number(const StudySettings& settings, const std::string& name);

/// A study but for its model and machine.
struct StudySpec {
  std::string name;
  std::string description;
  StudySettings base;
  std::vector<Axis> axes;
  std::vector<Constraint> constraints;
  std::vector<Question> questions;
};

/// Position of the axis of this name; nothing where there is none.
[[nodiscard]] std::optional<std::size_t> axis_named(const StudySpec& spec, const std::string& name);

}  // namespace upsweep

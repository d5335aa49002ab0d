#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upsweep {

/// A value of an axis: the text that a file has there, and its number where it is one.
struct AxisValue {
  std::string text;
  std::optional<double> number = {};

  friend bool operator==(const AxisValue&, const AxisValue&) = default;
};

/// A number in the shortest form that reads back to it; whole numbers below 10^15 without exponent and point.
[[nodiscard]] AxisValue axis_value(double number);

/// A field that an axis sets, and to what.
struct AxisColumn {
  std::string path;               ///< "workers", "model.input[1]", "model.operators[*].conv2d.out_channels", ...
  bool is_factor = false;         ///< multiplies the number that stands there, rounded to a whole one where it is whole
  std::vector<AxisValue> values;  ///< one per place on the axis; at least one

  friend bool operator==(const AxisColumn&, const AxisColumn&) = default;
};

/// An axis of a grid: columns that go together (zipped); one without `zip`.
struct Axis {
  std::string name;                 ///< as questions call it: the first column's path where the file gives none
  std::vector<AxisColumn> columns;  ///< all with the same number of values

  /// Number of places.
  [[nodiscard]] std::size_t size() const { return columns.front().values.size(); }
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// The number of points that a study may have.
inline constexpr std::uint64_t kMostPoints = 100'000'000;

/// from, from + step, ... up to `to` (with a tolerance of 1e-9 steps), whole numbers up to 2^53 exact, others in 15
/// digits of the end farther from 0: 0.1 to 1 has 0.3, -0.3 to 0.3 has 0. Throws std::invalid_argument, in a sentence
/// for users, for a step of 0 or away from `to`, numbers that are not finite, or more than kMostPoints values.
[[nodiscard]] std::vector<AxisValue> arithmetic_range(double from, double to, double step);

/// `count` >= 1 numbers from `from` to `to` in equal ratios, those between in 12 digits; where both ends are whole,
/// each is rounded to a whole number. Repeated ones are left out. Throws std::invalid_argument for numbers that are not
/// positive or not finite, and counts that are 0, above kMostPoints, or 1 with different ends.
[[nodiscard]] std::vector<AxisValue> geometric_range(double from, double to, std::uint64_t count);

}  // namespace upsweep

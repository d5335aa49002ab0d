#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/study/point_factory.hpp"

namespace upsweep {

/// A column of an axis.
struct ColumnPlace {
  std::size_t axis = 0;
  std::size_t column = 0;
};

/// The values of the axes at a point. Refers to the spec and the grid, which must outlive it.
class PointValues {
 public:
  /// Throws std::logic_error where `replaced` names no axis of one column.
  PointValues(const StudySpec& spec, const Grid& grid, std::uint64_t position,
              const std::optional<Replaced>& replaced = {});

  /// The place on an axis; of a replaced one that of the position.
  [[nodiscard]] std::size_t place(std::size_t axis) const {
    return static_cast<std::size_t>(position_ / grid_.stride(axis) % grid_.size(axis));
  }
  [[nodiscard]] const AxisColumn& column(const ColumnPlace& place) const {
    return spec_.axes[place.axis].columns[place.column];
  }
  /// The value of a column.
  [[nodiscard]] const AxisValue& of(const ColumnPlace& column_place) const {
    if (replaced_ && replaced_->axis == column_place.axis) return replacement_;
    return column(column_place).values[place(column_place.axis)];
  }
  [[nodiscard]] const std::optional<Replaced>& replaced() const { return replaced_; }

 private:
  const StudySpec& spec_;
  const Grid& grid_;
  std::uint64_t position_;
  std::optional<Replaced> replaced_;
  AxisValue replacement_;
};

/// Writes the values at a position as a JSON object: "name": value of an axis, "path": value of each column of a
/// zipped one.
class CoordinatesWriter {
 public:
  explicit CoordinatesWriter(const StudySpec& spec);

  [[nodiscard]] std::string json(const PointValues& values) const;

 private:
  struct Entry {
    std::string key;  // quoted, with the colon
    ColumnPlace place;
  };
  std::vector<Entry> entries_;
};

}  // namespace upsweep

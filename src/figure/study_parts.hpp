#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plot_axis.hpp"
#include "upsweep/store/stored_study.hpp"

namespace upsweep {

/// An axis of a grid, with values for people.
struct GridAxis {
  std::string name;
  std::vector<std::string> labels;  ///< one per place, of at most a few characters
  std::vector<std::string> texts;   ///< one per place, exact
  std::vector<double> numbers;      ///< one per place; empty where not all values are numbers

  [[nodiscard]] std::size_t size() const { return labels.size(); }
  [[nodiscard]] bool is_numeric() const { return !numbers.empty(); }
};

/// What StudyGrid::median_slice() is, for captions.
inline constexpr const char* kMedianSlice = "the slice whose median speedup is the middle one of all slices";

/// The points of a study at their places in its grid. Refers to the points, which must outlive it.
class StudyGrid {
 public:
  /// Nothing where the axes do not make the points.
  [[nodiscard]] static std::optional<StudyGrid> of(const StoredStudy& study, std::span<const StudyPointRow> points);

  [[nodiscard]] const std::vector<GridAxis>& axes() const { return axes_; }
  /// The axes with several values.
  [[nodiscard]] const std::vector<std::size_t>& several() const { return several_; }
  [[nodiscard]] std::size_t place(std::uint64_t position, std::size_t axis) const {
    return static_cast<std::size_t>(position / strides_[axis] % axes_[axis].size());
  }
  /// The position with another place on one axis.
  [[nodiscard]] std::uint64_t moved(std::uint64_t position, std::size_t axis, std::size_t place) const;
  /// The point at a position; null where there is none. Cost: O(log points).
  [[nodiscard]] const StudyPointRow* at(std::uint64_t position) const;
  /// The point where the scan gains most over plain back-propagation; without such points the one with the best score;
  /// null without scores.
  [[nodiscard]] const StudyPointRow* best() const { return best_; }
  /// A position in the slice along two axes whose median speedup is the middle one of all slices, the lower of two;
  /// nothing without speedups. Cost: O(points · log points).
  [[nodiscard]] std::optional<std::uint64_t> median_slice(std::size_t x, std::size_t y) const;
  /// "workers = 4, length = 100" of the axes with several values but for two; empty where there are no others.
  [[nodiscard]] std::string others_text(std::uint64_t position, std::size_t without, std::size_t and_without) const;
  /// Values of all axes with several values.
  [[nodiscard]] std::string place_text(std::uint64_t position) const;

 private:
  StudyGrid() = default;

  /// Where places of an axis have equal texts: adds the values of its other columns.
  void tell_apart(std::size_t axis);

  std::vector<GridAxis> axes_;
  std::vector<std::uint64_t> strides_;
  std::vector<std::size_t> several_;
  std::vector<const StudyPointRow*> points_;  // by position
  const StudyPointRow* best_ = nullptr;
};

/// A value of an axis: exact where seven characters do, else short: "1048576", "1 M", "215.4 M".
[[nodiscard]] std::string value_text(double value);

/// A score with its unit: "12.34 ms", "26.06 M FLOPs".
[[nodiscard]] std::string score_text(double score, const std::string& unit);
/// "score (s)", of an axis.
[[nodiscard]] std::string score_title(const std::string& unit);
[[nodiscard]] AxisUnit axis_unit(const std::string& unit);

/// At most `most` of 0, ..., size - 1: every k-th from the first; k is 1 where all fit.
[[nodiscard]] std::size_t every(std::size_t size, std::size_t most);

}  // namespace upsweep

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "answer_sentences.hpp"
#include "upsweep/grid/answers.hpp"
#include "upsweep/search/what_binds.hpp"
#include "upsweep/study/answer_study.hpp"

namespace upsweep {

/// A point on a line along an axis: on the grid, or between its places.
struct LineSpot {
  AxisValue value;
  std::optional<std::size_t> place;  ///< nothing: not on the grid
  PointBrief brief;
};

/// Two neighbouring spots, one where a predicate holds and one where it does not.
struct LineChange {
  LineSpot holds;
  LineSpot fails;
  std::size_t evaluations = 0;
  bool is_blocked = false;  ///< a point between the two does not say
};

/// Why a point says nothing to a question, in words; empty where it does.
using PointReason = std::function<std::string(const PointBrief& brief)>;

/// The points of a study along one axis with all others at one place each.
class AnswerLine {
 public:
  /// `first`: position of the line's first point.
  AnswerLine(const AnswerInputs& inputs, std::size_t axis, std::uint64_t first);

  [[nodiscard]] const PointBrief& brief(std::size_t place) const;
  [[nodiscard]] LineSpot spot(std::size_t place) const;
  /// Places by ascending number of the axis, or as they stand where it is not numeric.
  [[nodiscard]] const std::vector<std::size_t>& ascending() const { return ascending_; }
  /// Whether the axis is one column of numbers.
  [[nodiscard]] bool is_numeric() const { return is_numeric_; }
  /// Whether there are numbers between the values of the axis.
  [[nodiscard]] bool has_gaps() const;

  /// Adds how many points say nothing and why ("missing_points", "missing"), where there are such. Returns the reasons,
  /// the most frequent first: "no scan fits the memory, left out by a constraint"; empty without.
  std::string add_missing(const PointReason& reason, AnswerJson& answer) const;

  /// Changes of a predicate between neighbours in the order of ascending().
  [[nodiscard]] std::vector<Bracket> changes(const PointPredicate& predicate) const;

  /// Narrows the change between two places down: `holds` is the one where the predicate holds. By bisection where the
  /// axis is numeric, until the ends are `tolerance` apart (relatively); of whole numbers, until they are neighbours.
  /// Numbers are whole on an axis that has only such ones and counts something.
  [[nodiscard]] LineChange narrow(std::size_t holds, std::size_t fails, double tolerance,
                                  const PointPredicate& predicate) const;

  /// What limits the scan at a spot; empty: not known. Where the scan does not win, what keeps it from that.
  [[nodiscard]] std::string binding_at(const LineSpot& spot) const;
  /// The value of a spot for sentences: as it stands on the grid, else with the digits that the tolerance tells apart.
  [[nodiscard]] static std::string text_of(const LineSpot& spot, double tolerance);

  /// Values of the other axes as a JSON object; empty without other axes.
  [[nodiscard]] std::string where() const;
  /// A sentence about the line: the other axes' values, if any, and the text.
  [[nodiscard]] std::string sentence(const std::string& text) const;
  [[nodiscard]] const std::string& axis_name() const { return axis_.name; }

 private:
  [[nodiscard]] PointInputs point_at(const LineSpot& spot) const;
  [[nodiscard]] PointBrief evaluate(double value) const;
  [[nodiscard]] std::uint64_t position(std::size_t place) const { return first_ + place * stride_; }
  [[nodiscard]] bool is_stopped() const;

  const AnswerInputs& inputs_;
  const Axis& axis_;
  std::size_t axis_number_;
  std::uint64_t first_;
  std::uint64_t stride_;
  bool is_numeric_ = false;
  bool is_whole_ = false;
  std::vector<std::size_t> ascending_;
  AnswerJson others_ = AnswerJson::object();
};

}  // namespace upsweep

#include "answer_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "speedup_binding.hpp"
#include "upsweep/study/evaluate_point.hpp"

namespace upsweep {
namespace {

/// Values of all axes but one at a position.
AnswerJson other_coordinates(const PointFactory& factory, const Axis& axis, std::uint64_t position) {
  AnswerJson coordinates = AnswerJson::parse(factory.coordinates_json(position));
  coordinates.erase(axis.name);
  for (const AxisColumn& column : axis.columns) coordinates.erase(column.path);
  return coordinates;
}

}  // namespace

AnswerLine::AnswerLine(const AnswerInputs& inputs, std::size_t axis, std::uint64_t first)
    : inputs_(inputs),
      axis_(inputs.study.spec.axes[axis]),
      axis_number_(axis),
      first_(first),
      stride_(inputs.factory.grid().stride(axis)),
      ascending_(axis_.size()),
      others_(other_coordinates(inputs.factory, axis_, first)) {
  const std::vector<AxisValue>& values = axis_.columns.front().values;
  is_numeric_ = axis_.columns.size() == 1 &&
                std::all_of(values.begin(), values.end(), [](const AxisValue& value) { return value.number; });
  const auto is_whole = [](const AxisValue& value) { return *value.number == std::floor(*value.number); };
  is_whole_ = is_numeric_ && std::all_of(values.begin(), values.end(), is_whole) &&
              is_count(inputs.study, axis_.columns.front());
  std::iota(ascending_.begin(), ascending_.end(), std::size_t{0});
  if (!is_numeric_) return;
  std::stable_sort(ascending_.begin(), ascending_.end(),
                   [&](std::size_t a, std::size_t b) { return *values[a].number < *values[b].number; });
}

const PointBrief& AnswerLine::brief(std::size_t place) const { return inputs_.points[position(place)]; }

LineSpot AnswerLine::spot(std::size_t place) const {
  return {axis_.columns.front().values[place], place, brief(place)};
}

bool AnswerLine::has_gaps() const {
  const auto is_number = [](const AxisValue& value) { return value.number.has_value(); };
  const auto has_numbers = [&](const AxisColumn& column) { return std::ranges::all_of(column.values, is_number); };
  if (axis_.size() < 2 || !std::ranges::all_of(axis_.columns, has_numbers)) return false;
  const auto number_at = [&](std::size_t i) { return *axis_.columns.front().values[ascending_[i]].number; };
  for (std::size_t i = 1; i < axis_.size(); ++i) {
    if (!is_whole_ || number_at(i) > number_at(i - 1) + 1) return true;
  }
  return false;
}

std::string AnswerLine::add_missing(const PointReason& reason, AnswerJson& answer) const {
  std::map<std::string, std::size_t> counts;
  std::size_t points = 0;
  for (const std::size_t place : ascending_) {
    const std::string text = reason(brief(place));
    if (text.empty()) continue;
    ++points;
    ++counts[text];
  }
  if (points == 0) return {};
  std::vector<std::string> reasons;
  for (const auto& [text, count] : counts) reasons.push_back(text);
  std::ranges::stable_sort(reasons, std::greater(), [&](const std::string& text) { return counts[text]; });
  answer["missing_points"] = points;
  answer["missing"] = reasons;
  return fmt::format("{}", fmt::join(reasons, ", "));
}

bool AnswerLine::is_stopped() const { return inputs_.stop != nullptr && inputs_.stop->load(std::memory_order_relaxed); }

PointInputs AnswerLine::point_at(const LineSpot& spot) const {
  if (spot.place) return inputs_.factory.at(position(*spot.place));
  return inputs_.factory.at(first_, Replaced{.axis = axis_number_, .value = *spot.value.number});
}

PointBrief AnswerLine::evaluate(double value) const {
  const PointInputs inputs = inputs_.factory.at(first_, Replaced{.axis = axis_number_, .value = value});
  PointBrief brief;
  brief.status = PointStatus::excluded;
  return inputs.is_excluded ? brief : brief_of(evaluate_point(inputs, inputs_.cache), 0);
}

std::vector<Bracket> AnswerLine::changes(const PointPredicate& predicate) const {
  return changes_along(inputs_.points, first_, stride_, ascending_, predicate);
}

LineChange AnswerLine::narrow(std::size_t holds, std::size_t fails, double tolerance,
                              const PointPredicate& predicate) const {
  LineChange change{spot(holds), spot(fails)};
  if (!is_numeric_ || *change.holds.value.number == *change.fails.value.number) return change;
  const bool holds_high = *change.holds.value.number > *change.fails.value.number;
  const LineSpot& low = holds_high ? change.fails : change.holds;
  const LineSpot& high = holds_high ? change.holds : change.fails;
  std::map<double, PointBrief> seen;
  const auto is_on_high_side = [&](double value) -> std::optional<bool> {
    if (is_stopped()) return std::nullopt;
    const PointBrief& brief = seen[value] = evaluate(value);
    const std::optional<bool> answer = predicate(brief);
    return answer ? std::optional(*answer == holds_high) : std::nullopt;
  };
  const Narrowed narrowed =
      bisect(*low.value.number, *high.value.number, is_whole_, is_whole_ ? 0 : tolerance, is_on_high_side);
  const auto end = [&](const LineSpot& from, double value) {
    return value == *from.value.number ? from : LineSpot{axis_value(value), std::nullopt, seen.at(value)};
  };
  LineSpot low_end = end(low, narrowed.low);
  LineSpot high_end = end(high, narrowed.high);
  change.holds = holds_high ? high_end : low_end;
  change.fails = holds_high ? low_end : high_end;
  change.evaluations = narrowed.evaluations;
  change.is_blocked = narrowed.is_blocked;
  return change;
}

std::string AnswerLine::binding_at(const LineSpot& spot) const {
  if (is_stopped()) return {};
  const PointInputs inputs = point_at(spot);
  const std::optional<Binding> binding = scan_is_faster(spot.brief).value_or(false)
                                             ? binding_of_point(inputs, inputs_.cache)
                                             : speedup_binding(inputs, inputs_.cache);
  return binding ? to_string(*binding) : std::string();
}

std::string AnswerLine::text_of(const LineSpot& spot, double tolerance) {
  if (spot.place || !spot.value.number || *spot.value.number == std::floor(*spot.value.number)) return spot.value.text;
  const int digits = 2 + static_cast<int>(std::ceil(-std::log10(std::clamp(tolerance, 1e-14, 0.1))));
  return fmt::format("{:.{}g}", *spot.value.number, digits);
}

std::string AnswerLine::where() const { return others_.empty() ? std::string() : others_.dump(); }

std::string AnswerLine::sentence(const std::string& text) const {
  return others_.empty() ? text : fmt::format("{}: {}", coordinates_text(others_), text);
}

}  // namespace upsweep

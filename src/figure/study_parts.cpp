#include "study_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "plot_axis.hpp"
#include "run_parts.hpp"
#include "upsweep/document/numbers.hpp"

namespace upsweep {
namespace {

/// "a100" of "machines/a100.yaml" where all texts are such, of different files; else as they are.
std::vector<std::string> without_folders_and_suffix(const std::vector<std::string>& texts) {
  std::set<std::string> stems;
  std::vector<std::string> shortened;
  for (const std::string& text : texts) {
    if (!text.ends_with(".yaml") && !text.ends_with(".yml")) return texts;
    shortened.push_back(std::filesystem::path(text).stem().string());
    stems.insert(shortened.back());
  }
  return stems.size() == texts.size() ? shortened : texts;
}

std::string text_of_value(const FigureData& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, FigureData::error_handler_t::replace);
}

std::optional<GridAxis> axis_of(const StoredAxis& stored) {
  const FigureData values = FigureData::parse(stored.values, nullptr, false);
  if (!values.is_array() || values.empty()) return std::nullopt;
  GridAxis axis{stored.name, {}, {}, {}};
  for (const FigureData& value : values) {
    if (value.is_number()) axis.numbers.push_back(value.get<double>());
    axis.texts.push_back(text_of_value(value));
  }
  if (axis.numbers.size() != axis.texts.size()) axis.numbers.clear();
  axis.texts = without_folders_and_suffix(axis.texts);
  for (std::size_t place = 0; place < axis.texts.size(); ++place) {
    axis.labels.push_back(axis.is_numeric() ? value_text(axis.numbers[place]) : short_text(axis.texts[place], 24));
    axis.texts[place] = short_text(axis.texts[place], 80);
  }
  return axis;
}

/// Whether a point is better than the best so far.
bool is_better(const StudyPointRow& point, const StudyPointRow* best) {
  if (best == nullptr) return point.score || point.speedup();
  const std::optional<double> speedup = point.speedup();
  const std::optional<double> best_speedup = best->speedup();
  if (speedup || best_speedup) return speedup.value_or(0) > best_speedup.value_or(0);
  return point.score.value_or(std::numeric_limits<double>::infinity()) < best->score.value_or(0);
}

}  // namespace

std::optional<StudyGrid> StudyGrid::of(const StoredStudy& study, std::span<const StudyPointRow> points) {
  StudyGrid grid;
  for (const StoredAxis& stored : study.axes) {
    std::optional<GridAxis> axis = axis_of(stored);
    if (!axis) return std::nullopt;
    if (axis->size() > 1) grid.several_.push_back(grid.axes_.size());
    grid.axes_.push_back(*std::move(axis));
  }
  grid.strides_.assign(grid.axes_.size(), 1);
  std::uint64_t size = 1;
  for (std::size_t i = grid.axes_.size(); i-- > 0;) {
    grid.strides_[i] = size;
    if (size > study.points / grid.axes_[i].size()) return std::nullopt;
    size *= grid.axes_[i].size();
  }
  if (size != study.points) return std::nullopt;
  for (const StudyPointRow& point : points) {
    if (point.position >= size) return std::nullopt;
    grid.points_.push_back(&point);
    if (is_better(point, grid.best_)) grid.best_ = &point;
  }
  std::sort(grid.points_.begin(), grid.points_.end(),
            [](const StudyPointRow* a, const StudyPointRow* b) { return a->position < b->position; });
  for (const std::size_t axis : grid.several_) grid.tell_apart(axis);
  return grid;
}

// Of a zipped axis the values of the first column are stored; those of the others are in the points.
void StudyGrid::tell_apart(std::size_t axis) {
  GridAxis& mine = axes_[axis];
  if (points_.empty() || std::set(mine.texts.begin(), mine.texts.end()).size() == mine.size()) return;
  std::vector<FigureData> places;
  for (std::size_t place = 0; place < mine.size(); ++place) {
    const StudyPointRow* point = at(moved(points_.front()->position, axis, place));
    if (point == nullptr) return;
    places.push_back(FigureData::parse(point->coordinates, nullptr, false));
    if (!places.back().is_object()) return;
  }
  mine.texts.assign(mine.size(), "");
  for (const auto& [key, first] : places.front().items()) {
    const auto has_first = [&name = key, &value = first](const FigureData& place) {
      return place.value(name, FigureData()) == value;
    };
    if (std::ranges::all_of(places, has_first)) continue;
    for (std::size_t place = 0; place < mine.size(); ++place) {
      const FigureData value = places[place].value(key, FigureData());
      std::string& text = mine.texts[place];
      text += fmt::format("{}{}", text.empty() ? "" : ", ", text_of_value(value));
    }
  }
  mine.numbers.clear();
  for (std::size_t place = 0; place < mine.size(); ++place) {
    mine.labels[place] = short_text(mine.texts[place], 24);
    mine.texts[place] = short_text(mine.texts[place], 80);
  }
}

std::uint64_t StudyGrid::moved(std::uint64_t position, std::size_t axis, std::size_t place) const {
  return position - this->place(position, axis) * strides_[axis] + place * strides_[axis];
}

const StudyPointRow* StudyGrid::at(std::uint64_t position) const {
  const auto found =
      std::lower_bound(points_.begin(), points_.end(), position,
                       [](const StudyPointRow* point, std::uint64_t wanted) { return point->position < wanted; });
  return found != points_.end() && (*found)->position == position ? *found : nullptr;
}

std::optional<std::uint64_t> StudyGrid::median_slice(std::size_t x, std::size_t y) const {
  std::map<std::uint64_t, std::vector<double>> slices;  // by the position with place 0 on both axes
  for (const StudyPointRow* point : points_) {
    const std::optional<double> speedup = point->speedup();
    if (speedup) slices[moved(moved(point->position, x, 0), y, 0)].push_back(*speedup);
  }
  const auto middle_of = [](auto& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
  };
  std::vector<std::pair<double, std::uint64_t>> medians;
  for (auto& [position, speedups] : slices) medians.emplace_back(middle_of(speedups), position);
  return medians.empty() ? std::nullopt : std::optional(middle_of(medians).second);
}

std::string StudyGrid::others_text(std::uint64_t position, std::size_t without, std::size_t and_without) const {
  std::string text;
  for (const std::size_t axis : several_) {
    if (axis == without || axis == and_without) continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", short_text(axes_[axis].name, 40),
                        axes_[axis].texts[place(position, axis)]);
  }
  return text;
}

std::string StudyGrid::place_text(std::uint64_t position) const {
  return several_.empty() ? "the only point" : others_text(position, axes_.size(), axes_.size());
}

std::string value_text(double value) {
  const std::string exact = fmt::format("{:.10g}", value);
  const bool is_round = rounded_to(value, 4) == value;
  return exact.size() <= 7 && !is_round ? exact : tick_text(value, AxisUnit::number);
}

std::string score_text(double score, const std::string& unit) {
  if (unit == "s") return short_seconds(score);
  return fmt::format("{} {}", short_count(score), short_text(unit));
}

std::string score_title(const std::string& unit) { return fmt::format("score ({})", short_text(unit)); }

AxisUnit axis_unit(const std::string& unit) { return unit == "s" ? AxisUnit::seconds : AxisUnit::number; }

std::size_t every(std::size_t size, std::size_t most) { return size <= most ? 1 : (size + most - 1) / most; }

}  // namespace upsweep

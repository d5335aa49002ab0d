#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "run_context.hpp"
#include "run_parts.hpp"
#include "study_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/figure/study_figures.hpp"

namespace upsweep {
namespace {

constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

constexpr std::size_t kMostSeries = 6;
constexpr std::size_t kMostPlaces = 160;  // along a line: 12 lines stay below kMostMarks

/// Where the scan begins or ends to be faster along an axis, or that it never does, as an answer has it.
struct Crossing {
  std::string along;
  FigureData where;         ///< values of the other axes
  double value = 0;         ///< of one that has_value()
  std::string faster = {};  ///< "from", "up to", "everywhere" or "nowhere"

  /// "everywhere" and "nowhere" come with a value too, where the two are nearest to even: that is no crossing.
  [[nodiscard]] bool has_value() const { return faster == "from" || faster == "up to"; }
};

std::vector<Crossing> crossings_of(const StoredStudy& study) {
  std::vector<Crossing> crossings;
  for (const StoredAnswer& answer : study.answers) {
    if (answer.question != "crossover") continue;
    const FigureData details = FigureData::parse(answer.details, nullptr, false);
    FigureData where = answer.place.empty() ? FigureData::object() : FigureData::parse(answer.place, nullptr, false);
    if (!details.is_object() || !where.is_object()) continue;
    const FigureData faster = details.value("faster", FigureData());
    const FigureData value = details.value("value", FigureData());
    const FigureData along = details.value("along", FigureData());
    if (!along.is_string() || !faster.is_string()) continue;
    Crossing crossing{along.get<std::string>(), std::move(where), 0, faster.get<std::string>()};
    const bool is_one_sided = crossing.faster == "everywhere" || crossing.faster == "nowhere";
    if (!is_one_sided && !(crossing.has_value() && value.is_number())) continue;
    if (!is_one_sided) crossing.value = value.get<double>();
    crossings.push_back(std::move(crossing));
  }
  return crossings;
}

/// Whether a crossing is one of the line through a point: its place has the values of all other axes.
bool is_of_line(const Crossing& crossing, const FigureData& coordinates) {
  for (const auto& [key, value] : crossing.where.items()) {
    const auto found = coordinates.find(key);
    if (found == coordinates.end() || *found != value) return false;
  }
  return true;
}

/// A figure along one axis: the grid, what to draw, and where the rest of the grid stands.
class LinesFigure {
 public:
  LinesFigure(const StoredStudy& study, const StudyGrid& grid, std::size_t along)
      : study_(study), grid_(grid), along_(along) {
    for (std::size_t i = 0; i < grid.several().size(); ++i) {
      if (grid.several()[i] == along && grid.several().size() > 1)
        next_ = grid.several()[(i + 1) % grid.several().size()];
    }
    slice_ = grid.median_slice(along, next_.value_or(along)).value_or(grid.best()->position);
    choose_series();
    skip_ = every(axis().size(), kMostPlaces);
    each([&](std::size_t, std::size_t, const StudyPointRow& point) {
      if (!point.plain_score) return;
      if (unit_.empty()) unit_ = point.unit;
      is_relative_ = is_relative_ || point.unit != unit_;
    });
    if (unit_.empty()) unit_ = grid.best()->unit;
  }

  /// Nothing where no line has a score.
  std::optional<Figure> make(const std::vector<Crossing>& crossings) {
    std::vector<double> scores;
    each([&](std::size_t, std::size_t, const StudyPointRow& point) {
      for (const bool is_scan : {false, true}) {
        if (const double height = height_of(point, is_scan); !std::isnan(height)) scores.push_back(height);
      }
    });
    if (scores.empty()) return std::nullopt;
    const PlotAxis y(scores, is_relative_ ? AxisUnit::number : axis_unit(unit_));
    const PlotAxis x(axis().numbers, AxisUnit::number);
    Figure figure{.kind = "study-lines", .title = title(), .caption = "", .context = study_context(study_)};
    figure.tables["points"] = points_table(x, y);
    figure.tables["crossings"] = crossings_table(crossings, x);
    set_signals(figure, x, y);
    figure.caption = caption(figure) + one_sided_text(crossings);
    return figure;
  }

 private:
  [[nodiscard]] const GridAxis& axis() const { return grid_.axes()[along_]; }
  /// The score of a point or, of lines of several units, that over plain back-propagation's; kNoScore: there is none.
  [[nodiscard]] double height_of(const StudyPointRow& point, bool is_scan) const {
    const double score = (is_scan ? point.scan_score : point.plain_score).value_or(kNoScore);
    return is_relative_ ? point.plain_score.value_or(kNoScore) / score : score;
  }
  [[nodiscard]] std::size_t none() const { return grid_.axes().size(); }

  /// At most kMostSeries of the places of the next axis that have a score, or of all where none has, spread evenly, the
  /// first and the last among them.
  void choose_series() {
    if (!next_) {
      series_ = {slice_};
      return;
    }
    std::vector<std::uint64_t> lines;
    for (std::size_t place = 0; place < grid_.axes()[*next_].size(); ++place)
      lines.push_back(grid_.moved(slice_, *next_, place));
    if (std::ranges::any_of(lines, [&](std::uint64_t line) { return has_score(line); }))
      std::erase_if(lines, [&](std::uint64_t line) { return !has_score(line); });
    const std::size_t size = lines.size();
    const std::size_t count = std::min(size, kMostSeries);
    for (std::size_t i = 0; i < count; ++i)
      series_.push_back(lines[count == size ? i : (2 * i * (size - 1) + count - 1) / (2 * (count - 1))]);
  }

  /// Whether a point of the line through a position has a score.
  [[nodiscard]] bool has_score(std::uint64_t line) const {
    for (std::size_t place = 0; place < axis().size(); ++place) {
      const StudyPointRow* point = grid_.at(grid_.moved(line, along_, place));
      if (point != nullptr && (point->plain_score || point->scan_score)) return true;
    }
    return false;
  }

  /// Calls take(series, place, point) for every point that is drawn.
  template <class Take>
  void each(const Take& take) const {
    for (std::size_t series = 0; series < series_.size(); ++series) {
      for (std::size_t place = 0; place < axis().size(); place += skip_) {
        if (const StudyPointRow* point = grid_.at(grid_.moved(series_[series], along_, place)))
          take(series, place, *point);
      }
    }
  }

  [[nodiscard]] FigureData points_table(const PlotAxis& x, const PlotAxis& y) const {
    FigureData table = figure_table({"line", "series", "method", "x", "y", "about"});
    for (int method = 0; method < 2; ++method) {
      for (std::size_t series = 0; series < series_.size(); ++series) {
        for (std::size_t place = 0; place < axis().size(); place += skip_) {
          const std::uint64_t position = grid_.moved(series_[series], along_, place);
          const StudyPointRow* point = grid_.at(position);
          const double score = point == nullptr ? kNoScore : height_of(*point, method == 1);
          const FigureData at = axis().is_numeric() ? x.coordinate(axis().numbers[place]) : FigureData(place);
          const FigureData height = std::isnan(score) ? FigureData() : y.coordinate(score);
          const std::string about = height.is_null() ? "" : about_text(*point, method == 1);
          table["rows"].push_back({2 * series + static_cast<std::size_t>(method), series, method, at, height, about});
        }
      }
    }
    return table;
  }

  [[nodiscard]] std::string about_text(const StudyPointRow& point, bool is_scan) const {
    const double score = *(is_scan ? point.scan_score : point.plain_score);
    std::string text = fmt::format("{}: {}, {}", is_scan ? "best scan" : "plain back-propagation",
                                   score_text(score, point.unit), grid_.place_text(point.position));
    if (const std::optional<double> speedup = point.speedup())
      text += fmt::format(", speedup of the scan {}", short_ratio(*speedup));
    return point.schedule.empty() ? text : fmt::format("{}, best schedule {}", text, short_text(point.schedule));
  }

  /// A row per value: equal ones of several lines together, of series -1.
  [[nodiscard]] FigureData crossings_table(const std::vector<Crossing>& crossings, const PlotAxis& x) const {
    FigureData table = figure_table({"x", "series", "row", "label", "about"});
    for (const auto& [place, lines] : lines_by_crossing(crossings)) {
      const auto& [value, faster] = place;
      const FigureData at = x.coordinate(value);
      if (at.is_null()) continue;
      std::string label = fmt::format("{} {}", faster, value_text(value));
      if (lines.size() > 1) label += fmt::format(" ({} of {} lines)", lines.size(), series_.size());
      const std::string others = grid_.others_text(series_[lines.front()], along_, none());
      std::string about = fmt::format("the scan is faster {} {} = {:.10g}", faster, short_text(axis().name, 40), value);
      if (!others.empty()) about += fmt::format(", at {}{}", others, lines.size() > 1 ? " and more" : "");
      const std::int64_t series = lines.size() > 1 ? -1 : static_cast<std::int64_t>(lines.front());
      table["rows"].push_back({at, series, table["rows"].size(), label, about});
    }
    return table;
  }

  /// The lines of each crossing along the axis, by value and side.
  [[nodiscard]] std::map<std::pair<double, std::string>, std::vector<std::size_t>> lines_by_crossing(
      const std::vector<Crossing>& crossings) const {
    std::map<std::pair<double, std::string>, std::vector<std::size_t>> lines;
    for (std::size_t series = 0; axis().is_numeric() && series < series_.size(); ++series) {
      const FigureData coordinates = coordinates_of(series_[series]);
      for (const Crossing& crossing : crossings) {
        if (crossing.has_value() && crossing.along == axis().name && is_of_line(crossing, coordinates))
          lines[{crossing.value, crossing.faster}].push_back(series);
      }
    }
    return lines;
  }

  /// " Nowhere along workers is the scan faster at length = 10, 22." of the lines without a crossing; empty without
  /// such.
  [[nodiscard]] std::string one_sided_text(const std::vector<Crossing>& crossings) const {
    std::string text;
    for (const char* faster : {"nowhere", "everywhere"}) {
      std::size_t lines = 0;
      std::string where;
      for (const std::uint64_t position : series_) {
        const FigureData coordinates = coordinates_of(position);
        if (std::none_of(crossings.begin(), crossings.end(), [&](const Crossing& crossing) {
              return crossing.faster == faster && crossing.along == axis().name && is_of_line(crossing, coordinates);
            }))
          continue;
        ++lines;
        if (next_) where += fmt::format("{}{}", where.empty() ? "" : ", ", next_label(position));
      }
      if (lines == 0) continue;
      text += fmt::format(" The scan is faster {} along {}", faster, short_text(axis().name, 40));
      if (next_ && lines < series_.size())
        text += fmt::format(" at {} = {}", short_text(grid_.axes()[*next_].name, 40), where);
      text += lines > 1 && lines == series_.size() ? " in all lines." : ".";
    }
    return text;
  }

  [[nodiscard]] const std::string& next_label(std::uint64_t position) const {
    const GridAxis& next = grid_.axes()[*next_];
    return next.labels[grid_.place(position, *next_)];
  }

  /// Of any point of the line through a position.
  [[nodiscard]] FigureData coordinates_of(std::uint64_t position) const {
    for (std::size_t place = 0; place < axis().size(); ++place) {
      const StudyPointRow* point = grid_.at(grid_.moved(position, along_, place));
      if (point == nullptr) continue;
      FigureData coordinates = FigureData::parse(point->coordinates, nullptr, false);
      if (coordinates.is_object()) return coordinates;
    }
    return FigureData::object();
  }

  void set_signals(Figure& figure, const PlotAxis& x, const PlotAxis& y) const {
    FigureData& signals = figure.signals;
    if (axis().is_numeric()) {
      x.set_signals(signals, "x");
    } else {
      set_ordinal_signals(signals, "x", axis().labels);
    }
    y.set_signals(signals, "y");
    signals["is_ordinal"] = !axis().is_numeric();
    signals["x_title"] = short_text(axis().name, 60);
    signals["y_title"] = is_relative_ ? "speed-up over plain BP" : score_title(unit_);
    signals["bands"] = figure.tables["crossings"]["rows"].size();
    FigureData labels = FigureData::array();
    FigureData values = FigureData::array();
    for (std::size_t i = 0; next_ && i < series_.size(); ++i) {
      labels.push_back(next_label(series_[i]));
      values.push_back(i);
    }
    std::size_t longest = 1;
    for (const FigureData& label : labels) longest = std::max(longest, label.get_ref<const std::string&>().size());
    signals["series_longest"] = longest;
    signals["series_title"] = next_ ? short_text(grid_.axes()[*next_].name, 60) : "";
    signals["series_labels"] = std::move(labels);
    signals["series_values"] = std::move(values);
  }

  [[nodiscard]] std::string title() const {
    return fmt::format("{}: score along {}", short_text(study_.name, 60), short_text(axis().name, 40));
  }

  [[nodiscard]] std::string caption(const Figure& figure) const {
    std::string text = is_relative_ ? "Speed-up of the best scan over plain back-propagation, by line in seconds or in "
                                      "FLOPs; above 1x the scan is faster."
                                    : "Score of plain back-propagation and of the best scan; lower is faster.";
    const std::string others = grid_.others_text(slice_, along_, next_.value_or(none()));
    if (!others.empty()) text += fmt::format(" At {}, {}.", others, kMedianSlice);
    if (next_ && series_.size() < grid_.axes()[*next_].size()) {
      text += fmt::format(" {} of {} values of {} are shown.", series_.size(), grid_.axes()[*next_].size(),
                          short_text(grid_.axes()[*next_].name, 40));
    }
    if (skip_ > 1) text += fmt::format(" One of {} places along the axis is shown.", skip_);
    if (!figure.tables["crossings"]["rows"].empty())
      text += " Vertical rules: from or up to where the scan is faster, as the study narrowed it down.";
    std::size_t absent = 0;  // rows of a point are two, of which one may have a score
    const FigureData& rows = figure.tables["points"]["rows"];
    for (std::size_t row = 0; 2 * row < rows.size(); ++row)
      absent += rows[row][4].is_null() && rows[row + rows.size() / 2][4].is_null() ? 1 : 0;
    if (absent > 0)
      text += fmt::format(" Gaps: {} without a score (invalid, does not fit, or left out).", counted(absent, "point"));
    return text;
  }

  const StoredStudy& study_;
  const StudyGrid& grid_;
  std::size_t along_;
  std::uint64_t slice_ = 0;  // a position of the slice that is drawn
  std::string unit_;         // of its scores
  std::optional<std::size_t> next_;
  std::vector<std::uint64_t> series_;  // a position of each
  std::size_t skip_ = 1;
  bool is_relative_ = false;  // lines of several units
};

}  // namespace

std::vector<Figure> study_line_figures(const StoredStudy& study, std::span<const StudyPointRow> points) {
  const std::optional<StudyGrid> grid = StudyGrid::of(study, points);
  std::vector<Figure> figures;
  if (!grid || grid->best() == nullptr) return figures;
  const std::vector<Crossing> crossings = crossings_of(study);
  for (const std::size_t axis : grid->several()) {
    std::optional<Figure> figure = LinesFigure(study, *grid, axis).make(crossings);
    if (figure) figures.push_back(*std::move(figure));
  }
  return figures;
}

}  // namespace upsweep

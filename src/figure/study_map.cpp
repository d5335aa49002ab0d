#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "plot_axis.hpp"
#include "run_context.hpp"
#include "run_parts.hpp"
#include "study_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/figure/run_figures.hpp"
#include "upsweep/figure/study_figures.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostPlacesOfMap = 60;  // along an axis
constexpr std::size_t kMostPlacesWithText = 15;

/// A sign for a cell without a speedup, and what it means.
struct CellSign {
  const char* sign;
  const char* meaning;
};

CellSign sign_of(const StudyPointRow* point) {
  if (point == nullptr) return {"·", "not computed yet"};
  if (point->status == "infeasible") return {"×", "does not fit"};
  if (point->status == "invalid") return {"?", "invalid"};
  if (point->status == "excluded") return {"–", "excluded by a constraint"};
  return {"=", "without a score of both methods"};
}

/// The two axes of a map and the places that are shown of each.
struct MapAxes {
  std::size_t x = 0;
  std::size_t y = 0;
  std::size_t skip_x = 1;
  std::size_t skip_y = 1;
};

/// Texts go down the side, where there is room for them; else the longer axis goes across.
MapAxes map_axes(const StudyGrid& grid) {
  const GridAxis& first = grid.axes()[grid.several()[0]];
  const GridAxis& second = grid.axes()[grid.several()[1]];
  const bool first_is_across =
      first.is_numeric() == second.is_numeric() ? first.size() > second.size() : first.is_numeric();
  MapAxes axes{grid.several()[first_is_across ? 0 : 1], grid.several()[first_is_across ? 1 : 0]};
  const std::size_t across = grid.axes()[axes.x].size();
  const std::size_t down = grid.axes()[axes.y].size();
  axes.skip_x = every(across, kMostPlacesOfMap);
  axes.skip_y = every(down, kMostPlacesOfMap);
  axes.skip_y = std::max(axes.skip_y, every(down, kMostMarks / (across / axes.skip_x + 1)));
  return axes;
}

std::string about_cell(const StudyGrid& grid, const StudyPointRow* point, std::uint64_t position,
                       const std::optional<double>& speedup) {
  std::string text = grid.place_text(position);
  if (!speedup) text += fmt::format(": {}", sign_of(point).meaning);
  if (point == nullptr) return text;
  if (speedup) text += fmt::format(": speedup of the scan {}", short_ratio(*speedup));
  if (point->plain_score)
    text += fmt::format("; plain back-propagation {}", score_text(*point->plain_score, point->unit));
  if (point->scan_score) text += fmt::format("; best scan {}", score_text(*point->scan_score, point->unit));
  if (!point->schedule.empty()) text += fmt::format("; best schedule {}", short_text(point->schedule));
  return text;
}

/// The sides of the colours around 0, in powers of two: as far as values reach, but neither side below one power of two
/// where the other one reaches that far, so that small gains do not look like large ones.
std::pair<double, double> sides_of(const std::vector<double>& powers) {
  const auto [least, most] = std::minmax_element(powers.begin(), powers.end());
  const double low = std::max(-*least, 0.0);
  const double high = std::max(*most, 0.0);
  const double floor = std::clamp(std::max(low, high), 0.05, 1.0);
  return {-std::max(low, floor), std::max(high, floor)};
}

class MapTable {
 public:
  /// `start`: a position of the slice.
  MapTable(const StudyGrid& grid, const MapAxes& axes, std::uint64_t start) : grid_(grid), axes_(axes) {
    for (std::size_t y = 0; y < grid.axes()[axes.y].size(); y += axes.skip_y) {
      for (std::size_t x = 0; x < grid.axes()[axes.x].size(); x += axes.skip_x)
        add(grid.moved(grid.moved(start, axes.x, x), axes.y, y), x, y);
    }
  }

  [[nodiscard]] const std::vector<double>& powers() const { return powers_; }
  [[nodiscard]] FigureData take_table() { return std::move(table_); }
  [[nodiscard]] std::string signs_text() const {
    std::string text;
    for (const auto& [sign, meaning] : signs_) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", sign, meaning);
    return text;
  }

 private:
  void add(std::uint64_t position, std::size_t x, std::size_t y) {
    const StudyPointRow* point = grid_.at(position);
    std::optional<double> speedup;
    if (point != nullptr) speedup = point->speedup();
    if (speedup) {
      powers_.push_back(std::log2(*speedup));
    } else {
      const CellSign sign = sign_of(point);
      signs_[sign.sign] = sign.meaning;
    }
    table_["rows"].push_back({x, y, speedup ? rounded(powers_.back()) : FigureData(),
                              speedup ? short_text(point->schedule, 14) : sign_of(point).sign,
                              speedup ? short_ratio(*speedup) : "", about_cell(grid_, point, position, speedup)});
  }

  const StudyGrid& grid_;
  MapAxes axes_;
  std::vector<double> powers_;
  std::map<std::string, std::string> signs_;
  FigureData table_ = figure_table({"x", "y", "power", "text", "ratio", "about"});
};

FigureData shown_places(std::size_t size, std::size_t skip) {
  FigureData places = FigureData::array();
  for (std::size_t place = 0; place < size; place += skip) places.push_back(place);
  return places;
}

void set_axis_signals(FigureData& signals, const char* name, const GridAxis& axis, std::size_t skip) {
  std::size_t longest = 0;
  for (const std::string& label : axis.labels) longest = std::max(longest, label.size());
  signals[fmt::format("{}_places", name)] = shown_places(axis.size(), skip);
  signals[fmt::format("{}_labels", name)] = axis.labels;
  signals[fmt::format("{}_title", name)] = short_text(axis.name, 60);
  signals[fmt::format("{}_longest", name)] = longest;
}

std::string map_caption(const StudyGrid& grid, const MapAxes& axes, std::uint64_t slice, const std::string& signs) {
  std::string text =
      "Speedup of the best scan over plain back-propagation: above 1 the scan is faster. In the cells, where there is "
      "room: the best schedule.";
  const std::string others = grid.others_text(slice, axes.x, axes.y);
  if (!others.empty()) text += fmt::format(" At {}, {}.", others, kMedianSlice);
  for (const auto& [axis, skip] : {std::pair(axes.x, axes.skip_x), std::pair(axes.y, axes.skip_y)}) {
    if (skip > 1)
      text += fmt::format(" One of {} values of {} is shown.", skip, short_text(grid.axes()[axis].name, 40));
  }
  return signs.empty() ? text : fmt::format("{} Grey: {}.", text, signs);
}

}  // namespace

std::optional<Figure> study_map_figure(const StoredStudy& study, std::span<const StudyPointRow> points) {
  const std::optional<StudyGrid> grid = StudyGrid::of(study, points);
  if (!grid || grid->several().size() < 2) return std::nullopt;
  const MapAxes axes = map_axes(*grid);
  const std::uint64_t slice = grid->median_slice(axes.x, axes.y).value_or(0);
  MapTable table(*grid, axes, slice);
  if (table.powers().empty()) return std::nullopt;
  const GridAxis& across = grid->axes()[axes.x];
  const GridAxis& down = grid->axes()[axes.y];
  Figure figure{.kind = "study-map",
                .title = "",
                .caption = map_caption(*grid, axes, slice, table.signs_text()),
                .context = study_context(study)};
  figure.title = fmt::format("{}: speedup over {} and {}", short_text(study.name, 60), short_text(across.name, 40),
                             short_text(down.name, 40));
  figure.tables["cells"] = table.take_table();
  set_axis_signals(figure.signals, "x", across, axes.skip_x);
  set_axis_signals(figure.signals, "y", down, axes.skip_y);
  const auto [low, high] = sides_of(table.powers());
  figure.signals["low"] = low;
  figure.signals["high"] = high;
  figure.signals["legend_values"] = {low, low / 2, 0, high / 2, high};
  FigureData labels = FigureData::array();
  for (const double power : {low, low / 2, 0.0, high / 2, high})
    labels.push_back(fmt::format("{:.10g}x", rounded_to(std::exp2(power), 3)));
  figure.signals["legend_labels"] = std::move(labels);
  const std::size_t rows = (down.size() + axes.skip_y - 1) / axes.skip_y;
  figure.signals["has_text"] = across.size() <= kMostPlacesWithText && rows <= kMostPlacesWithText;
  figure.signals["height"] = static_cast<double>(rows) * std::clamp(300.0 / static_cast<double>(rows), 11.0, 40.0);
  return figure;
}

}  // namespace upsweep

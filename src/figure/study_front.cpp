#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "point_grid.hpp"
#include "run_parts.hpp"
#include "study_parts.hpp"
#include "upsweep/figure/run_figures.hpp"
#include "upsweep/figure/study_figures.hpp"
#include "upsweep/report/format.hpp"

namespace upsweep {
namespace {

/// A point of a study with a score and a memory above 0.
struct FrontPoint {
  const StudyPointRow* row = nullptr;
  double bytes = 0;
  double score = 0;
  bool is_on_front = false;

  [[nodiscard]] bool is_plain() const { return row->schedule == "linear"; }
};

/// What is drawn of a study's points, and what is not.
struct FrontPoints {
  std::vector<FrontPoint> points;  ///< by memory, then score
  std::size_t without = 0;         ///< no score, or no memory above 0
  std::size_t other_units = 0;
};

/// Marks the points than which none needs less memory and has a better score: of equal ones the first.
void mark_front(std::vector<FrontPoint>& points) {
  std::sort(points.begin(), points.end(), [](const FrontPoint& a, const FrontPoint& b) {
    return std::tie(a.bytes, a.score, a.row->position) < std::tie(b.bytes, b.score, b.row->position);
  });
  double best = std::numeric_limits<double>::infinity();
  for (FrontPoint& point : points) {
    point.is_on_front = point.score < best;
    best = std::min(best, point.score);
  }
}

FrontPoints front_points(std::span<const StudyPointRow> rows, const std::string& unit) {
  FrontPoints found;
  for (const StudyPointRow& row : rows) {
    if (!row.score || !row.peak_live_bytes || !(*row.score > 0) || !(*row.peak_live_bytes > 0)) {
      ++found.without;
    } else if (row.unit != unit) {
      ++found.other_units;
    } else {
      found.points.push_back({&row, *row.peak_live_bytes, *row.score});
    }
  }
  mark_front(found.points);
  return found;
}

/// The unit of most points with scores.
std::string main_unit(std::span<const StudyPointRow> rows) {
  std::size_t seconds = 0;
  std::size_t others = 0;
  std::string other;
  for (const StudyPointRow& row : rows) {
    if (!row.score) continue;
    ++(row.unit == "s" ? seconds : others);
    if (row.unit != "s") other = row.unit;
  }
  return seconds >= others ? "s" : other;
}

class FrontTable {
 public:
  FrontTable(const std::optional<StudyGrid>& grid, const FrontPoints& found) : grid_(grid) {
    std::vector<double> bytes;
    std::vector<double> scores;
    for (const FrontPoint& point : found.points) {
      bytes.push_back(point.bytes);
      scores.push_back(point.score);
    }
    x_ = PlotAxis(bytes, AxisUnit::bytes, PlotAxis::Kind::logarithmic);
    y_ = PlotAxis(scores, axis_unit(found.points.front().row->unit), PlotAxis::Kind::logarithmic);
    add_others(found.points);
    for (const FrontPoint& point : found.points) {
      if (point.is_on_front) add(point.bytes, point.score, point, 1);
    }
  }

  [[nodiscard]] double per_decade() const { return per_decade_; }
  [[nodiscard]] FigureData take_table() { return std::move(table_); }
  void set_signals(FigureData& signals) const {
    x_.set_signals(signals, "x");
    y_.set_signals(signals, "y");
  }

 private:
  void add_others(const std::vector<FrontPoint>& points) {
    std::vector<PlotPoint> others;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!points[i].is_on_front)
        others.push_back({points[i].bytes, points[i].score, points[i].is_plain() ? 0U : 1U, i});
    }
    const PlotCells cells = grid_cells(others, kMostMarks);
    per_decade_ = cells.per_decade;
    for (const PlotCell& cell : cells.cells) add(cell.x, cell.y, points[cell.index], cell.count);
  }

  void add(double bytes, double score, const FrontPoint& point, std::size_t count) {
    std::string about = count > 1 ? fmt::format("{} near {} and {}, the first: ", counted(count, "point"),
                                                short_bytes(bytes), score_text(score, point.row->unit))
                                  : std::string();
    about += fmt::format("{}: {} in {}", grid_ ? grid_->place_text(point.row->position) : "a point",
                         score_text(point.score, point.row->unit), short_bytes(point.bytes));
    if (!point.row->schedule.empty()) about += fmt::format(", {}", short_text(point.row->schedule));
    if (point.is_on_front) about += ", on the Pareto front";
    table_["rows"].push_back({x_.coordinate(bytes), y_.coordinate(score), point.is_plain() ? 0 : 1,
                              point.is_on_front ? 1 : 0, rounded(cell_size(count)), about});
  }

  const std::optional<StudyGrid>& grid_;
  PlotAxis x_{{}, AxisUnit::bytes};
  PlotAxis y_{{}, AxisUnit::number};
  double per_decade_ = 0;
  FigureData table_ = figure_table({"x", "y", "kind", "front", "size", "about"});
};

std::string front_caption(const FrontPoints& found, double per_decade) {
  const auto front = static_cast<std::size_t>(std::count_if(found.points.begin(), found.points.end(),
                                                            [](const FrontPoint& point) { return point.is_on_front; }));
  std::string text = fmt::format(
      "Score and largest live memory of the best schedule at {}. {} on the Pareto front, joined: no other point has a "
      "better score in as little memory.",
      counted(found.points.size(), "point"),
      front == 1 ? "1 is" : fmt::format("{} are", short_count(static_cast<double>(front))));
  if (per_decade > 0) {
    text += fmt::format(" Points off the front are put together, {}; larger marks stand for more points.",
                        grid_text(per_decade));
  }
  if (found.without > 0)
    text += fmt::format(" {} without a score or memory not shown.", counted(found.without, "point"));
  if (found.other_units > 0) text += fmt::format(" {} in another unit not shown.", counted(found.other_units, "point"));
  return text;
}

}  // namespace

std::optional<Figure> study_front_figure(const StoredStudy& study, std::span<const StudyPointRow> points) {
  const std::string unit = main_unit(points);
  const FrontPoints found = front_points(points, unit);
  if (found.points.size() < 2) return std::nullopt;
  const std::optional<StudyGrid> grid = StudyGrid::of(study, points);
  FrontTable table(grid, found);
  Figure figure{.kind = "study-front", .title = "", .caption = front_caption(found, table.per_decade())};
  figure.title = fmt::format("{}: score and memory", short_text(study.name, 60));
  figure.tables["points"] = table.take_table();
  table.set_signals(figure.signals);
  figure.signals["y_title"] = score_title(unit);
  return figure;
}

}  // namespace upsweep

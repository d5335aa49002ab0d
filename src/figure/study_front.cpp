#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "point_grid.hpp"
#include "run_context.hpp"
#include "run_parts.hpp"
#include "study_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/figure/run_figures.hpp"
#include "upsweep/figure/study_figures.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostOnFronts = kMostMarks / 2;
constexpr std::size_t kMostTogether = 8;  // fronts in one panel: more cannot be told apart
constexpr std::size_t kMostFronts = 25;   // each in a panel of its own, all at one scale

/// A point of a study with a score and a memory above 0.
struct FrontPoint {
  const StudyPointRow* row = nullptr;
  double bytes = 0;
  double score = 0;
  std::size_t problem = 0;         ///< index, in the order of the first points
  bool is_on_front = false;        ///< of its problem
  bool is_best_of_all = false;     ///< on the front of all points, as the question pareto answers
  bool is_drawn = false;           ///< its problem is one of those with room
  bool is_drawn_on_front = false;  ///< of those on a front, likewise

  [[nodiscard]] bool is_plain() const { return row->schedule == "linear"; }
};

/// What is drawn of a study's points, and what is not.
struct FrontPoints {
  std::vector<FrontPoint> points;  ///< by memory, then score
  std::size_t without = 0;         ///< no score, or no memory above 0
  std::size_t other_units = 0;
  std::vector<std::string> problems;  ///< "length = 100", ...; one that is empty where all points are of one problem
  std::size_t fronts = 0;             ///< that are drawn
  std::size_t every_front = 1;        ///< one of so many problems is drawn
  std::size_t skip = 1;               ///< one of so many points of a front is drawn

  [[nodiscard]] bool has_panels() const { return fronts > kMostTogether; }
  /// Of a problem that is drawn.
  [[nodiscard]] std::size_t panel(std::size_t problem) const { return has_panels() ? problem / every_front : 0; }
};

/// Axes along which the problem changes: those along which plain back-propagation needs another memory, which depends
/// on the model, the batch and the type of values alone.
std::vector<std::size_t> problem_axes(const StudyGrid& grid, std::span<const StudyPointRow> rows) {
  std::vector<std::size_t> axes;
  for (const std::size_t axis : grid.several()) {
    const bool changes = std::any_of(rows.begin(), rows.end(), [&](const StudyPointRow& row) {
      const std::size_t place = grid.place(row.position, axis);
      if (place == 0 || !row.plain_bytes) return false;
      const StudyPointRow* before = grid.at(grid.moved(row.position, axis, place - 1));
      return before != nullptr && before->plain_bytes && *before->plain_bytes != *row.plain_bytes;
    });
    if (changes) axes.push_back(axis);
  }
  return axes;
}

/// "length = 100, batch = 4".
std::string problem_text(const StudyGrid& grid, const std::vector<std::size_t>& axes, std::uint64_t position) {
  std::string text;
  for (const std::size_t axis : axes) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", short_text(grid.axes()[axis].name, 40),
                        grid.axes()[axis].texts[grid.place(position, axis)]);
  }
  return text;
}

/// The parts of a problem's text, "length = 100": what stands before " = ", of a path its last part, or behind it.
std::vector<std::string> parts_of(const std::string& problem, bool of_names) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < problem.size();) {
    const std::size_t end = std::min(problem.find(", ", at), problem.size());
    const std::string part = problem.substr(at, end - at);
    const std::size_t equals = std::min(part.find(" = "), part.size());
    if (of_names) {
      const std::size_t dot = part.rfind('.', equals);
      const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
      parts.push_back(part.substr(begin, equals - begin));
    } else {
      parts.push_back(equals == part.size() ? part : part.substr(equals + 3));
    }
    at = end + 2;
  }
  return parts;
}

/// What stands above a panel: "length = 100" of a problem of one axis, else the values in the order of axes.
std::string panel_text(const std::string& problem) {
  const std::vector<std::string> values = parts_of(problem, false);
  if (values.size() != 1) return short_text(fmt::format("{}", fmt::join(values, ", ")), 40);
  return short_text(fmt::format("{} = {}", parts_of(problem, true).front(), values.front()), 40);
}

/// Marks the points than which none needs less memory and has a better score, of a problem and of all: of equal ones
/// the first.
void mark_fronts(FrontPoints& found) {
  std::sort(found.points.begin(), found.points.end(), [](const FrontPoint& a, const FrontPoint& b) {
    return std::tie(a.bytes, a.score, a.row->position) < std::tie(b.bytes, b.score, b.row->position);
  });
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::vector<double> best(found.problems.size(), kNone);
  double best_of_all = kNone;
  for (FrontPoint& point : found.points) {
    point.is_on_front = point.score < best[point.problem];
    point.is_best_of_all = point.score < best_of_all;
    best[point.problem] = std::min(best[point.problem], point.score);
    best_of_all = std::min(best_of_all, point.score);
  }
}

/// Chooses the problems that are drawn: all, or kMostFronts, spread evenly; of their fronts every k-th point and the
/// last.
void choose_drawn(FrontPoints& found) {
  found.every_front = every(found.problems.size(), kMostFronts);
  found.fronts = (found.problems.size() + found.every_front - 1) / found.every_front;
  std::vector<std::vector<FrontPoint*>> fronts(found.problems.size());
  std::size_t points = 0;
  for (FrontPoint& point : found.points) {
    point.is_drawn = point.problem % found.every_front == 0;
    if (!point.is_on_front || !point.is_drawn) continue;
    fronts[point.problem].push_back(&point);
    ++points;
  }
  found.skip = points <= kMostOnFronts ? 1 : every(points, kMostOnFronts - 2 * kMostFronts);
  for (const std::vector<FrontPoint*>& front : fronts) {
    for (std::size_t i = 0; i < front.size(); ++i)
      front[i]->is_drawn_on_front = i % found.skip == 0 || i + 1 == front.size();
  }
}

FrontPoints front_points(std::span<const StudyPointRow> rows, const std::string& unit,
                         const std::optional<StudyGrid>& grid) {
  const std::vector<std::size_t> axes = grid ? problem_axes(*grid, rows) : std::vector<std::size_t>();
  FrontPoints found;
  std::map<std::string, std::size_t> problems;
  for (const StudyPointRow& row : rows) {
    if (!row.score || !row.peak_live_bytes || !(*row.score > 0) || !(*row.peak_live_bytes > 0)) {
      ++found.without;
    } else if (row.unit != unit) {
      ++found.other_units;
    } else {
      const std::string name = grid ? problem_text(*grid, axes, row.position) : "";
      const auto [problem, is_new] = problems.try_emplace(name, found.problems.size());
      if (is_new) found.problems.push_back(name);
      found.points.push_back({&row, *row.peak_live_bytes, *row.score, problem->second});
    }
  }
  mark_fronts(found);
  choose_drawn(found);
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
  FrontTable(const std::optional<StudyGrid>& grid, const FrontPoints& found) : grid_(grid), found_(found) {
    std::vector<double> bytes;
    std::vector<double> scores;
    for (const FrontPoint& point : found.points) {
      if (!point.is_drawn) continue;
      bytes.push_back(point.bytes);
      scores.push_back(point.score);
    }
    x_ = PlotAxis(bytes, AxisUnit::bytes, PlotAxis::Kind::logarithmic);
    y_ = PlotAxis(scores, axis_unit(found.points.front().row->unit), PlotAxis::Kind::logarithmic);
    add_others(found.points);
    std::vector<bool> has_name(found.problems.size(), found.problems.size() == 1 || found.has_panels());
    for (const FrontPoint& point : found.points) {
      if (!point.is_drawn_on_front) continue;
      add(point.bytes, point.score, point, 1, has_name[point.problem] ? "" : found.problems[point.problem]);
      has_name[point.problem] = true;
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
      if (points[i].is_drawn && !points[i].is_drawn_on_front)
        others.push_back({points[i].bytes, points[i].score, points[i].is_plain() ? 0U : 1U, i});
    }
    const PlotCells cells = grid_cells(others, kMostMarks - kMostOnFronts);
    per_decade_ = cells.per_decade;
    for (const PlotCell& cell : cells.cells) add(cell.x, cell.y, points[cell.index], cell.count, "");
  }

  void add(double bytes, double score, const FrontPoint& point, std::size_t count, const std::string& name) {
    std::string about = count > 1 ? fmt::format("{} near {} and {}, the first: ", counted(count, "point"),
                                                short_bytes(bytes), score_text(score, point.row->unit))
                                  : std::string();
    about += fmt::format("{}: {} in {}", grid_ ? grid_->place_text(point.row->position) : "a point",
                         score_text(point.score, point.row->unit), short_bytes(point.bytes));
    if (!point.row->schedule.empty()) about += fmt::format(", {}", short_text(point.row->schedule));
    if (point.is_best_of_all) {
      about += ", on the Pareto front of all points";
    } else if (point.is_on_front) {
      about += ", on the Pareto front of its problem";
    }
    table_["rows"].push_back({x_.coordinate(bytes), y_.coordinate(score), point.is_plain() ? 0 : 1,
                              count == 1 && point.is_drawn_on_front ? 1 : 0, rounded(cell_size(count)), about,
                              point.problem, point.is_best_of_all, short_text(name, 40), found_.panel(point.problem)});
  }

  const std::optional<StudyGrid>& grid_;
  const FrontPoints& found_;
  PlotAxis x_{{}, AxisUnit::bytes};
  PlotAxis y_{{}, AxisUnit::number};
  double per_decade_ = 0;
  FigureData table_ = figure_table({"x", "y", "kind", "front", "size", "about", "problem", "best", "name", "panel"});
};

/// "1 is", "12 are".
std::string how_many_are(const FrontPoints& found, bool FrontPoint::*is_one) {
  const auto count = static_cast<std::size_t>(
      std::count_if(found.points.begin(), found.points.end(), [&](const FrontPoint& point) { return point.*is_one; }));
  return count == 1 ? "1 is" : fmt::format("{} are", short_count(static_cast<double>(count)));
}

std::string fronts_text(const FrontPoints& found) {
  if (found.problems.size() == 1) {
    return fmt::format(" {} on the Pareto front, joined: no other point has a better score in as little memory.",
                       how_many_are(found, &FrontPoint::is_on_front));
  }
  std::string text = fmt::format(
      " The points are of {} (axes that change the memory of plain back-propagation), and a small problem beats a "
      "large one in both: one Pareto front for each, joined. {} on one: no other point of the same problem has a "
      "better score in as little memory. Large marks: {} on the front of all points together, the answer to the "
      "question pareto.",
      counted(found.problems.size(), "problem"), how_many_are(found, &FrontPoint::is_on_front),
      how_many_are(found, &FrontPoint::is_best_of_all));
  if (found.fronts < found.problems.size())
    text += fmt::format(" Drawn are the points and fronts of {} problems, spread evenly.", found.fronts);
  return text;
}

std::string front_caption(const FrontPoints& found, double per_decade) {
  std::string text = fmt::format("Score and largest live memory of the best schedule at {}.{}",
                                 counted(found.points.size(), "point"), fronts_text(found));
  if (found.skip > 1) text += fmt::format(" Of each front one of {} points and the last are drawn.", found.skip);
  if (per_decade > 0) {
    text +=
        fmt::format(" Other points are put together, {}; larger marks stand for more points.", grid_text(per_decade));
  }
  if (found.without > 0)
    text += fmt::format(" {} without a score or memory not shown.", counted(found.without, "point"));
  if (found.other_units > 0) text += fmt::format(" {} in another unit not shown.", counted(found.other_units, "point"));
  return text;
}

}  // namespace

std::optional<Figure> study_front_figure(const StoredStudy& study, std::span<const StudyPointRow> points) {
  const std::string unit = main_unit(points);
  const std::optional<StudyGrid> grid = StudyGrid::of(study, points);
  const FrontPoints found = front_points(points, unit, grid);
  if (found.points.size() < 2) return std::nullopt;
  FrontTable table(grid, found);
  Figure figure{.kind = "study-front",
                .title = "",
                .caption = front_caption(found, table.per_decade()),
                .context = study_context(study)};
  figure.title = fmt::format("{}: score and memory", short_text(study.name, 60));
  figure.tables["points"] = table.take_table();
  table.set_signals(figure.signals);
  figure.signals["y_title"] = score_title(unit);
  FigureData names = FigureData::array();
  for (std::size_t problem = 0; found.has_panels() && problem < found.problems.size(); problem += found.every_front)
    names.push_back(panel_text(found.problems[problem]));
  if (found.has_panels()) {
    figure.signals["panels"] = names.size();
    figure.signals["panel_names"] = std::move(names);
    figure.caption += fmt::format(" A panel for each problem, by {}; all at one scale.",
                                  fmt::join(parts_of(found.problems.front(), true), ", "));
  }
  figure.signals["front_name"] = found.problems.size() > 1 ? "Pareto front of a problem" : "Pareto front";
  return figure;
}

}  // namespace upsweep

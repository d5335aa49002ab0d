#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "point_grid.hpp"
#include "run_context.hpp"
#include "run_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/figure/run_figures.hpp"
#include "upsweep/machine/error_figures.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostSchedules = 60;

bool is_time(double seconds) { return seconds > 0 && std::isfinite(seconds); }

bool has_level_predictions(const StoredMeasurement& measurement) {
  return std::any_of(measurement.levels.begin(), measurement.levels.end(),
                     [](const StoredMeasuredLevel& level) { return level.predicted_s && is_time(level.measured_s); });
}

/// The last measurement with predictions.
const StoredMeasurement* predicted_measurement(const RunDetails& run) {
  const auto last = std::find_if(run.measurements.rbegin(), run.measurements.rend(), has_level_predictions);
  return last == run.measurements.rend() ? nullptr : &*last;
}

std::string where_measured(const StoredMeasurement& measurement) {
  const std::string device =
      measurement.device.empty() ? "" : fmt::format(" on {}", short_text(measurement.device, 48));
  return short_text(measurement.backend) + device;
}

/// "predicted 1.2 ms, measured 2.4 ms (-50.0 %)".
std::string about_times(double predicted, double measured) {
  return fmt::format("predicted {}, measured {} ({:+.1f} %)", short_seconds(predicted), short_seconds(measured),
                     100 * (predicted / measured - 1));
}

/// Whether what was measured of an op is what is predicted of it: from its start to its end, with the machine to
/// itself. Of several workers their times are added up, of which no prediction is stored.
bool measures_ops_alone(const StoredMeasurement& measurement) { return measurement.workers == 1; }

/// Points of the scatter: group 0 ops, where these are measured alone, 1 levels; those without a place on logarithmic
/// axes are counted.
struct TimePoints {
  std::vector<PlotPoint> ops;
  std::vector<PlotPoint> levels;
  std::size_t left_out = 0;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;

  explicit TimePoints(const StoredMeasurement& measurement) {
    for (std::size_t i = 0; measures_ops_alone(measurement) && i < measurement.ops.size(); ++i)
      add(ops, 0, i, measurement.ops[i].predicted_alone_s, measurement.ops[i].measured_busy_s);
    for (std::size_t i = 0; i < measurement.levels.size(); ++i)
      add(levels, 1, i, measurement.levels[i].predicted_s, measurement.levels[i].measured_s);
  }

 private:
  void add(std::vector<PlotPoint>& points, std::uint32_t group, std::size_t index, std::optional<double> predicted,
           double measured) {
    if (!predicted) return;
    if (!is_time(*predicted) || !is_time(measured)) {
      ++left_out;
      return;
    }
    points.push_back({*predicted, measured, group, index});
    least = std::min({least, *predicted, measured});
    most = std::max({most, *predicted, measured});
  }
};

/// The texts of ops and levels of a scatter.
class TimeTexts {
 public:
  TimeTexts(const RunDetails& run, const StoredMeasurement& measurement)
      : run_(run), measurement_(measurement), texts_(run), critical_(critical_ops(run)) {}

  [[nodiscard]] std::string about(const PlotCell& cell) const {
    const std::string times = about_times(cell.x, cell.y);
    if (cell.count > 1) return fmt::format("{} near {}", counted(cell.count, cell.group == 0 ? "op" : "level"), times);
    if (cell.group == 0) {
      const std::size_t id = measurement_.ops[cell.index].op;
      if (id >= run_.ops.size()) return fmt::format("op {}: {}", id, times);
      return fmt::format("{}: {}", times, texts_.about(run_.ops[id], critical_[id]));
    }
    const std::uint32_t level = measurement_.levels[cell.index].level;
    return fmt::format("level {} ({}): {}", level, texts_.phase(level), times);
  }

 private:
  const RunDetails& run_;
  const StoredMeasurement& measurement_;
  OpTexts texts_;
  std::vector<bool> critical_;
};

std::string error_sentence(const StoredMeasurement& measurement) {
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const StoredMeasuredLevel& level : measurement.levels) {
    if (!level.predicted_s || !is_time(level.measured_s)) continue;
    predicted.push_back(*level.predicted_s);
    measured.push_back(level.measured_s);
  }
  const ErrorFigures errors = error_figures(predicted, measured);
  std::string text = fmt::format("Error |predicted / measured - 1| of {}: median {}, 90th percentile {}.",
                                 counted(errors.points, "level"), percent(errors.median), percent(errors.p90));
  if (measurement.predicted_s && is_time(measurement.measured_s))
    text += fmt::format(" From end to end: {}.", about_times(*measurement.predicted_s, measurement.measured_s));
  return text;
}

/// Levels put together: predicted and measured seconds added up.
struct ResidualBin {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  double predicted = 0;
  double measured = 0;
};

std::vector<ResidualBin> residual_bins(const StoredMeasurement& measurement) {
  const std::size_t per_bin = (measurement.levels.size() + kMostMarks - 1) / kMostMarks;
  std::vector<ResidualBin> bins;
  std::size_t taken = 0;
  for (const StoredMeasuredLevel& level : measurement.levels) {
    if (!level.predicted_s || !is_time(level.measured_s)) continue;
    if (taken++ % per_bin == 0) bins.push_back({level.level, level.level, 0, 0});
    bins.back().last = level.level;
    bins.back().predicted += *level.predicted_s;
    bins.back().measured += level.measured_s;
  }
  return bins;
}

/// A schedule on a backend and device.
struct MeasuredRow {
  const RunDetails* run;
  const StoredMeasurement* measurement;
};

/// The last measurement of each run on each backend and device: rows by depth within such a place, schemes last.
std::map<std::string, std::vector<MeasuredRow>> measured_rows(std::span<const RunDetails> runs) {
  std::map<std::string, std::vector<MeasuredRow>> groups;
  for (const RunDetails& run : runs) {
    std::map<std::string, const StoredMeasurement*> last;
    for (const StoredMeasurement& measurement : run.measurements) {
      if (is_time(measurement.measured_s)) last[where_measured(measurement)] = &measurement;
    }
    for (const auto& [where, measurement] : last) groups[where].push_back({&run, measurement});
  }
  for (auto& [where, rows] : groups) {
    std::stable_sort(rows.begin(), rows.end(), [](const MeasuredRow& a, const MeasuredRow& b) {
      constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();
      return a.run->run.depth.value_or(kLast) < b.run->run.depth.value_or(kLast);
    });
  }
  return groups;
}

/// The rows of the picture of runs that were measured, from top to bottom.
struct MeasuredTables {
  FigureData heads = figure_table({"row", "label"});
  FigureData rows = figure_table({"row", "label", "predicted", "measured", "fastest", "mismatch", "about"});
  std::size_t used = 0;
  std::size_t schedules = 0;
  std::size_t left_out = 0;
  bool has_predictions = false;

  void add_group(const std::string& where, const std::vector<MeasuredRow>& group) {
    if (schedules >= kMostSchedules) {
      left_out += group.size();
      return;
    }
    heads["rows"].push_back({used++, where});
    const auto fastest = std::min_element(group.begin(), group.end(), [](const MeasuredRow& a, const MeasuredRow& b) {
      // What is wrong is never the fastest.
      const bool is_a_wrong = !a.measurement->mismatch.empty();
      const bool is_b_wrong = !b.measurement->mismatch.empty();
      return is_a_wrong == is_b_wrong ? a.measurement->measured_s < b.measurement->measured_s : is_b_wrong;
    });
    const bool has_fastest = group.size() > 1 && fastest->measurement->mismatch.empty();
    for (const MeasuredRow& row : group) {
      if (schedules >= kMostSchedules) {
        ++left_out;
      } else {
        add(row, has_fastest && row.measurement == fastest->measurement);
      }
    }
  }

 private:
  void add(const MeasuredRow& row, bool is_fastest) {
    const StoredMeasurement& measurement = *row.measurement;
    const bool is_predicted = measurement.predicted_s && is_time(*measurement.predicted_s);
    const std::string schedule = short_text(row.run->run.schedule, 24);
    std::string about = fmt::format("{}: ", schedule);
    about += is_predicted ? about_times(*measurement.predicted_s, measurement.measured_s)
                          : fmt::format("measured {}", short_seconds(measurement.measured_s));
    if (is_fastest) about += ", the fastest";
    if (!measurement.mismatch.empty()) about += fmt::format(", wrong: {}", short_text(measurement.mismatch, 200));
    rows["rows"].push_back({used++, schedule, is_predicted ? FigureData(*measurement.predicted_s) : FigureData(nullptr),
                            measurement.measured_s, is_fastest, !measurement.mismatch.empty(), about});
    has_predictions = has_predictions || is_predicted;
    ++schedules;
  }
};

}  // namespace

std::optional<Figure> predicted_figure(const RunDetails& run) {
  const StoredMeasurement* measurement = predicted_measurement(run);
  if (measurement == nullptr) return std::nullopt;
  const TimePoints points(*measurement);
  if (points.ops.empty() && points.levels.empty()) return std::nullopt;
  const TimeTexts texts(run, *measurement);
  FigureData table = figure_table({"predicted", "measured", "kind", "size", "count", "about"});
  double per_decade = 0;
  for (const auto* list : {&points.ops, &points.levels}) {
    const PlotCells cells = grid_cells(*list, kMostMarks / 2);
    per_decade = std::max(per_decade, cells.per_decade);
    for (const PlotCell& cell : cells.cells) {
      table["rows"].push_back(
          {cell.x, cell.y, cell.group == 0 ? "op" : "level", cell_size(cell.count), cell.count, texts.about(cell)});
    }
  }
  Figure figure;
  figure.kind = "predicted";
  figure.context = run_context(run);
  figure.title = fmt::format("Predicted against measured: {}", where_measured(*measurement));
  const bool has_ops = measures_ops_alone(*measurement);
  figure.caption = fmt::format(
      "On the diagonal a prediction is right; the dashed lines are a factor of 2 away. A level is predicted and "
      "measured from its start to its end. {} {}",
      has_ops ? "So is an op, on the one worker."
              : "Ops are not shown: what is measured of them is added up over their workers.",
      error_sentence(*measurement));
  if (points.left_out > 0)
    figure.caption += fmt::format(" {} with a time of 0 not shown.", counted(points.left_out, "point"));
  if (per_decade > 0) {
    figure.caption += fmt::format(" Points near each other are put together in a grid of {}: the larger, the more.",
                                  grid_text(per_decade));
  }
  figure.tables["points"] = std::move(table);
  const char* what = has_ops ? "of an op or level" : "of a level";
  figure.signals["x_title"] = fmt::format("predicted seconds {}", what);
  figure.signals["y_title"] = fmt::format("measured seconds {}", what);
  figure.signals["kinds"] = has_ops ? FigureData::array({"op", "level"}) : FigureData::array({"level"});
  figure.signals["least"] = points.least;
  figure.signals["most"] = std::max(points.most, 2 * points.least);
  return figure;
}

std::optional<Figure> residuals_figure(const RunDetails& run) {
  const StoredMeasurement* measurement = predicted_measurement(run);
  if (measurement == nullptr) return std::nullopt;
  const OpTexts texts(run);
  FigureData table = figure_table({"label", "residual", "class", "about"});
  const std::vector<ResidualBin> bins = residual_bins(*measurement);
  bool is_together = false;
  for (const ResidualBin& bin : bins) {
    const double residual = bin.predicted / bin.measured - 1;
    const bool is_one = bin.first == bin.last;
    is_together = is_together || !is_one;
    const std::string where = is_one ? fmt::format("level {} ({})", bin.first, texts.phase(bin.first))
                                     : fmt::format("levels {} to {}", bin.first, bin.last);
    table["rows"].push_back({fmt::format("{}", bin.first), residual, residual > 0 ? "faster" : "slower",
                             fmt::format("{}: {}", where, about_times(bin.predicted, bin.measured))});
  }
  Figure figure;
  figure.kind = "residuals";
  figure.context = run_context(run);
  figure.title = fmt::format("Error of the prediction per level: {}", where_measured(*measurement));
  figure.caption = fmt::format(
      "Predicted / measured - 1: above 0 the machine was faster than predicted, below 0 slower (-50 %: it took "
      "twice as long). {}",
      error_sentence(*measurement));
  if (is_together) {
    figure.caption += fmt::format(" Each bar stands for up to {} levels, whose seconds are added up.",
                                  (measurement->levels.size() + kMostMarks - 1) / kMostMarks);
  }
  figure.tables["levels"] = std::move(table);
  return figure;
}

std::optional<Figure> measured_figure(std::span<const RunDetails> runs) {
  MeasuredTables tables;
  for (const auto& [where, rows] : measured_rows(runs)) tables.add_group(where, rows);
  if (tables.schedules < 2) return std::nullopt;
  Figure figure;
  figure.kind = "measured";
  figure.context = runs_context(runs.front());
  figure.title = "Measured seconds of the schedules";
  figure.caption = "The median time of a scan, by schedule. A ring marks the fastest of each backend.";
  if (tables.has_predictions) figure.caption += " A line joins what was predicted with what was measured.";
  if (tables.left_out > 0)
    figure.caption += fmt::format(" {} more not shown.", counted(tables.left_out, "measurement"));
  std::vector<std::string> labels(tables.used);
  for (const FigureData& row : tables.rows["rows"]) labels[row[0].get<std::size_t>()] = row[1].get<std::string>();
  figure.tables["heads"] = std::move(tables.heads);
  figure.tables["schedules"] = std::move(tables.rows);
  figure.signals["labels"] = labels;
  figure.signals["height"] = 26 * tables.used;
  figure.signals["kinds"] = FigureData::array({"measured"});
  if (tables.has_predictions) figure.signals["kinds"].push_back("predicted");
  return figure;
}

}  // namespace upsweep

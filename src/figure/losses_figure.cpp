#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "plot_axis.hpp"
#include "run_context.hpp"
#include "run_parts.hpp"
#include "upsweep/figure/run_figures.hpp"
#include "upsweep/figure/study_figures.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostCurves = 8;
constexpr std::uint64_t kRunsOfLine = 500;  // that a line beyond kMostMarks points becomes

/// Mean of a run of iterations of one method.
struct LossMean {
  double loss = 0;
  double accuracy = 0;
  std::uint64_t count = 0;

  void add(const LossPoint& point) {
    loss += point.loss;
    accuracy += point.accuracy;
    ++count;
  }
  [[nodiscard]] double mean_loss() const { return loss / static_cast<double>(count); }
  [[nodiscard]] double mean_accuracy() const { return accuracy / static_cast<double>(count); }
};

/// Curves by method; points by run of iterations.
struct LossCurves {
  std::vector<std::uint32_t> passes;                      ///< the curves shown, by index of their method
  std::map<std::uint32_t, std::size_t> points;            ///< iterations of each curve that there is, likewise
  std::uint64_t run = 1;                                  ///< iterations that a point stands for
  std::map<std::uint64_t, std::vector<LossMean>> by_run;  ///< by first iteration; as long as `passes`
};

LossCurves loss_curves(const PassRecord& record) {
  LossCurves curves;
  std::uint64_t last = 0;
  for (const LossPoint& point : record.losses) {
    ++curves.points[point.pass];
    last = std::max(last, point.iteration);
  }
  for (const auto& [pass, count] : curves.points) {
    if (curves.passes.size() < kMostCurves) curves.passes.push_back(pass);
    if (count > kMostMarks) curves.run = std::max(curves.run, last / kRunsOfLine + 1);
  }
  for (const LossPoint& point : record.losses) {
    const auto at = std::lower_bound(curves.passes.begin(), curves.passes.end(), point.pass);
    if (at == curves.passes.end() || *at != point.pass) continue;
    std::vector<LossMean>& means = curves.by_run[point.iteration / curves.run * curves.run];
    means.resize(curves.passes.size());
    means[static_cast<std::size_t>(at - curves.passes.begin())].add(point);
  }
  return curves;
}

std::string method_of(const PassRecord& record, std::uint32_t pass) {
  return pass < record.passes.size() ? short_text(record.passes[pass].method, 24) : fmt::format("method {}", pass);
}

/// The name beside the curve's line, short as legends are, with the iteration in which it ended early, if it did.
std::string label_of(const PassRecord& record, const LossCurves& curves, std::uint32_t pass) {
  const bool has_ended = pass < record.passes.size() && record.passes[pass].failure;
  return method_of(record, pass) +
         (has_ended ? fmt::format(", ended at {}", curves.points.at(pass) + 1) : std::string());
}

std::string about_run(const PassRecord& record, const LossCurves& curves, std::uint64_t first,
                      const std::vector<LossMean>& means) {
  std::string text = curves.run == 1 ? fmt::format("iteration {}", first + 1)
                                     : fmt::format("iterations {} to {}", first + 1, first + curves.run);
  for (std::size_t curve = 0; curve < means.size(); ++curve) {
    if (means[curve].count == 0) continue;
    text +=
        fmt::format("{} {}: loss {:.5g}, accuracy {}", curve == 0 ? ":" : ";", method_of(record, curves.passes[curve]),
                    means[curve].mean_loss(), percent(means[curve].mean_accuracy()));
  }
  return text;
}

void add_tables(Figure& figure, const PassRecord& record, const LossCurves& curves, const PlotAxis& losses) {
  FigureData points = figure_table({"curve", "x", "loss", "accuracy"});
  FigureData runs = figure_table({"from", "to", "about"});
  for (std::size_t curve = 0; curve < curves.passes.size(); ++curve) {
    for (const auto& [first, means] : curves.by_run) {
      const LossMean& mean = means[curve];
      const double middle = static_cast<double>(first) + 0.5 * static_cast<double>(curves.run + 1);
      points["rows"].push_back({curve, middle, mean.count == 0 ? FigureData() : losses.coordinate(mean.mean_loss()),
                                mean.count == 0 ? FigureData() : rounded(100 * mean.mean_accuracy())});
    }
  }
  for (const auto& [first, means] : curves.by_run) {
    const double from = static_cast<double>(first) + 0.5;
    runs["rows"].push_back({from, from + static_cast<double>(curves.run), about_run(record, curves, first, means)});
  }
  figure.tables["points"] = std::move(points);
  figure.tables["runs"] = std::move(runs);
}

std::string losses_caption(const PassRecord& record, const LossCurves& curves, bool is_log, bool has_gaps) {
  std::string text =
      fmt::format("Loss{} and accuracy of each batch, one line per backward method, from the same start.",
                  is_log ? " (logarithmic)" : "");
  if (curves.run > 1) text += fmt::format(" A point is the mean of {} iterations.", curves.run);
  if (curves.passes.size() < curves.points.size())
    text += fmt::format(" The first {} of {} methods.", curves.passes.size(), curves.points.size());
  double largest = -1;
  std::string of;
  for (const PassRow& row : record.passes) {
    if (!row.loss_difference || !(*row.loss_difference > largest)) continue;
    largest = *row.loss_difference;
    of = short_text(row.method, 24);
  }
  if (largest >= 0 && record.passes.size() > 1) {
    text += fmt::format(" The largest difference of a loss from that of {}: {:.2g}, by {}.",
                        short_text(record.passes.front().method, 24), largest, of);
  }
  return has_gaps ? text + " Gaps: the loss is no finite number there." : text;
}

}  // namespace

std::optional<Figure> losses_figure(const StoredPasses& passes) {
  const PassRecord& record = passes.record;
  if (record.losses.empty()) return std::nullopt;
  const LossCurves curves = loss_curves(record);
  std::vector<double> losses;
  std::vector<double> accuracies;
  bool has_gaps = false;
  for (const auto& [first, means] : curves.by_run) {
    for (const LossMean& mean : means) {
      if (mean.count == 0) continue;
      losses.push_back(mean.mean_loss());
      accuracies.push_back(100 * mean.mean_accuracy());
      has_gaps = has_gaps || !std::isfinite(mean.mean_loss());
    }
  }
  const PlotAxis loss_axis(losses, AxisUnit::number);
  const auto first = static_cast<double>(curves.by_run.begin()->first);
  const auto last = static_cast<double>(curves.by_run.rbegin()->first + curves.run);
  Figure figure{.kind = "losses", .title = "", .caption = losses_caption(record, curves, loss_axis.is_log(), has_gaps)};
  figure.title = fmt::format("{}: loss and accuracy", short_text(record.model, 60));
  figure.context = passes_context(record);
  add_tables(figure, record, curves, loss_axis);
  loss_axis.set_signals(figure.signals, "loss");
  PlotAxis(accuracies, AxisUnit::number).set_signals(figure.signals, "accuracy");
  figure.signals["x_domain"] = FigureData::array({first + 0.5, last + 0.5});
  figure.signals["loss_title"] = loss_axis.is_log() ? "loss (logarithmic)" : "loss";
  FigureData labels = FigureData::array();
  for (const std::uint32_t pass : curves.passes) labels.push_back(label_of(record, curves, pass));
  figure.signals["labels"] = std::move(labels);
  return figure;
}

}  // namespace upsweep

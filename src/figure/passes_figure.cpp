#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "plot_axis.hpp"
#include "run_context.hpp"
#include "run_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/figure/study_figures.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostMethods = 40;

using PhaseSeconds = double PassSeconds::*;
constexpr std::array<std::pair<const char*, PhaseSeconds>, 4> kPhases = {{{"jacobians", &PassSeconds::jacobians},
                                                                          {"up", &PassSeconds::up},
                                                                          {"middle", &PassSeconds::middle},
                                                                          {"down", &PassSeconds::down}}};

bool has_times(const PassRow& row) { return row.predicted || row.measured; }

/// What rows are sorted out by where there are too many: measured before predicted seconds.
double sort_seconds(const PassRow& row) { return row.measured ? row.measured->total() : row.predicted->total(); }

/// Rows with times, at most kMostMethods: the first and the fastest, in their order.
std::vector<const PassRow*> shown_passes(const PassRecord& record, std::size_t& all) {
  std::vector<const PassRow*> rows;
  for (const PassRow& row : record.passes) {
    if (has_times(row)) rows.push_back(&row);
  }
  all = rows.size();
  if (rows.size() <= kMostMethods) return rows;
  std::stable_sort(rows.begin() + 1, rows.end(),
                   [](const PassRow* a, const PassRow* b) { return sort_seconds(*a) < sort_seconds(*b); });
  rows.resize(kMostMethods);
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::string method_label(const PassRow& row, bool has_backends) {
  const std::string name = short_text(row.method, 24);
  return has_backends && !row.backend.empty() ? fmt::format("{} ({})", name, short_text(row.backend, 16)) : name;
}

std::string about_phase(const PassRow& row, const char* kind, const char* phase, double seconds, double total) {
  std::string text = fmt::format("{}, {} {}: {} of {}", method_label(row, true), kind, phase, short_seconds(seconds),
                                 short_seconds(total));
  if (row.flops) text += fmt::format(", {} FLOPs", short_count(*row.flops));
  if (row.failure) text += fmt::format(", failed: {}", short_text(*row.failure, 120));
  if (row.mismatch) text += fmt::format(", wrong: {}", short_text(*row.mismatch, 120));
  return text;
}

/// The bars of a pass: phases end to end, predicted above measured.
class PassBars {
 public:
  void add(std::size_t place, const PassRow& row) {
    const double lanes = row.predicted && row.measured ? 2 : 1;
    double lane = 0;
    if (row.predicted) add_bar(place, row, *row.predicted, "predicted", lane++ / lanes, 1 / lanes);
    if (row.measured) add_bar(place, row, *row.measured, "measured", lane / lanes, 1 / lanes);
  }
  [[nodiscard]] FigureData take_parts() { return std::move(parts_); }
  [[nodiscard]] FigureData take_ends() { return std::move(ends_); }
  [[nodiscard]] const std::vector<double>& totals() const { return totals_; }

 private:
  void add_bar(std::size_t place, const PassRow& row, const PassSeconds& times, const char* kind, double top,
               double part) {
    double from = 0;
    const double total = times.total();
    for (std::size_t phase = 0; phase < kPhases.size(); ++phase) {
      const double seconds = times.*kPhases[phase].second;
      if (!(seconds > 0)) continue;
      parts_["rows"].push_back({place, kind, phase, rounded(from), rounded(from + seconds), top, part,
                                about_phase(row, kind, kPhases[phase].first, seconds, total)});
      from += seconds;
    }
    const bool is_last = top + part > 0.99;  // the measured bar where there are two
    const char* mark = is_last && row.best.value_or(false) ? ", best" : "";
    ends_["rows"].push_back({place, rounded(total), top + part / 2, fmt::format("{}{}", short_seconds(total), mark)});
    totals_.push_back(total);
  }

  FigureData parts_ = figure_table({"row", "kind", "phase", "from", "to", "top", "part", "about"});
  FigureData ends_ = figure_table({"row", "to", "middle", "label"});
  std::vector<double> totals_;
};

std::string failures_text(const PassRecord& record) {
  std::string text;
  std::size_t count = 0;
  for (const PassRow& row : record.passes) {
    const std::optional<std::string>& why = row.failure ? row.failure : row.mismatch;
    if (!why) continue;
    if (++count <= 3) {
      text += fmt::format(" {}: {}{}.", method_label(row, true), row.failure ? "" : "wrong gradients, ",
                          short_text(*why, 120));
    }
  }
  return count <= 3 ? text : fmt::format("{} {} more failed.", text, count - 3);
}

std::string passes_caption(const PassRecord& record, std::size_t shown, std::size_t all) {
  const auto any = [&](auto has) { return std::any_of(record.passes.begin(), record.passes.end(), has); };
  const bool has_predicted = any([](const PassRow& row) { return row.predicted.has_value(); });
  const bool has_measured = any([](const PassRow& row) { return row.measured.has_value(); });
  const bool has_both = has_predicted && has_measured;
  std::string text =
      fmt::format("{} seconds of one backward pass by phase: computing the Jacobians, up-sweep, middle and down-sweep.",
                  has_both       ? "Predicted (pale) and measured"
                  : has_measured ? "Measured"
                                 : "Predicted");
  if (!record.device.empty()) text += fmt::format(" Measured on {}.", short_text(record.device, 80));
  if (!record.machine.empty()) text += fmt::format(" Predicted with the machine {}.", short_text(record.machine, 80));
  if (shown < all) text += fmt::format(" The first and the fastest {} of {} methods.", shown - 1, all);
  return text + failures_text(record);
}

}  // namespace

std::optional<Figure> passes_figure(const StoredPasses& passes) {
  std::size_t all = 0;
  const std::vector<const PassRow*> rows = shown_passes(passes.record, all);
  if (rows.empty()) return std::nullopt;
  const bool has_backends =
      std::any_of(rows.begin(), rows.end(), [&](const PassRow* row) { return row->backend != rows.front()->backend; });
  PassBars bars;
  FigureData labels = FigureData::array();
  FigureData places = FigureData::array();
  for (const PassRow* row : rows) {
    bars.add(labels.size(), *row);
    places.push_back(labels.size());
    labels.push_back(method_label(*row, has_backends));
  }
  const bool has_both =
      std::any_of(rows.begin(), rows.end(), [](const PassRow* row) { return row->predicted && row->measured; });
  Figure figure{.kind = "passes", .title = "", .caption = passes_caption(passes.record, rows.size(), all)};
  figure.title = fmt::format("{}: a backward pass by method", short_text(passes.record.model, 60));
  figure.context = passes_context(passes.record);
  PlotAxis(bars.totals(), AxisUnit::seconds, PlotAxis::Kind::from_zero).set_signals(figure.signals, "x");
  figure.signals["labels"] = std::move(labels);
  figure.signals["places"] = std::move(places);
  figure.signals["has_both"] = has_both;
  figure.signals["height"] = rows.size() * (has_both ? 38 : 22);
  figure.tables["parts"] = bars.take_parts();
  figure.tables["ends"] = bars.take_ends();
  return figure;
}

}  // namespace upsweep

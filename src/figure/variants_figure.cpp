#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "plot_axis.hpp"
#include "run_parts.hpp"
#include "upsweep/figure/study_figures.hpp"
#include "upsweep/report/format.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostVariants = 24;

/// A variant with its makespan and its other figures that are no lists.
struct VariantBar {
  std::uint32_t variant = 0;
  double makespan = 0;
  std::string others;
};

std::vector<VariantBar> variant_bars(const TrainingRecord& record) {
  std::map<std::uint32_t, VariantBar> bars;
  for (const TrainingFigure& figure : record.figures) {
    if (figure.index || figure.name != "makespan" || !std::isfinite(figure.value) ||
        figure.variant >= record.variants.size())
      continue;
    bars[figure.variant] = {figure.variant, figure.value, ""};
  }
  for (const TrainingFigure& figure : record.figures) {
    const auto bar = bars.find(figure.variant);
    if (figure.index || figure.name == "makespan" || bar == bars.end()) continue;
    std::string name = short_text(figure.name);
    std::replace(name.begin(), name.end(), '_', ' ');
    bar->second.others += fmt::format(", {} {:.4g}", name, figure.value);
  }
  std::vector<VariantBar> list;
  for (auto& [variant, bar] : bars) list.push_back(std::move(bar));
  return list;
}

/// At most kMostVariants: the first, the best and the fastest, in their order.
std::vector<VariantBar> fastest_variants(std::vector<VariantBar> bars, const std::optional<std::uint32_t>& best) {
  if (bars.size() <= kMostVariants) return bars;
  std::stable_sort(bars.begin() + 1, bars.end(), [&](const VariantBar& a, const VariantBar& b) {
    return std::pair(best != a.variant, a.makespan) < std::pair(best != b.variant, b.makespan);
  });
  bars.resize(kMostVariants);
  std::sort(bars.begin(), bars.end(), [](const VariantBar& a, const VariantBar& b) { return a.variant < b.variant; });
  return bars;
}

bool has_faster_than_best(const TrainingRecord& record, const std::vector<VariantBar>& bars) {
  const auto best =
      std::find_if(bars.begin(), bars.end(), [&](const VariantBar& bar) { return record.best == bar.variant; });
  return best != bars.end() &&
         std::any_of(bars.begin(), bars.end(), [&](const VariantBar& bar) { return bar.makespan < best->makespan; });
}

std::string makespan_text(const TrainingRecord& record, double makespan) {
  return record.is_in_seconds ? short_seconds(makespan) : fmt::format("{:.6g}", makespan);
}

}  // namespace

std::optional<Figure> variants_figure(const StoredTraining& training) {
  const TrainingRecord& record = training.record;
  const std::vector<VariantBar> all = variant_bars(record);
  if (all.empty()) return std::nullopt;
  const std::vector<VariantBar> bars = fastest_variants(all, record.best);
  Figure figure{
      .kind = "variants", .title = fmt::format("{}: makespan by variant", short_text(record.name, 60)), .caption = ""};
  figure.caption = fmt::format("Time of one training step{}; shorter is better.",
                               record.is_in_seconds ? ", predicted" : ", in the unit of the file");
  if (bars.size() < all.size())
    figure.caption += fmt::format(" The first and the fastest of {} variants, {} in all.", all.size(), bars.size());
  if (has_faster_than_best(record, all))
    figure.caption += " Faster ones than the best are no choices of the study (a scan, beside it) or do not fit.";
  FigureData table = figure_table({"row", "makespan", "best", "label", "about"});
  FigureData labels = FigureData::array();
  FigureData places = FigureData::array();
  std::vector<double> makespans;
  for (const VariantBar& bar : bars) {
    const bool is_best = record.best == bar.variant;
    const std::string value = makespan_text(record, bar.makespan);
    const std::string name = short_text(record.variants[bar.variant], 40);
    const double ratio = all.front().makespan / bar.makespan;
    table["rows"].push_back(
        {labels.size(), rounded(bar.makespan), is_best, fmt::format("{}{}", value, is_best ? ", best" : ""),
         fmt::format("{}: makespan {}{}, {} as fast as {}{}", name, value, record.is_in_seconds ? "" : " units",
                     short_ratio(ratio), short_text(record.variants[all.front().variant], 40), bar.others)});
    places.push_back(labels.size());
    labels.push_back(name);
    makespans.push_back(bar.makespan);
  }
  figure.tables["bars"] = std::move(table);
  PlotAxis(makespans, record.is_in_seconds ? AxisUnit::seconds : AxisUnit::number, PlotAxis::Kind::from_zero)
      .set_signals(figure.signals, "x");
  figure.signals["x_title"] = record.is_in_seconds ? "makespan (s)" : "makespan (units of the file)";
  figure.signals["labels"] = std::move(labels);
  figure.signals["places"] = std::move(places);
  figure.signals["height"] = bars.size() * 21;
  return figure;
}

}  // namespace upsweep

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "plot_axis.hpp"
#include "run_context.hpp"
#include "run_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/figure/study_figures.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostVariants = 24;
constexpr const char* kScan = "a scan, beside the policies";
constexpr const char* kDoesNotFit = "does not fit the memory";

/// A variant with its makespan and its other figures that are no lists.
struct VariantBar {
  std::uint32_t variant = 0;
  double makespan = 0;
  std::string others;
  bool is_scan = false;       ///< stands beside the choices of a pipeline study
  bool does_not_fit = false;  ///< the memory
};

std::vector<VariantBar> variant_bars(const TrainingRecord& record) {
  std::map<std::uint32_t, VariantBar> bars;
  for (const TrainingFigure& figure : record.figures) {
    if (figure.index || figure.name != "makespan" || !std::isfinite(figure.value) ||
        figure.variant >= record.variants.size())
      continue;
    bars[figure.variant] = {figure.variant, figure.value, "", false, false};
  }
  for (const TrainingFigure& figure : record.figures) {
    const auto bar = bars.find(figure.variant);
    if (figure.index || figure.name == "makespan" || bar == bars.end()) continue;
    if (figure.name == "gradients_end") bar->second.is_scan = true;  // no policy has it
    if (figure.name == "does_not_fit") {
      bar->second.does_not_fit = true;
      continue;
    }
    std::string name = short_text(figure.name);
    std::replace(name.begin(), name.end(), '_', ' ');
    bar->second.others += fmt::format(", {} {:.4g}", name, figure.value);
  }
  std::vector<VariantBar> list;
  for (auto& [variant, bar] : bars) list.push_back(std::move(bar));
  return list;
}

/// "priority" of "priority k=2".
std::string link_rule_of(const std::string& variant) { return variant.substr(0, variant.find(' ')); }

/// Why a variant is none that the best was chosen of; empty where it may be one. What is stored says that of scans, of
/// link rules that were not searched, and of variants that are faster than the best.
std::string no_candidate_text(const TrainingRecord& record, const VariantBar& bar) {
  if (bar.is_scan) return kScan;
  if (bar.does_not_fit) return kDoesNotFit;
  if (!record.best || *record.best >= record.variants.size() || bar.variant == *record.best) return "";
  const bool is_data_parallel = record.kind == "data_parallel";
  if (is_data_parallel && link_rule_of(record.variants[bar.variant]) != link_rule_of(record.variants[*record.best]))
    return "another link rule than the search's";
  if (!record.best_makespan || bar.makespan >= *record.best_makespan) return "";
  return is_data_parallel ? "a k that the search did not try or that does not fit" : kDoesNotFit;
}

/// At most kMostVariants: the first, the best and the fastest, candidates before others, in their order.
std::vector<VariantBar> fastest_variants(const TrainingRecord& record, std::vector<VariantBar> bars) {
  if (bars.size() <= kMostVariants) return bars;
  std::stable_sort(bars.begin() + 1, bars.end(), [&](const VariantBar& a, const VariantBar& b) {
    const auto rank = [&](const VariantBar& bar) {
      return std::tuple(record.best != bar.variant, !no_candidate_text(record, bar).empty(), bar.makespan);
    };
    return rank(a) < rank(b);
  });
  bars.resize(kMostVariants);
  std::sort(bars.begin(), bars.end(), [](const VariantBar& a, const VariantBar& b) { return a.variant < b.variant; });
  return bars;
}

std::string makespan_text(const TrainingRecord& record, double makespan) {
  return record.is_in_seconds ? short_seconds(makespan) : fmt::format("{:.6g}", makespan);
}

std::string variants_caption(const TrainingRecord& record, const std::vector<VariantBar>& all, std::size_t shown) {
  std::string text = fmt::format("Time of one training step{}; shorter is better.",
                                 record.is_in_seconds ? ", predicted" : ", in the unit of the file");
  if (shown < all.size()) {
    text += fmt::format(" The first, the best and the fastest of {} variants, candidates before others, {} in all.",
                        all.size(), shown);
  }
  std::set<std::string> reasons;
  for (const VariantBar& bar : all) reasons.insert(no_candidate_text(record, bar));
  reasons.erase("");
  if (record.best && *record.best < record.variants.size()) {
    const std::string best = short_text(record.variants[*record.best], 40);
    text += record.kind == "data_parallel"
                ? fmt::format(" Green: {}, which the search over k under its link rule chose.", best)
                : fmt::format(" Green: {}, the fastest of the candidates.", best);
  }
  if (reasons.empty()) return text;
  text += fmt::format(" Grey, out: no candidates ({}).", fmt::join(reasons, "; "));
  return text;
}

FigureData variant_rows(const TrainingRecord& record, const std::vector<VariantBar>& bars, const VariantBar& first) {
  FigureData table = figure_table({"row", "makespan", "best", "refused", "label", "about"});
  for (const VariantBar& bar : bars) {
    const bool is_best = record.best == bar.variant;
    const std::string value = makespan_text(record, bar.makespan);
    const std::string why_not = no_candidate_text(record, bar);
    table["rows"].push_back(
        {table["rows"].size(), rounded(bar.makespan), is_best, !why_not.empty(),
         fmt::format("{}{}", value,
                     is_best           ? ", best"
                     : bar.is_scan     ? ", scan"
                     : why_not.empty() ? ""
                                       : ", out"),
         fmt::format("{}: makespan {}{}, {} as fast as {}{}{}", short_text(record.variants[bar.variant], 40), value,
                     record.is_in_seconds ? "" : " units", short_ratio(first.makespan / bar.makespan),
                     short_text(record.variants[first.variant], 40), bar.others,
                     why_not.empty() ? "" : fmt::format("; no candidate: {}", why_not))});
  }
  return table;
}

}  // namespace

std::optional<Figure> variants_figure(const StoredTraining& training) {
  const TrainingRecord& record = training.record;
  const std::vector<VariantBar> all = variant_bars(record);
  if (all.empty()) return std::nullopt;
  const std::vector<VariantBar> bars = fastest_variants(record, all);
  Figure figure{
      .kind = "variants", .title = fmt::format("{}: makespan by variant", short_text(record.name, 60)), .caption = ""};
  figure.caption = variants_caption(record, all, bars.size());
  figure.context = training_context(record);
  FigureData labels = FigureData::array();
  FigureData places = FigureData::array();
  std::vector<double> makespans;
  for (const VariantBar& bar : bars) {
    places.push_back(labels.size());
    labels.push_back(short_text(record.variants[bar.variant], 40));
    makespans.push_back(bar.makespan);
  }
  figure.tables["bars"] = variant_rows(record, bars, all.front());
  PlotAxis(makespans, record.is_in_seconds ? AxisUnit::seconds : AxisUnit::number, PlotAxis::Kind::from_zero)
      .set_signals(figure.signals, "x");
  figure.signals["x_title"] = record.is_in_seconds ? "makespan (s)" : "makespan (units of the file)";
  figure.signals["labels"] = std::move(labels);
  figure.signals["places"] = std::move(places);
  figure.signals["height"] = bars.size() * 21;
  return figure;
}

}  // namespace upsweep

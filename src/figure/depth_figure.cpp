#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "run_parts.hpp"
#include "upsweep/figure/run_figures.hpp"
#include "upsweep/report/format.hpp"

namespace upsweep {
namespace {

/// A quantity of the candidates of a search.
struct DepthSeries {
  std::string name;
  std::function<double(const StoredRun& run)> value;
  std::function<std::string(double value)> text;
};

std::string flops_text(double flops) { return fmt::format("{} FLOPs", short_count(flops)); }

bool scores_are_seconds(const StoredSearch& search, std::span<const StoredRun* const> runs) {
  return search.objective == "time" && std::all_of(runs.begin(), runs.end(), [](const StoredRun* run) {
           return run->machine || run->predicted_dag_s;
         });
}

std::vector<DepthSeries> depth_series(const StoredSearch& search, std::span<const StoredRun* const> runs) {
  const bool is_level = search.execution == "level";
  const auto makespan = [is_level](const StoredRun& run) {
    return is_level ? run.makespan_level_flops : run.makespan_dag_flops;
  };
  const bool is_live = search.scope == "live";
  DepthSeries time{"time", makespan, flops_text};
  const bool has_scores =
      std::all_of(runs.begin(), runs.end(), [](const StoredRun* run) { return run->score.has_value(); });
  if (search.objective == "time" && has_scores) time.value = [](const StoredRun& run) { return *run.score; };
  if (has_scores && scores_are_seconds(search, runs)) time.text = short_seconds;
  return {time,
          {"critical path",
           [is_level](const StoredRun& run) {
             return is_level ? run.critical_path_level_flops : run.critical_path_dag_flops;
           },
           flops_text},
          {is_live ? "live FLOPs" : "FLOPs",
           [is_live](const StoredRun& run) { return is_live ? run.live_flops : run.flops; }, flops_text},
          {"peak memory", [](const StoredRun& run) { return run.peak_live_bytes; },
           [](double bytes) { return short_bytes(bytes); }}};
}

/// Depths from 0 on, then other schemes as they came.
std::vector<const StoredRun*> depth_order(std::span<const StoredRun> candidates) {
  std::vector<const StoredRun*> order;
  for (const StoredRun& run : candidates) order.push_back(&run);
  std::stable_sort(order.begin(), order.end(), [](const StoredRun* a, const StoredRun* b) {
    if (a->depth && b->depth) return *a->depth < *b->depth;
    return a->depth.has_value() && !b->depth.has_value();
  });
  if (order.size() > kMostMarks / 4) order.resize(kMostMarks / 4);
  return order;
}

std::string depth_label(const StoredRun& run) {
  return run.depth ? fmt::format("{}", *run.depth) : short_text(run.schedule, 24);
}

/// "best" for the winner, "best depth" for the best of the depths where another scheme won, else empty.
std::string rank_of_candidate(const StoredSearch& search, const StoredRun& run) {
  const bool is_best_depth = search.best_depth && run.depth == search.best_depth;
  if (!search.best_schedule) return is_best_depth ? "best" : "";
  if (run.schedule == *search.best_schedule) return "best";
  return is_best_depth ? "best depth" : "";
}

std::string about_candidate(const StoredSearch& search, const StoredRun& run, const DepthSeries& series,
                            double reference) {
  const double value = series.value(run);
  std::string text = fmt::format("{}: {} {}, {} of the reference", short_text(run.schedule), series.name,
                                 series.text(value), short_ratio(value / reference));
  const std::optional<double> seconds = search.execution == "level" ? run.predicted_level_s : run.predicted_dag_s;
  if (seconds) text += fmt::format(", predicted {}", short_seconds(*seconds));
  if (run.feasible == false) text += fmt::format(", does not fit: {}", short_text(run.reason, 200));
  return text;
}

FigureData depth_marks(const StoredSearch& search, std::span<const StoredRun* const> runs) {
  FigureData table = figure_table({"label", "depth", "rank"});
  for (const StoredRun* run : runs) {
    const std::string rank = rank_of_candidate(search, *run);
    if (!rank.empty()) table["rows"].push_back({depth_label(*run), run->depth.has_value(), rank});
  }
  return table;
}

}  // namespace

std::optional<Figure> depth_figure(const StoredSearch& search, std::span<const StoredRun> candidates) {
  if (candidates.size() < 2) return std::nullopt;
  const std::vector<const StoredRun*> runs = depth_order(candidates);
  const StoredRun& reference = *runs.front();
  FigureData table = figure_table({"label", "depth", "series", "value", "feasible", "about"});
  std::vector<std::string> names;
  std::optional<double> limit;
  for (const DepthSeries& series : depth_series(search, runs)) {
    const double of_reference = series.value(reference);
    if (!(of_reference > 0)) continue;  // no ratio
    names.push_back(series.name);
    if (series.name == "peak memory" && search.memory_limit)
      limit = static_cast<double>(*search.memory_limit) / of_reference;
    for (const StoredRun* run : runs) {
      const double value = series.value(*run);
      if (value > 0)
        table["rows"].push_back({depth_label(*run), run->depth.has_value(), series.name, value / of_reference,
                                 run->feasible.value_or(true), about_candidate(search, *run, series, of_reference)});
    }
  }
  if (table["rows"].empty()) return std::nullopt;

  Figure figure;
  figure.kind = "depth";
  figure.title = "Depth of the scan against time, critical path, work and memory";
  const bool is_plain = reference.depth == 0U;
  figure.caption = fmt::format(
      "Each relative to {} (1x, below is better), on {} under {} execution.",
      is_plain ? "plain back-propagation, depth 0" : fmt::format("the schedule {}", short_text(reference.schedule)),
      counted(search.workers, "worker"), short_text(search.execution));
  if (!runs.back()->depth) figure.caption += " To the right of the depths: other schemes.";
  const bool has_infeasible =
      std::any_of(runs.begin(), runs.end(), [](const StoredRun* run) { return run->feasible == false; });
  if (has_infeasible) figure.caption += " Grey: does not fit into the memory limit.";
  if (limit)
    figure.caption +=
        fmt::format(" Dashed: the memory limit of {}.", short_bytes(static_cast<double>(*search.memory_limit)));
  std::vector<std::string> labels;
  for (const StoredRun* run : runs) labels.push_back(depth_label(*run));
  figure.tables["figures"] = std::move(table);
  figure.tables["best"] = depth_marks(search, runs);
  figure.tables["limit"] = figure_table({"value", "about"});
  if (limit) figure.tables["limit"]["rows"].push_back({*limit, "memory limit"});
  figure.signals["labels"] = labels;
  figure.signals["series"] = names;
  figure.signals["has_schemes"] = !runs.back()->depth.has_value();
  figure.signals["y_title"] = is_plain ? "relative to plain BP" : fmt::format("relative to {}", depth_label(reference));
  return figure;
}

}  // namespace upsweep

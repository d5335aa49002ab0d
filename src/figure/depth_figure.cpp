#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "run_context.hpp"
#include "run_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/figure/run_figures.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostCandidates = kMostMarks / 4;  // times at most four quantities

/// A quantity of the candidates of a search.
struct DepthSeries {
  std::string name;
  std::function<double(const StoredRun& run)> value;  ///< not above 0, and no number: there is none
  std::function<std::string(double value)> text;
};

std::string flops_text(double flops) { return fmt::format("{} FLOPs", short_count(flops)); }

bool is_live(const StoredSearch& search) { return search.scope == "live"; }

/// The critical path of the level rule goes through the critical op of every level; that of the dag is its longest.
std::string path_name(const StoredSearch& search) {
  return search.execution == "level" ? "critical path, level" : "critical path, dag";
}

bool scores_are_seconds(const StoredSearch& search, std::span<const StoredRun* const> runs) {
  return search.objective == "time" && std::all_of(runs.begin(), runs.end(), [](const StoredRun* run) {
           return run->machine || run->predicted_dag_s;
         });
}

double score_of(const StoredRun& run) { return run.score.value_or(std::numeric_limits<double>::quiet_NaN()); }

/// Of a search of live ops only what is of these: its score and their FLOPs. Makespans, paths and memory are stored of
/// all ops.
std::vector<DepthSeries> live_series(const StoredSearch& search, std::span<const StoredRun* const> runs) {
  std::vector<DepthSeries> series;
  if (search.objective == "time") {
    series.push_back({"time", score_of, flops_text});
    if (scores_are_seconds(search, runs)) series.back().text = short_seconds;
  }
  if (search.objective == "critical-flops") series.push_back({path_name(search), score_of, flops_text});
  series.push_back({"FLOPs", [](const StoredRun& run) { return run.live_flops; }, flops_text});
  return series;
}

std::vector<DepthSeries> depth_series(const StoredSearch& search, std::span<const StoredRun* const> runs) {
  if (is_live(search)) return live_series(search, runs);
  const bool is_level = search.execution == "level";
  const auto makespan = [is_level](const StoredRun& run) {
    return is_level ? run.makespan_level_flops : run.makespan_dag_flops;
  };
  const auto path = [is_level](const StoredRun& run) {
    return is_level ? run.critical_path_level_flops : run.critical_path_dag_flops;
  };
  DepthSeries time{"time", makespan, flops_text};
  const bool has_scores =
      std::all_of(runs.begin(), runs.end(), [](const StoredRun* run) { return run->score.has_value(); });
  if (search.objective == "time" && has_scores) time.value = score_of;
  if (has_scores && scores_are_seconds(search, runs)) time.text = short_seconds;
  return {time,
          {path_name(search), path, flops_text},
          {"FLOPs", [](const StoredRun& run) { return run.flops; }, flops_text},
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

/// The first kMostCandidates and, behind these, the best ones.
std::vector<const StoredRun*> shown_candidates(const StoredSearch& search, std::vector<const StoredRun*> order) {
  if (order.size() <= kMostCandidates) return order;
  const auto first = order.begin() + static_cast<std::ptrdiff_t>(kMostCandidates - 2);
  order.erase(
      std::remove_if(first, order.end(), [&](const StoredRun* run) { return rank_of_candidate(search, *run).empty(); }),
      order.end());
  return order;
}

std::string about_candidate(const StoredSearch& search, const StoredRun& run, const DepthSeries& series,
                            double reference) {
  const double value = series.value(run);
  std::string text =
      fmt::format("{}: {} {}{}, {} of the reference", short_text(run.schedule), series.name, series.text(value),
                  is_live(search) ? " of live ops" : "", short_ratio(value / reference));
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

/// What is drawn of the candidates, relative to the first one.
struct DepthParts {
  std::vector<std::string> names;  ///< of the quantities
  FigureData table = figure_table({"label", "depth", "series", "value", "feasible", "about"});
  std::optional<double> limit;  ///< of memory
};

DepthParts depth_parts(const StoredSearch& search, std::span<const StoredRun* const> runs) {
  DepthParts parts;
  for (const DepthSeries& series : depth_series(search, runs)) {
    const double of_reference = series.value(*runs.front());
    if (!(of_reference > 0)) continue;  // no ratio
    parts.names.push_back(series.name);
    if (series.name == "peak memory" && search.memory_limit)
      parts.limit = static_cast<double>(*search.memory_limit) / of_reference;
    for (const StoredRun* run : runs) {
      const double value = series.value(*run);
      if (value > 0) {
        parts.table["rows"].push_back({depth_label(*run), run->depth.has_value(), series.name, value / of_reference,
                                       run->feasible.value_or(true),
                                       about_candidate(search, *run, series, of_reference)});
      }
    }
  }
  return parts;
}

std::string path_caption(const StoredSearch& search, const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), path_name(search)) == names.end()) return "";
  return search.execution == "level" ? " Critical path, level: the critical ops of all levels, one after another."
                                     : " Critical path, dag: the dag's longest path, as if there were enough workers.";
}

std::string depth_caption(const StoredSearch& search, std::span<const StoredRun* const> runs, std::size_t all,
                          const DepthParts& parts) {
  const StoredRun& reference = *runs.front();
  std::string caption =
      fmt::format("Each relative to {} (1x, below is better), on {} under {} execution.",
                  reference.depth == 0U ? "plain back-propagation, depth 0"
                                        : fmt::format("the schedule {}", short_text(reference.schedule)),
                  counted(search.workers, "worker"), short_text(search.execution));
  if (is_live(search)) {
    caption +=
        " Live ops only, as the search scored them; what is stored of all ops (peak memory among it) is left out.";
  }
  caption += path_caption(search, parts.names);
  if (!runs.back()->depth) caption += " To the right of the depths: other schemes.";
  if (runs.size() < all) {
    caption +=
        fmt::format(" {} of {} candidates: the first ones, depths before schemes, and the best.", runs.size(), all);
  }
  if (std::any_of(runs.begin(), runs.end(), [](const StoredRun* run) { return run->feasible == false; }))
    caption += " Grey: does not fit into the memory limit.";
  if (parts.limit)
    caption += fmt::format(" Dashed: the memory limit of {}.", short_bytes(static_cast<double>(*search.memory_limit)));
  return caption;
}

}  // namespace

std::optional<Figure> depth_figure(const StoredSearch& search, std::span<const StoredRun> candidates,
                                   const std::string& machine) {
  if (candidates.size() < 2) return std::nullopt;
  const std::vector<const StoredRun*> runs = shown_candidates(search, depth_order(candidates));
  const StoredRun& reference = *runs.front();
  DepthParts parts = depth_parts(search, runs);
  if (parts.table["rows"].empty()) return std::nullopt;

  Figure figure;
  figure.kind = "depth";
  figure.title = is_live(search) ? "Depth of the scan: live ops only"
                                 : "Depth of the scan against time, critical path, work and memory";
  figure.caption = depth_caption(search, runs, candidates.size(), parts);
  figure.context = runs_context(reference, machine);
  std::vector<std::string> labels;
  for (const StoredRun* run : runs) labels.push_back(depth_label(*run));
  figure.tables["figures"] = std::move(parts.table);
  figure.tables["best"] = depth_marks(search, runs);
  figure.tables["limit"] = figure_table({"value", "about"});
  if (parts.limit) figure.tables["limit"]["rows"].push_back({*parts.limit, "memory limit"});
  figure.signals["labels"] = labels;
  figure.signals["series"] = parts.names;
  figure.signals["has_schemes"] = !runs.back()->depth.has_value();
  figure.signals["y_title"] = fmt::format("{}of {}: less is better", is_live(search) ? "live ops, " : "",
                                          reference.depth == 0U ? "plain BP" : depth_label(reference));
  return figure;
}

}  // namespace upsweep

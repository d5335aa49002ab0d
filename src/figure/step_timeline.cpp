#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "plot_axis.hpp"
#include "run_context.hpp"
#include "run_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/figure/run_figures.hpp"
#include "upsweep/figure/study_figures.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostResources = 48;
constexpr std::size_t kMostSlices = 200;
constexpr std::string_view kKinds = "FOWU";
constexpr std::array<const char*, 4> kKindNames = {"forward", "gradient of the input", "gradient of the weights",
                                                   "update"};

std::size_t kind_index(char kind) {
  const std::size_t at = kKinds.find(kind);
  return at == std::string_view::npos ? 0 : at;
}

/// A row of the timeline.
struct Resource {
  std::string name;
  bool is_link = false;
  std::vector<const TrainingTask*> tasks;
};

/// Whether something takes time on a resource.
bool is_used(const Resource& resource) {
  return std::any_of(resource.tasks.begin(), resource.tasks.end(),
                     [](const TrainingTask* task) { return task->end > task->start; });
}

bool is_on_link(const TrainingTask& task) { return task.is_transfer || task.resource == "link"; }

/// Rows in the order of their names, numbers as numbers; links below the others.
std::vector<Resource> resources_of(const TrainingRecord& record, std::uint32_t variant) {
  std::map<std::string, std::size_t> places;
  std::vector<Resource> rows;
  for (const TrainingTask& task : record.tasks) {
    if (task.variant != variant || !(task.end >= task.start)) continue;
    const auto [at, is_new] = places.try_emplace(task.resource, rows.size());
    if (is_new) rows.push_back({task.resource, is_on_link(task), {}});
    rows[at->second].tasks.push_back(&task);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Resource& a, const Resource& b) {
    return std::tuple(a.is_link, a.name.size(), a.name) < std::tuple(b.is_link, b.name.size(), b.name);
  });
  return rows;
}

std::string step_time(const TrainingRecord& record, double time) {
  return record.is_in_seconds ? short_seconds(time) : fmt::format("{:.6g}", time);
}

std::string about_task(const TrainingRecord& record, const TrainingTask& task) {
  return fmt::format("{}: {}{}{}, layer {}, micro-batch {}, {} to {} ({})", short_text(task.resource),
                     is_on_link(task) ? "transfer after " : "", task.kind,
                     fmt::format(" ({})", kKindNames[kind_index(task.kind)]), task.layer, task.micro_batch,
                     step_time(record, task.start), step_time(record, task.end),
                     step_time(record, task.end - task.start));
}

void add_tasks(FigureData& table, const TrainingRecord& record, const std::vector<Resource>& rows) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (const TrainingTask* task : rows[row].tasks) {
      table["rows"].push_back({row, rounded(task->start), rounded(task->end), kind_index(task->kind), is_on_link(*task),
                               1, fmt::format("{}", task->layer), about_task(record, *task)});
    }
  }
}

/// Busy time of the slices of one resource, by kind.
std::vector<std::array<double, 4>> busy_by_slice(const Resource& resource, double slice, std::size_t slices) {
  std::vector<std::array<double, 4>> busy(slices, std::array<double, 4>{});
  for (const TrainingTask* task : resource.tasks) {
    for (auto at = static_cast<std::size_t>(task->start / slice); at < slices; ++at) {
      const double from = slice * static_cast<double>(at);
      const double part = std::min(task->end, from + slice) - std::max(task->start, from);
      if (from >= task->end) break;
      busy[at][kind_index(task->kind)] += std::max(part, 0.0);
    }
  }
  return busy;
}

void add_slices(FigureData& table, const TrainingRecord& record, const std::vector<Resource>& rows, double end,
                std::size_t slices) {
  const double slice = end / static_cast<double>(slices);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto busy = busy_by_slice(rows[row], slice, slices);
    for (std::size_t at = 0; at < slices; ++at) {
      const double sum = busy[at][0] + busy[at][1] + busy[at][2] + busy[at][3];
      if (!(sum > 0)) continue;
      const auto kind = static_cast<std::size_t>(std::max_element(busy[at].begin(), busy[at].end()) - busy[at].begin());
      const double from = slice * static_cast<double>(at);
      const std::string about =
          fmt::format("{}: busy {} of {} to {}, most of it {} ({})", short_text(rows[row].name), percent(sum / slice),
                      step_time(record, from), step_time(record, from + slice), kKinds[kind], kKindNames[kind]);
      table["rows"].push_back({row, rounded(from), rounded(from + slice), kind, rows[row].is_link,
                               rounded(std::min(sum / slice, 1.0)), "", about});
    }
  }
}

std::string timeline_caption(const TrainingRecord& record, std::uint32_t variant, std::size_t slices,
                             const std::vector<Resource>& rows, std::size_t all) {
  std::string text = fmt::format("One training step of {}", short_text(record.variants[variant], 40));
  if (record.variants.size() > 1) {
    text += fmt::format(", {} of {} variants; the others are not drawn",
                        record.best == variant ? "the best" : "the first with operations", record.variants.size());
  }
  text += ".";
  text += " F: forward, O: gradient of a layer's input, W: gradient of its weights, U: update.";
  if (slices == 0) text += " Numbers in the bars: layers.";
  if (std::any_of(rows.begin(), rows.end(), [](const Resource& row) { return row.is_link; }))
    text += " Pale: transfers of what that operation made.";
  if (slices > 0) {
    text += fmt::format(
        " Too many operations to draw each: of {} slices of time, the height is the share in which the resource is "
        "busy, the colour the kind that takes most of it.",
        slices);
  }
  if (rows.size() < all) text += fmt::format(" The first {} of {} resources.", rows.size(), all);
  return text;
}

}  // namespace

std::optional<Figure> step_timeline_figure(const StoredTraining& training) {
  const TrainingRecord& record = training.record;
  if (record.tasks.empty()) return std::nullopt;
  const std::uint32_t variant = record.best.value_or(record.tasks.front().variant);
  std::vector<Resource> rows = resources_of(record, variant);
  if (variant >= record.variants.size()) return std::nullopt;
  const auto unused = static_cast<std::size_t>(std::erase_if(rows, [](const Resource& row) { return !is_used(row); }));
  const std::size_t all = rows.size();
  rows.resize(std::min(all, kMostResources));
  std::size_t tasks = 0;
  double end = 0;
  for (const Resource& row : rows) {
    tasks += row.tasks.size();
    for (const TrainingTask* task : row.tasks) end = std::max(end, task->end);
  }
  if (!(end > 0)) return std::nullopt;
  const std::size_t slices = tasks <= kMostMarks ? 0 : std::min(kMostSlices, kMostMarks / rows.size());
  Figure figure{.kind = "step-timeline", .title = "", .caption = timeline_caption(record, variant, slices, rows, all)};
  if (unused > 0)
    figure.caption += fmt::format(" Not shown: {} on which nothing takes time.", counted(unused, "resource"));
  figure.title = fmt::format("{}: timeline of a step", short_text(record.name, 60));
  if (record.variants.size() > 1) figure.title += fmt::format(" of {}", short_text(record.variants[variant], 40));
  figure.context = training_context(record);
  FigureData table = figure_table({"row", "start", "end", "kind", "link", "share", "text", "about"});
  if (slices == 0) {
    add_tasks(table, record, rows);
  } else {
    add_slices(table, record, rows, end, slices);
  }
  figure.tables["tasks"] = std::move(table);
  PlotAxis({end}, record.is_in_seconds ? AxisUnit::seconds : AxisUnit::number, PlotAxis::Kind::from_zero)
      .set_signals(figure.signals, "x");
  figure.signals["x_domain"] = FigureData::array({0, end});
  figure.signals["x_title"] = record.is_in_seconds ? "time (s)" : "time (units of the file)";
  FigureData labels = FigureData::array();
  FigureData places = FigureData::array();
  for (const Resource& row : rows) {
    places.push_back(labels.size());
    labels.push_back(short_text(row.name, 24));
  }
  figure.signals["labels"] = std::move(labels);
  figure.signals["places"] = std::move(places);
  figure.signals["height"] = rows.size() * 26;
  return figure;
}

}  // namespace upsweep

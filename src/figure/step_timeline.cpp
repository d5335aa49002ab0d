#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "drawn_steps.hpp"
#include "plot_axis.hpp"
#include "run_context.hpp"
#include "run_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/figure/run_figures.hpp"
#include "upsweep/figure/study_figures.hpp"
#include "upsweep/training/study.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostSlices = 200;
constexpr std::size_t kRow = 26;  // pixels
constexpr std::size_t kLowRow = 17;
constexpr std::string_view kKinds = "FOWU";
constexpr std::array<const char*, 4> kKindNames = {"forward", "gradient of the input", "gradient of the weights",
                                                   "update"};

std::size_t kind_index(char kind) {
  const std::size_t at = kKinds.find(kind);
  return at == std::string_view::npos ? 0 : at;
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

void add_tasks(FigureData& table, const TrainingRecord& record, const DrawnStep& step) {
  for (std::size_t row = 0; row < step.rows.size(); ++row) {
    for (const TrainingTask* task : step.rows[row].tasks) {
      table["rows"].push_back({step.first_row + row, rounded(task->start), rounded(task->end), kind_index(task->kind),
                               is_on_link(*task), 1, fmt::format("{}", task->layer), about_task(record, *task)});
    }
  }
}

/// Busy time of the slices of one resource, by kind.
std::vector<std::array<double, 4>> busy_by_slice(const TimelineRow& resource, double slice, std::size_t slices) {
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

void add_slices(FigureData& table, const TrainingRecord& record, const DrawnStep& step, double slice,
                std::size_t slices) {
  for (std::size_t row = 0; row < step.rows.size(); ++row) {
    const auto busy = busy_by_slice(step.rows[row], slice, slices);
    for (std::size_t at = 0; at < slices; ++at) {
      const double sum = busy[at][0] + busy[at][1] + busy[at][2] + busy[at][3];
      if (!(sum > 0)) continue;
      const auto kind = static_cast<std::size_t>(std::max_element(busy[at].begin(), busy[at].end()) - busy[at].begin());
      const double from = slice * static_cast<double>(at);
      const std::string about = fmt::format(
          "{}: busy {} of {} to {}, most of it {} ({})", short_text(step.rows[row].name), percent(sum / slice),
          step_time(record, from), step_time(record, from + slice), kKinds[kind], kKindNames[kind]);
      table["rows"].push_back({step.first_row + row, rounded(from), rounded(from + slice), kind, step.rows[row].is_link,
                               rounded(std::min(sum / slice, 1.0)), "", about});
    }
  }
}

/// The memory of all steps at one scale, below the resources of each.
void add_memory(Figure& figure, const TrainingRecord& record, const std::vector<DrawnStep>& steps) {
  double most = 0;
  for (const DrawnStep& step : steps) {
    for (const StepMemory& entry : step.memory) most = std::max(most, entry.most);
  }
  const bool in_bytes = is_memory_in_bytes(record);
  FigureData table = figure_table({"row", "start", "end", "share", "about"});
  for (const DrawnStep& step : steps) {
    for (std::size_t i = 0; i < step.memory.size(); ++i) {
      const auto& [from, amount] = step.memory[i];
      const double until = i + 1 < step.memory.size() ? step.memory[i + 1].from : step.end;
      if (!(until > from) || !(amount > 0)) continue;
      table["rows"].push_back({step.first_row + step.rows.size(), rounded(from), rounded(until), rounded(amount / most),
                               fmt::format("most on a device: {} from {} to {}", memory_text(amount, in_bytes),
                                           step_time(record, from), step_time(record, until))});
    }
  }
  if (most > 0) {
    figure.caption +=
        fmt::format(" memory: {} on the fullest device over time, all at one scale, at most {}.",
                    in_bytes ? "tensors between layers, weights and their gradients" : "activations and gradients",
                    memory_text(most, in_bytes));
  }
  figure.tables["memory"] = std::move(table);
}

/// Puts each step in its rows, and names the rows.
void set_rows(Figure& figure, const TrainingRecord& record, std::vector<DrawnStep>& steps) {
  FigureData labels = FigureData::array();
  FigureData heads = figure_table({"row", "text"});
  for (DrawnStep& step : steps) {
    if (steps.size() > 1) {
      const std::string best = record.best == step.variant ? ", best" : "";
      heads["rows"].push_back({labels.size(), fmt::format("{}: {}{}", short_text(record.variants[step.variant], 60),
                                                          step_time(record, step.end), best)});
      labels.push_back("");
    }
    step.first_row = labels.size();
    for (const TimelineRow& row : step.rows) labels.push_back(short_text(row.name, 24));
    if (!step.memory.empty()) labels.push_back("memory");
  }
  FigureData places = FigureData::array();
  for (std::size_t row = 0; row < labels.size(); ++row) places.push_back(row);
  figure.signals["height"] = labels.size() * (steps.size() > 1 ? kLowRow : kRow);
  figure.signals["labels"] = std::move(labels);
  figure.signals["places"] = std::move(places);
  figure.tables["heads"] = std::move(heads);
}

std::string timeline_caption(const TrainingRecord& record, const std::vector<DrawnStep>& steps, std::size_t slices) {
  const DrawnStep& first = steps.front();
  const std::size_t variants = record.variants.size();
  std::string text = "One training step";
  if (steps.size() == 1) {
    text += fmt::format(" of {}", short_text(record.variants[first.variant], 40));
    if (variants > 1) {
      text += fmt::format(", {} of {} variants; the others are not drawn",
                          record.best == first.variant ? "the best" : "the one with operations", variants);
    }
  } else {
    text += fmt::format(" of each of {} variants{}, along the same axis", steps.size(),
                        steps.size() < variants ? fmt::format(" of {}", variants) : "");
  }
  text += ". F: forward, O: gradient of a layer's input, W: gradient of its weights, U: update.";
  if (slices == 0) text += " Numbers in the bars: layers.";
  const auto has_link = [](const DrawnStep& step) {
    return std::any_of(step.rows.begin(), step.rows.end(), [](const TimelineRow& row) { return row.is_link; });
  };
  if (std::any_of(steps.begin(), steps.end(), has_link)) text += " Pale: transfers of what that operation made.";
  if (slices > 0) {
    text += fmt::format(
        " Too many operations to draw each: of {} slices of time, the height is the share in which the resource is "
        "busy, the colour the kind that takes most of it.",
        slices);
  }
  if (first.rows.size() < first.resources)
    text += fmt::format(" The first {} of {} resources.", first.rows.size(), first.resources);
  return text;
}

}  // namespace

std::optional<Figure> step_timeline_figure(const StoredTraining& training) {
  const TrainingRecord& record = training.record;
  std::vector<DrawnStep> steps = drawn_steps(record);
  if (steps.empty()) return std::nullopt;
  std::size_t tasks = 0;
  std::size_t rows = 0;
  double end = 0;
  for (const DrawnStep& step : steps) {
    for (const TimelineRow& row : step.rows) tasks += row.tasks.size();
    rows += step.rows.size();
    end = std::max(end, step.end);
  }
  const std::size_t most_marks = steps.size() > 1 ? 3 * kMostMarks : kMostMarks;
  const std::size_t slices = tasks <= most_marks ? 0 : std::min(kMostSlices, most_marks / rows);
  Figure figure{.kind = "step-timeline", .title = "", .caption = timeline_caption(record, steps, slices)};
  figure.title = fmt::format("{}: timeline of a step", short_text(record.name, 60));
  if (steps.size() == 1) {
    const std::uint32_t variant = steps.front().variant;
    if (record.variants.size() > 1) figure.title += fmt::format(" of {}", short_text(record.variants[variant], 40));
    if (steps.front().unused > 0) {
      figure.caption +=
          fmt::format(" Not shown: {} on which nothing takes time.", counted(steps.front().unused, "resource"));
    }
  }
  figure.context = training_context(record);
  set_rows(figure, record, steps);
  FigureData table = figure_table({"row", "start", "end", "kind", "link", "share", "text", "about"});
  for (const DrawnStep& step : steps) {
    if (slices == 0) {
      add_tasks(table, record, step);
    } else {
      add_slices(table, record, step, end / static_cast<double>(slices), slices);
    }
  }
  figure.tables["tasks"] = std::move(table);
  add_memory(figure, record, steps);
  PlotAxis({end}, record.is_in_seconds ? AxisUnit::seconds : AxisUnit::number, PlotAxis::Kind::from_zero)
      .set_signals(figure.signals, "x");
  figure.signals["x_domain"] = FigureData::array({0, end});
  figure.signals["x_title"] = record.is_in_seconds ? "time (s)" : "time (units of the file)";
  return figure;
}

}  // namespace upsweep

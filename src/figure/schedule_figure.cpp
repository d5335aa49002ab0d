#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "run_context.hpp"
#include "run_parts.hpp"
#include "schedule_lines.hpp"
#include "upsweep/figure/run_figures.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostPositions = 64;  // with a label
constexpr std::size_t kMostLevelBars = 500;

/// Ids of the ops that are drawn: all, or the most expensive ones, the first of equal ones.
std::vector<std::size_t> drawn_ids(const RunDetails& run) {
  std::vector<std::size_t> ids(run.ops.size());
  std::iota(ids.begin(), ids.end(), std::size_t{0});
  if (ids.size() <= kMostMarks) return ids;
  const auto last = ids.begin() + static_cast<std::ptrdiff_t>(kMostMarks);
  std::nth_element(ids.begin(), last, ids.end(), [&](std::size_t a, std::size_t b) {
    return run.ops[a].flops != run.ops[b].flops ? run.ops[a].flops > run.ops[b].flops : a < b;
  });
  ids.erase(last, ids.end());
  std::sort(ids.begin(), ids.end());
  return ids;
}

FigureData schedule_ops(const RunDetails& run, const DrawnSchedule& drawn, const std::vector<std::size_t>& ids) {
  FigureData table = figure_table({"left", "right", "target", "level", "class", "flops", "about"});
  const OpTexts texts(run);
  const std::vector<bool> critical = critical_ops(run);
  for (const std::size_t id : ids) {
    const StoredOp& op = run.ops[id];
    const DrawnCombine& at = drawn.combines[id];
    table["rows"].push_back({at.left, at.right, at.target, op.level, op.is_dead ? "dead" : (op.is_mv ? "mv" : "mm"),
                             op.flops, texts.about(op, critical[id])});
  }
  return table;
}

FigureData schedule_moves(const DrawnSchedule& drawn) {
  FigureData table = figure_table({"from", "to", "level", "about"});
  for (const DrawnMove& move : drawn.moves) {
    table["rows"].push_back(
        {move.from, move.to, move.level, fmt::format("a[{}] ← a[{}], moved, not computed", move.to, move.from)});
  }
  return table;
}

/// One of how many positions has a line of its own.
std::size_t position_step(const RunDetails& run) { return (run.run.length + kMostPositions - 1) / kMostPositions; }

FigureData schedule_positions(const RunDetails& run) {
  FigureData table = figure_table({"position", "label", "class"});
  const OpTexts texts(run);
  for (std::size_t k = 0; k < run.run.length; k += position_step(run))
    table["rows"].push_back({k, texts.label(k), k == 0 ? "mv" : "mm"});
  return table;
}

FigureData schedule_phases(const RunDetails& run) {
  FigureData table = figure_table({"phase", "first", "last"});
  FigureData& rows = table["rows"];
  for (const StoredLevel& level : run.levels) {
    if (rows.empty() || rows.back()[0] != level.phase) {
      rows.push_back({level.phase, level.level, level.level + 1});
    } else {
      rows.back()[2] = level.level + 1;
    }
  }
  return table;
}

/// Ops of each level, or of some levels together.
FigureData level_bars(const RunDetails& run, std::size_t levels, std::size_t per_bar) {
  std::vector<std::size_t> ops((levels + per_bar - 1) / per_bar, 0);
  for (const StoredOp& op : run.ops) ++ops[op.level / per_bar];
  FigureData table = figure_table({"first", "last", "ops", "about"});
  for (std::size_t bar = 0; bar < ops.size(); ++bar) {
    const std::size_t first = bar * per_bar;
    const std::size_t last = std::min(first + per_bar, levels);
    const std::string where =
        per_bar == 1 ? fmt::format("level {}", first) : fmt::format("levels {} to {}", first, last - 1);
    table["rows"].push_back({first, last, ops[bar], fmt::format("{}: {}", where, counted(ops[bar], "op"))});
  }
  return table;
}

/// The least and the largest FLOPs above 0, for widths of lines; never equal.
std::pair<double, double> flops_range(const RunDetails& run) {
  double least = 0;
  double most = 0;
  for (const StoredOp& op : run.ops) {
    if (op.flops > 0 && (least == 0 || op.flops < least)) least = op.flops;
    most = std::max(most, op.flops);
  }
  if (least == 0) return {1, 10};
  return {least, std::max(most, 10 * least)};
}

std::string schedule_caption(const RunDetails& run, std::size_t levels, std::size_t per_bar, std::size_t left_out) {
  std::string caption =
      "Each op joins two places of the scan array into a third: squares are values, a[0] is the gradient of the "
      "loss. mm: product of two matrices; mv: of a matrix and the gradient; dead: no result depends on it; moved: "
      "not computed. Levels go down; the running reduction of the middle stands where it took in an element last. "
      "The thicker a line, the more FLOPs (logarithmic).";
  if (position_step(run) > 1)
    caption += fmt::format(" One of {} positions has a square, a line and its name.", position_step(run));
  if (left_out > 0) caption += fmt::format(" Not drawn: {} of values without an op.", counted(left_out, "move"));
  if (run.ops.size() <= kMostMarks) return caption;
  caption += fmt::format(" Of {} in {} the {} most expensive ones are drawn; bars say how many there are in {}.",
                         counted(run.ops.size(), "op"), counted(levels, "level"), kMostMarks,
                         per_bar == 1 ? "each level" : fmt::format("each {} levels", per_bar));
  return caption;
}

}  // namespace

std::optional<Figure> schedule_figure(const RunDetails& run) {
  if (run.ops.empty()) return std::nullopt;
  const std::optional<Schedule> schedule = schedule_again(run);
  if (!schedule) return std::nullopt;
  const DrawnSchedule drawn = drawn_schedule(*schedule);
  const bool fits = run.ops.size() <= kMostMarks;
  const std::size_t per_bar = (schedule->levels + kMostLevelBars - 1) / kMostLevelBars;

  Figure figure;
  figure.kind = "schedule";
  figure.context = run_context(run);
  figure.title =
      fmt::format("The schedule {}: {} over {} places", schedule->name, counted(run.ops.size(), "op"), run.run.length);
  figure.tables["ops"] = schedule_ops(run, drawn, drawn_ids(run));
  const bool has_moves = fits && drawn.moves.size() <= kMostMarks;
  figure.caption = schedule_caption(run, schedule->levels, per_bar, has_moves ? 0 : drawn.moves.size());
  figure.tables["moves"] = has_moves ? schedule_moves(drawn) : figure_table({"from", "to", "level", "about"});
  figure.tables["positions"] = schedule_positions(run);
  figure.tables["phases"] = schedule_phases(run);
  figure.tables["bars"] =
      fits ? figure_table({"first", "last", "ops", "about"}) : level_bars(run, schedule->levels, per_bar);
  const auto [least, most] = flops_range(run);
  figure.signals["length"] = run.run.length;
  figure.signals["levels"] = schedule->levels;
  figure.signals["lanes"] = drawn.rows;
  figure.signals["height"] = std::clamp<std::size_t>(drawn.rows * 34, 150, 800);
  figure.signals["flops_range"] = {least, most};
  figure.signals["has_bars"] = !fits;
  std::size_t most_ops = 1;
  for (const FigureData& row : figure.tables["bars"]["rows"]) most_ops = std::max(most_ops, row[2].get<std::size_t>());
  figure.signals["most_ops"] = most_ops;
  std::vector<std::string> classes;
  for (const char* name : {"mm", "mv", "dead"}) {
    const auto& rows = figure.tables["ops"]["rows"];
    if (std::any_of(rows.begin(), rows.end(), [&](const FigureData& row) { return row[4] == name; }))
      classes.emplace_back(name);
  }
  if (has_moves && !drawn.moves.empty()) classes.emplace_back("moved");
  figure.signals["classes"] = classes;
  return figure;
}

}  // namespace upsweep

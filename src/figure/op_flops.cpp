#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "point_grid.hpp"
#include "run_context.hpp"
#include "run_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/figure/run_figures.hpp"

namespace upsweep {
namespace {

/// Groups of points: bits.
constexpr std::uint32_t kMvGroup = 1;
constexpr std::uint32_t kCriticalGroup = 2;
constexpr std::uint32_t kDeadGroup = 4;

/// Classes of the legend, by kMvGroup and kCriticalGroup.
constexpr std::array<const char*, 4> kOpClasses = {"mm", "mv", "mm, critical of its level",
                                                   "mv, critical of its level"};
constexpr const char* kPlainClass = "plain BP";

const char* op_class(std::uint32_t group) { return kOpClasses.at(group & (kMvGroup | kCriticalGroup)); }

double volume_of(const StoredOp& op) {
  return static_cast<double>(op.m) * static_cast<double>(op.k) * static_cast<double>(op.n);
}

/// What plain back-propagation does: it multiplies by the Jacobian of each operator that has one of its own but of the
/// first, whose input needs no gradient.
std::vector<const StoredOperator*> plain_operators(const RunDetails& run) {
  std::vector<const StoredOperator*> chosen;
  for (const StoredOperator& op : run.operators) {
    if (op.rows && op.cols && op.nnz) chosen.push_back(&op);
  }
  if (!chosen.empty()) chosen.erase(chosen.begin());
  return chosen;
}

/// In a network with branches operators after the first may read the network's input again. Which ones do is not
/// stored: they are among those whose input has its shape.
bool may_read_input_again(const RunDetails& run) {
  return run.run.graph_bp_flops && !run.operators.empty() &&
         std::any_of(run.operators.begin() + 1, run.operators.end(), [&](const StoredOperator& op) {
           return op.rows && op.in_shape == run.operators.front().in_shape;
         });
}

std::string about_operator(const StoredOperator& op) {
  return fmt::format("plain BP through {} ({}): J^T is {} × {} with {} entries, {} FLOPs", short_text(op.name), op.kind,
                     *op.rows, *op.cols, short_count(*op.nnz), short_count(2 * *op.nnz));
}

/// The points of ops, critical ones apart; counts those that a logarithmic axis has no place for.
struct OpPoints {
  std::vector<PlotPoint> critical;
  std::vector<PlotPoint> others;
  std::vector<bool> is_critical;
  std::size_t left_out = 0;

  explicit OpPoints(const RunDetails& run) : is_critical(critical_ops(run)) {
    for (std::size_t i = 0; i < run.ops.size(); ++i) {
      const StoredOp& op = run.ops[i];
      const double volume = volume_of(op);
      if (!(volume > 0 && op.flops > 0)) {
        ++left_out;
        continue;
      }
      const std::uint32_t group =
          (op.is_mv ? kMvGroup : 0) | (is_critical[i] ? kCriticalGroup : 0) | (op.is_dead ? kDeadGroup : 0);
      (is_critical[i] ? critical : others).push_back({volume, op.flops, group, i});
    }
  }
};

std::string about_op_cell(const PlotCell& cell) {
  return fmt::format("{} ({}{}) near {} FLOPs and m·n·k {}", counted(cell.count, "op"), op_class(cell.group),
                     (cell.group & kDeadGroup) != 0 ? ", dead" : "", short_count(cell.y), short_count(cell.x));
}

/// Appends the rows of some ops; returns how fine the grid is.
double add_op_rows(const RunDetails& run, const OpTexts& texts, const std::vector<PlotPoint>& points, std::size_t most,
                   FigureData& table) {
  const PlotCells cells = grid_cells(points, most);
  for (const PlotCell& cell : cells.cells) {
    const bool is_critical = (cell.group & kCriticalGroup) != 0;
    table["rows"].push_back({cell.x, cell.y, op_class(cell.group), is_critical, (cell.group & kDeadGroup) != 0,
                             cell_size(cell.count), cell.count,
                             cell.count == 1 ? texts.about(run.ops[cell.index], is_critical) : about_op_cell(cell)});
  }
  return cells.per_decade;
}

/// What the diamonds are: those of `drawn` operators, some put together.
struct PlainPoints {
  double per_decade = 0;
  std::size_t drawn = 0;
};

FigureData plain_rows(const RunDetails& run, PlainPoints& plain) {
  FigureData table = figure_table({"volume", "flops", "class", "size", "count", "about"});
  const std::vector<const StoredOperator*> operators = plain_operators(run);
  std::vector<PlotPoint> points;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const double volume = static_cast<double>(*operators[i]->rows) * static_cast<double>(*operators[i]->cols);
    if (volume > 0 && *operators[i]->nnz > 0) points.push_back({volume, 2 * *operators[i]->nnz, 0, i});
  }
  const PlotCells cells = grid_cells(points, kMostMarks);
  plain = {cells.per_decade, points.size()};
  for (const PlotCell& cell : cells.cells) {
    const std::string about = cell.count == 1 ? about_operator(*operators[cell.index])
                                              : fmt::format("plain BP through {} near {} FLOPs",
                                                            counted(cell.count, "operator"), short_count(cell.y));
    table["rows"].push_back({cell.x, cell.y, kPlainClass, cell_size(cell.count), cell.count, about});
  }
  return table;
}

std::string plain_caption(const RunDetails& run, const PlainPoints& plain) {
  if (plain.drawn == 0) return "";
  std::string text = fmt::format(
      " Diamonds: plain back-propagation{}, one product of the gradient with the Jacobian of each of {} (2 FLOPs per "
      "entry), all that have one but the first.",
      run.run.graph_bp_flops ? " over the graph" : "", counted(plain.drawn, "operator"));
  if (run.run.graph_bp_flops) text += " Sums of gradients where branches part are not drawn.";
  if (may_read_input_again(run))
    text += " Operators that read the network's input again are among them, though plain back-propagation skips them.";
  return text;
}

/// The classes that are there, in the order of the legend.
std::vector<std::string> classes_there(const OpPoints& points, bool has_operators) {
  std::array<bool, 4> has{};
  for (const auto* list : {&points.critical, &points.others}) {
    for (const PlotPoint& point : *list) has.at(point.group & (kMvGroup | kCriticalGroup)) = true;
  }
  std::vector<std::string> classes;
  for (const std::size_t i : {0U, 2U, 1U, 3U}) {
    if (has.at(i)) classes.emplace_back(kOpClasses.at(i));
  }
  if (has_operators) classes.emplace_back(kPlainClass);
  return classes;
}

}  // namespace

std::optional<Figure> op_flops_figure(const RunDetails& run) {
  const OpPoints points(run);
  if (points.critical.empty() && points.others.empty()) return std::nullopt;
  const OpTexts texts(run);
  const bool fits = run.ops.size() <= kMostMarks;
  FigureData ops = figure_table({"volume", "flops", "class", "critical", "dead", "size", "count", "about"});
  const double others = add_op_rows(run, texts, points.others, fits ? kMostMarks : kMostMarks / 2, ops);
  const double critical = add_op_rows(run, texts, points.critical, fits ? kMostMarks : kMostMarks / 2, ops);
  PlainPoints plain;
  FigureData operators = plain_rows(run, plain);

  Figure figure;
  figure.kind = "op-flops";
  figure.context = run_context(run);
  figure.title = "FLOPs of each op against the size of its product";
  figure.caption =
      "mm: product of two matrices; mv: of a matrix and the gradient vector. Filled: critical of its level, the "
      "most expensive op there; together they are the critical path of the level rule.";
  figure.caption += plain_caption(run, plain);
  if (std::any_of(run.ops.begin(), run.ops.end(), [](const StoredOp& op) { return op.is_dead; }))
    figure.caption += " Pale: dead ops, on whose value no result depends.";
  if (points.left_out > 0)
    figure.caption += fmt::format(" {} without a product not shown.", counted(points.left_out, "op"));
  std::vector<std::string> together;
  const auto tell = [&together](double per_decade, std::size_t count, const std::string& what) {
    if (per_decade > 0) together.push_back(fmt::format("{} ({})", counted(count, what), grid_text(per_decade)));
  };
  tell(others, points.others.size(), "other op");
  tell(critical, points.critical.size(), "critical op");
  tell(plain.per_decade, plain.drawn, "operator");
  if (!together.empty())
    figure.caption += fmt::format(" Put together in a grid, the larger the more: {}.", fmt::join(together, ", "));
  figure.signals["classes"] = classes_there(points, !operators["rows"].empty());
  figure.tables["ops"] = std::move(ops);
  figure.tables["operators"] = std::move(operators);
  return figure;
}

}  // namespace upsweep

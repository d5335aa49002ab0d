#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "cell_text.hpp"
#include "study_parts.hpp"
#include "upsweep/grid/answers.hpp"

namespace upsweep {
namespace {

const std::string& schedule_of(const StudyResult& result, const PointBrief& brief) {
  static const std::string none;
  return brief.schedule < result.schedules.size() ? result.schedules[brief.schedule] : none;
}

Value score_value(const PointBrief& brief, double score) {
  return Value(score).in(brief.is_in_seconds ? Unit::seconds : Unit::count);
}

/// The point with the smallest score, the first of equal ones; nothing where fewer than two have one to compare.
std::optional<std::uint64_t> best_point(const StudyResult& result) {
  const std::vector<std::uint64_t> top = top_points(result.points, PointKey::score, 2);
  return top.size() > 1 ? std::optional(top.front()) : std::nullopt;
}

/// Why points are not done, by position, as far as it is known here.
std::map<std::uint64_t, std::string> reasons_of(const StudyReport& report) {
  std::map<std::uint64_t, std::string> reasons;
  const StudyResult& result = report.result;
  for (std::size_t i = 0; i < result.invalid.size(); ++i) reasons.emplace(result.invalid[i], result.reasons[i]);
  if (report.points == nullptr) return reasons;
  const std::size_t position = column_of(*report.points, "position");
  const std::size_t reason = column_of(*report.points, "reason");
  if (position == report.points->columns.size() || reason == report.points->columns.size()) return reasons;
  for (const auto& row : report.points->rows) {
    std::string text = cell_text(row[reason]);
    if (!text.empty()) reasons[static_cast<std::uint64_t>(cell_number(row[position]))] = std::move(text);
  }
  return reasons;
}

}  // namespace

AxisCells::AxisCells(const StudySpec& spec) : spec_(spec), grid_(grid_of(spec.axes)) {
  for (const Axis& axis : spec.axes) {
    if (axis.columns.size() == 1) {
      heads_.push_back(axis.name);
      continue;
    }
    for (const AxisColumn& column : axis.columns) heads_.push_back(column.path);
  }
}

std::vector<std::string> AxisCells::values(std::uint64_t position) const {
  const Coordinates at = grid_.at(position);
  std::vector<std::string> values;
  for (std::size_t a = 0; a < spec_.axes.size(); ++a) {
    for (const AxisColumn& column : spec_.axes[a].columns) values.push_back(column.values[at[a]].text);
  }
  return values;
}

std::string AxisCells::place_text(std::uint64_t position) const {
  if (heads_.empty()) return "the only point";
  const std::vector<std::string> at = values(position);
  std::string text;
  for (std::size_t i = 0; i < heads_.size(); ++i)
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", heads_[i], at[i]);
  return text;
}

std::vector<std::string> without_folders(std::vector<std::string> cells) {
  std::map<std::string, std::string> files;  // by stem
  for (const std::string& cell : cells) {
    const std::filesystem::path path(cell);
    if (path.extension() != ".yaml") return cells;
    if (files.try_emplace(path.stem().string(), cell).first->second != cell) return cells;
  }
  for (std::string& cell : cells) cell = std::filesystem::path(cell).stem().string();
  return cells;
}

const char* status_text(PointStatus status) {
  switch (status) {
    case PointStatus::open:
      return "open";
    case PointStatus::done:
      return "done";
    case PointStatus::infeasible:
      return "infeasible";
    case PointStatus::invalid:
      return "invalid";
    case PointStatus::excluded:
      return "excluded";
  }
  return "";
}

std::array<std::uint64_t, 5> points_by_status(const StudyResult& result) {
  std::array<std::uint64_t, 5> counts{};
  for (const PointBrief& brief : result.points) ++counts.at(static_cast<std::size_t>(brief.status));
  return counts;
}

// NOLINTNEXTLINE(readability-function-size): a table, a line for each row
Table points_table(const StudyReport& report) {
  const StudyResult& result = report.result;
  const auto axes = std::make_shared<const AxisCells>(report.study.spec);
  using Item = std::uint64_t;
  const auto field = [&result](std::string name, std::optional<std::string> head, Unit unit,
                               std::function<Value(const PointBrief&)> value) {
    return Field<Item>(std::move(name), std::move(head), unit,
                       [&result, value = std::move(value)](Item position) { return value(result.points[position]); });
  };
  using Brief = const PointBrief&;
  std::vector<Field<Item>> fields = {{"position", {}, Unit::exact, [](Item position) { return position; }}};
  for (std::size_t c = 0; c < axes->heads().size(); ++c) {
    // Shown without folders where a table of all points can be read.
    std::vector<std::string> shown;
    for (Item position = 0; result.points.size() <= kMostTablePoints && position < result.points.size(); ++position)
      shown.push_back(axes->values(position)[c]);
    fields.emplace_back(axes->heads()[c], axes->heads()[c], Unit::exact,
                        [axes, c, shown = without_folders(std::move(shown))](Item position) {
                          Value value(axes->values(position)[c]);
                          return shown.empty() ? value : std::move(value).shown(shown[position]);
                        });
  }
  const bool has_dense = std::ranges::any_of(result.points, [](Brief brief) { return !std::isnan(brief.dense_score); });
  const bool has_graph = std::ranges::any_of(result.points, [](Brief brief) { return !std::isnan(brief.graph_score); });
  const auto if_graph = [has_graph](const char* head) {
    return has_graph ? std::optional<std::string>(head) : std::nullopt;
  };
  const auto reasons = std::make_shared<const std::map<std::uint64_t, std::string>>(reasons_of(report));
  const auto best = best_point(result);
  const std::vector<Field<Item>> rest = {
      field("status", {}, Unit::text, [](Brief brief) { return status_text(brief.status); }),
      field("best_schedule", "best", Unit::exact,
            [&result](Brief brief) {
              const std::string& schedule = schedule_of(result, brief);
              return schedule.empty() ? Value() : Value(schedule);
            }),
      field("unit", {}, Unit::text,
            [](Brief brief) { return std::isnan(brief.score) ? Value() : Value(brief.is_in_seconds ? "s" : "FLOPs"); }),
      field("score", "score", Unit::count, [](Brief brief) { return score_value(brief, brief.score); }),
      field("plain_score", "plain BP", Unit::count, [](Brief brief) { return score_value(brief, brief.plain_score); }),
      field("", has_dense ? std::optional<std::string>("dense BP") : std::nullopt, Unit::count,
            [](Brief brief) { return score_value(brief, brief.dense_score); }),
      field("", if_graph("BP over the graph"), Unit::count,
            [](Brief brief) { return score_value(brief, brief.graph_score); }),
      field("", if_graph("blocks"), Unit::count, [](Brief brief) { return score_value(brief, brief.blocks_score); }),
      field("scan_score", "best scan", Unit::count, [](Brief brief) { return score_value(brief, brief.scan_score); }),
      field("speedup", "speedup", Unit::speedup, [](Brief brief) { return brief.speedup(); }),
      field("peak_live_bytes", "memory", Unit::bytes, [](Brief brief) { return brief.best_bytes; }),
      field("plain_bytes", {}, Unit::bytes, [](Brief brief) { return brief.plain_bytes; }),
      field("scan_bytes", {}, Unit::bytes, [](Brief brief) { return brief.scan_bytes; }),
      field("bppsa_bytes", {}, Unit::bytes, [](Brief brief) { return brief.bppsa_bytes; }),
      field("pipeline_bytes", {}, Unit::bytes, [](Brief brief) { return brief.pipeline_bytes; }),
      field("memory_limit", {}, Unit::bytes, [](Brief brief) { return brief.memory_limit; }),
      field("dense_score", {}, Unit::count, &PointBrief::dense_score),
      {"reason",
       {},
       Unit::text,
       [reasons](Item position) {
         const auto reason = reasons->find(position);
         return reason == reasons->end() ? Value() : Value(reason->second);
       }},
      field("graph_score", {}, Unit::count, &PointBrief::graph_score),
      field("blocks_score", {}, Unit::count, &PointBrief::blocks_score),
      field("", "", Unit::text,
            [](Brief brief) { return Value(brief.status != PointStatus::done ? status_text(brief.status) : ""); })};
  fields.insert(fields.end(), rest.begin(), rest.end());
  return Table("", numbered(result.points.size()), std::move(fields))
      .keys(axes->heads().size())
      .marks([best](std::size_t position) { return best == position; })
      .at_most(kMostTablePoints,
               fmt::format("Every point: --format csv; a table stands here for up to {}.\n", kMostTablePoints));
}

}  // namespace upsweep

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "cell_text.hpp"
#include "study_parts.hpp"
#include "upsweep/grid/answers.hpp"

namespace upsweep {
namespace {

using Align = TextTable::Align;

const std::string& schedule_of(const StudyResult& result, const PointBrief& brief) {
  static const std::string none;
  return brief.schedule < result.schedules.size() ? result.schedules[brief.schedule] : none;
}

std::string score_text(const PointBrief& brief, double score) {
  if (std::isnan(score)) return "-";
  return brief.is_in_seconds ? short_seconds(score) : short_count(score);
}

/// The point with the smallest score, the first of equal ones; nothing where fewer than two have one to compare.
std::optional<std::uint64_t> best_point(const StudyResult& result) {
  const std::vector<std::uint64_t> top = top_points(result.points, PointKey::score, 2);
  return top.size() > 1 ? std::optional(top.front()) : std::nullopt;
}

/// A number without loss; empty where there is none.
std::string exact_text(double number) {
  if (std::isnan(number)) return "";
  return number == std::floor(number) && std::fabs(number) < 1e15 ? fmt::format("{:.0f}", number)
                                                                  : fmt::format("{}", number);
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

std::string points_table(const StudyReport& report, const TextStyle& style) {
  const StudyResult& result = report.result;
  std::vector<TextTable::Column> columns;
  const AxisCells axes(report.study.spec);
  for (const std::string& head : axes.heads()) columns.push_back({head});
  const bool has_dense =
      std::ranges::any_of(result.points, [](const PointBrief& brief) { return !std::isnan(brief.dense_score); });
  const bool has_graph =
      std::ranges::any_of(result.points, [](const PointBrief& brief) { return !std::isnan(brief.graph_score); });
  for (const char* head : {"best", "score", "plain BP"}) columns.push_back({head});
  if (has_dense) columns.push_back({"dense BP"});
  if (has_graph) columns.insert(columns.end(), {{"BP over the graph"}, {"blocks"}});
  for (const char* head : {"best scan", "speedup", "memory"}) columns.push_back({head});
  columns.push_back({"", Align::left});
  TextTable table(columns, axes.heads().size());
  std::vector<std::vector<std::string>> values(axes.heads().size());  // by column
  for (std::uint64_t position = 0; position < result.points.size(); ++position) {
    const std::vector<std::string> row = axes.values(position);
    for (std::size_t c = 0; c < row.size(); ++c) values[c].push_back(row[c]);
  }
  for (std::vector<std::string>& column : values) column = without_folders(std::move(column));
  const std::optional<std::uint64_t> best = best_point(result);
  for (std::uint64_t position = 0; position < result.points.size(); ++position) {
    const PointBrief& brief = result.points[position];
    const bool is_best = position == best;
    const char* note = brief.status != PointStatus::done ? status_text(brief.status)
                       : is_best && style.marks_best     ? "<- best"
                                                         : "";
    std::vector<std::string> cells;
    for (const std::vector<std::string>& column : values) cells.push_back(column[position]);
    const std::string& schedule = schedule_of(result, brief);
    cells.insert(cells.end(), {schedule.empty() ? "-" : schedule, score_text(brief, brief.score),
                               score_text(brief, brief.plain_score)});
    if (has_dense) cells.push_back(score_text(brief, brief.dense_score));
    if (has_graph)
      cells.insert(cells.end(), {score_text(brief, brief.graph_score), score_text(brief, brief.blocks_score)});
    cells.insert(cells.end(),
                 {score_text(brief, brief.scan_score), std::isnan(brief.speedup()) ? "-" : short_ratio(brief.speedup()),
                  std::isnan(brief.best_bytes) ? "-" : short_bytes(brief.best_bytes), note});
    table.row(std::move(cells), is_best ? RowMark::best : RowMark::none);
  }
  return table.text(style);
}

std::string to_csv(const StudyReport& report) {
  const StudyResult& result = report.result;
  const AxisCells axes(report.study.spec);
  std::vector<std::string> heads = axes.heads();
  heads.insert(heads.begin(), "position");
  for (const char* head : {"status", "best_schedule", "unit", "score", "plain_score", "scan_score", "speedup",
                           "peak_live_bytes", "plain_bytes", "scan_bytes", "bppsa_bytes", "pipeline_bytes",
                           "memory_limit", "dense_score", "reason", "graph_score", "blocks_score"})
    heads.emplace_back(head);
  std::string csv = csv_line(heads);
  const std::map<std::uint64_t, std::string> reasons = reasons_of(report);
  for (std::uint64_t position = 0; position < result.points.size(); ++position) {
    const PointBrief& brief = result.points[position];
    std::vector<std::string> cells = axes.values(position);
    cells.insert(cells.begin(), fmt::format("{}", position));
    cells.insert(cells.end(), {status_text(brief.status), schedule_of(result, brief),
                               std::isnan(brief.score) ? ""
                               : brief.is_in_seconds   ? "s"
                                                       : "FLOPs"});
    for (const double number :
         {brief.score, brief.plain_score, brief.scan_score, brief.speedup(), brief.best_bytes, brief.plain_bytes,
          brief.scan_bytes, brief.bppsa_bytes, brief.pipeline_bytes, brief.memory_limit, brief.dense_score})
      cells.push_back(exact_text(number));
    const auto reason = reasons.find(position);
    cells.push_back(reason == reasons.end() ? "" : reason->second);
    for (const double number : {brief.graph_score, brief.blocks_score}) cells.push_back(exact_text(number));
    csv += csv_line(cells);
  }
  return csv;
}

}  // namespace upsweep

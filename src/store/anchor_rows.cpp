#include "anchor_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "command_rows.hpp"
#include "rows.hpp"
#include "store_reader.hpp"

namespace upsweep {

/// Columns of anchor_sets but for its keys.
void columns(auto& visit, AnchorRecord& record) {
  visit("files", record.files);
  visit("content_hash", record.content_hash);
}

/// Of the view anchor_runs.
void columns(auto& visit, StoredAnchors& anchors) {
  visit("id", anchors.id);
  visit("created_utc", anchors.created_utc);
  visit("tool_version", anchors.record.tool_version);
  visit("parameters", anchors.record.parameters);
  columns(visit, anchors.record);
}

/// A count that is as wide as the machine's.
void count_column(auto& visit, ColumnName name, std::size_t& count) {
  std::uint64_t wide = count;
  visit(name, wide);
  if constexpr (kReads<decltype(visit)>) count = wide;
}

void error_columns(auto& visit, const char* which, ErrorFigures& errors) {
  count_column(visit, {which, "_points"}, errors.points);
  const auto figure = [&](const char* name, double& value) {
    std::optional<double> known = errors.points > 0 ? std::optional(value) : std::nullopt;
    visit({which, name}, known);
    if constexpr (kReads<decltype(visit)>) value = known.value_or(0);
  };
  figure("_mean", errors.mean);
  figure("_median", errors.median);
  figure("_p90", errors.p90);
  figure("_max", errors.max);
}

void columns(auto& visit, AnchorFamily& family) {
  visit("family", family.family);
  visit("device", family.device);
  visit("library", family.library);
  visit.or_null("machine", family.machine);
  count_column(visit, "line_count", family.rows);
  count_column(visit, "skipped", family.skipped);
  count_column(visit, "fitted", family.fitted);
  count_column(visit, "left_out", family.left_out);
  visit("coverage", family.coverage);
  count_column(visit, "failures_predicted", family.failures.predicted);
  count_column(visit, "failures_missed", family.failures.missed);
  count_column(visit, "false_alarms", family.failures.false_alarms);
  std::string fitted_on = fmt::format("{}", fmt::join(family.fitted_on, "\n"));
  visit("fitted_on", fitted_on);
  if constexpr (kReads<decltype(visit)>) {
    std::istringstream lines(fitted_on);
    for (std::string line; std::getline(lines, line);) family.fitted_on.push_back(line);
  }
  error_columns(visit, "error", family.error);
  error_columns(visit, "in_sample", family.in_sample);
  error_columns(visit, "bound", family.bound_error);
}

void columns(auto& visit, AnchorPoint& point) {
  count_column(visit, "family", point.family);
  visit("file", point.row.file);
  std::int64_t line = point.row.line;
  visit("line", line);
  if constexpr (kReads<decltype(visit)>) point.row.line = static_cast<int>(line);
  visit.or_null("matrix", point.row.matrix);
  visit.or_null("algorithm", point.row.algorithm);
  visit("status", point.row.status);
  visit.or_null("predicted_status", point.predicted_status);
  visit("measured_s", point.row.time_s);
  visit("predicted_s", point.predicted_s);
  visit("low_s", point.low_s);
  visit("high_s", point.high_s);
  visit("in_sample_s", point.in_sample_s);
  visit("bound_s", point.bound_s);
  visit.or_null("binds", point.binds);
  visit("fitted", point.is_fitted);
  visit("left_out", point.is_left_out);
  visit.or_null("skipped", point.skipped);
}

std::int64_t save_anchor_run(Sqlite& database, std::int64_t command, const AnchorRecord& record) {
  const std::int64_t id = next_run_id(database);
  insert_row(database, "anchor_sets", record, "id, command_id", id, command);
  Insert<AnchorFamily> insert_family(database, "anchor_families", "run_id, number");
  std::uint64_t number = 0;
  for (const AnchorFamily& family : record.report.families) insert_family(family, id, number++);
  Insert<AnchorPoint> insert_point(database, "anchor_points", "run_id, seq");
  std::uint64_t seq = 0;
  for (const AnchorPoint& point : record.report.points) insert_point(point, id, seq++);
  return id;
}

std::optional<StoredAnchors> StoreReader::anchors(std::int64_t id) const {
  Sqlite& database = impl_->database;
  std::optional<StoredAnchors> anchors = first_row<StoredAnchors>(database, "FROM anchor_runs WHERE id = ?", id);
  if (!anchors) return anchors;
  AnchorReport& report = anchors->record.report;
  report.families = all_rows<AnchorFamily>(database, "FROM anchor_families WHERE run_id = ? ORDER BY number", id);
  report.points = all_rows<AnchorPoint>(database, "FROM anchor_points WHERE run_id = ? ORDER BY seq", id);
  for (AnchorPoint& point : report.points) {
    const AnchorFamily& family = report.families.at(point.family);
    point.row.family = family.family;
    point.row.device = family.device;
    point.row.library = family.library;
    if (point.skipped.empty()) point.machine = family.machine;
  }
  return anchors;
}

}  // namespace upsweep

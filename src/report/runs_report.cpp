#include "upsweep/report/runs_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cell_text.hpp"
#include "column_words.hpp"

namespace upsweep {
namespace {

using Align = TextTable::Align;

bool is_text(const QueryResult& result, std::size_t column) {
  return std::any_of(result.rows.begin(), result.rows.end(),
                     [&](const auto& row) { return std::holds_alternative<std::string>(row[column]); });
}

}  // namespace

Json cell_json(const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return *integer;
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return {};
}

std::string cell_text(const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *integer);
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return {};
}

double cell_number(const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return 0;
}

std::size_t column_of(const QueryResult& result, const std::string& name) {
  return static_cast<std::size_t>(std::find(result.columns.begin(), result.columns.end(), name) -
                                  result.columns.begin());
}

Json to_json(const QueryResult& result) {
  Json rows = Json::array();
  for (const auto& row : result.rows) {
    Json object;
    for (std::size_t c = 0; c < row.size(); ++c) object[result.columns[c]] = cell_json(row[c]);
    rows.push_back(std::move(object));
  }
  return rows;
}

std::string to_csv(const QueryResult& result) {
  std::string csv = csv_line(result.columns);
  for (const auto& row : result.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(cell_text(cell));
    csv += csv_line(cells);
  }
  return csv;
}

std::string to_text(const QueryResult& result, const TextStyle& style) {
  const std::size_t best = column_of(result, "best");
  std::vector<TextTable::Column> columns;
  for (std::size_t c = 0; c < result.columns.size(); ++c)
    columns.push_back({column_words(result.columns[c]), is_text(result, c) ? Align::left : Align::right});
  TextTable table(columns);
  for (const auto& row : result.rows) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < row.size(); ++c) cells.push_back(shown_cell(result.columns[c], row[c]));
    const bool is_best = best < row.size() && cell_number(row[best]) != 0;
    table.row(std::move(cells), is_best ? RowMark::best : RowMark::none);
  }
  return table.text(style);
}

namespace {

/// A count of a run of a schedule; training runs have none.
std::string count_text(const Cell& cell) {
  return std::holds_alternative<std::monostate>(cell) ? "-" : short_count(cell_number(cell));
}

std::string seconds_text(const Cell& cell) {
  return std::holds_alternative<std::monostate>(cell) ? "-" : short_seconds(cell_number(cell));
}

/// The columns that tell runs apart.
std::string runs_text(const QueryResult& summary, const TextStyle& style) {
  if (summary.rows.empty()) return "No runs.\n";
  TextTable table({{"run"},
                   {"created (UTC)", Align::left},
                   {"command", Align::left},
                   {"model", Align::left},
                   {"pattern", Align::left},
                   {"schedule", Align::left},
                   {"workers"},
                   {"FLOPs"},
                   {"makespan (dag)"},
                   {"makespan to plain BP"},
                   {"peak memory"},
                   {"predicted"},
                   {"measured"},
                   {"", Align::left}});
  const auto at = [&](const auto& row, const char* name) -> const Cell& { return row[column_of(summary, name)]; };
  // Of the execution of the search; validations are by level unless told otherwise.
  const auto is_by_level = [&](const auto& row) {
    const std::string execution = cell_text(at(row, "execution"));
    return execution.empty() ? cell_text(at(row, "command")) != "profile" : execution == "level";
  };
  for (const auto& row : summary.rows) {
    const Cell& ratio = at(row, "makespan_dag_ratio_to_linear");
    const bool is_best = cell_number(at(row, "best")) != 0;
    table.row({cell_text(at(row, "id")), cell_text(at(row, "created_utc")), cell_text(at(row, "command")),
               cell_text(at(row, "model")), cell_text(at(row, "pattern")), cell_text(at(row, "schedule")),
               cell_text(at(row, "workers")), count_text(at(row, "flops")), count_text(at(row, "makespan_dag_flops")),
               std::holds_alternative<std::monostate>(ratio) ? "-" : short_ratio(cell_number(ratio)),
               std::holds_alternative<std::monostate>(at(row, "peak_live_bytes"))
                   ? "-"
                   : short_bytes(cell_number(at(row, "peak_live_bytes"))),
               seconds_text(at(row, is_by_level(row) ? "predicted_level_s" : "predicted_dag_s")),
               seconds_text(at(row, "measured_s")), is_best ? "best of its search" : ""},
              is_best ? RowMark::best : RowMark::none);
  }
  return table.text(style);
}

/// A score in seconds is one of the predictions; else it is in FLOPs.
std::string score_text(const QueryResult& run, const Cell& score) {
  for (const char* predicted : {"predicted_level_s", "predicted_dag_s"}) {
    const std::size_t column = column_of(run, predicted);
    if (column < run.columns.size() && run.rows.front()[column] == score) return shown_cell(predicted, score);
  }
  return shown_cell("flops", score);
}

/// Names and values below each other.
std::string fields_text(const QueryResult& run, const TextStyle& style) {
  TextTable table({{"field", Align::left}, {"value", Align::left}});
  for (std::size_t c = 0; c < run.columns.size(); ++c) {
    const Cell& cell = run.rows.front()[c];
    const bool is_score = run.columns[c] == "score" && !std::holds_alternative<std::monostate>(cell);
    table.row({column_words(run.columns[c]), is_score ? score_text(run, cell) : shown_cell(run.columns[c], cell)});
  }
  return table.text(style);
}

}  // namespace

Json to_json(const RunTables& run) {
  Json object = to_json(run.run).front();
  for (const auto& [name, table] : run.tables) object[name] = to_json(table);
  return object;
}

std::string to_text(const RunTables& run, const TextStyle& style) {
  const std::string text = fields_text(run.run, style) + '\n';
  if (run.kind == RunKind::schedule) {
    const QueryResult& measurements = run.table("prediction_vs_measurement");
    const std::string levels = text + to_text(run.table("level_profile"), style);
    return measurements.rows.empty()
               ? levels
               : levels + "\nPredicted beside measured times; no level: end to end\n\n" + to_text(measurements, style);
  }
  const QueryResult& summary = run.table("summary");
  const bool has_figures_alone = run.kind == RunKind::training && summary.rows.empty();
  return text + to_text(has_figures_alone ? run.table("figures") : summary, style);
}

std::string runs_and_studies_text(const QueryResult& summary, const QueryResult& studies, const TextStyle& style) {
  std::string text = runs_text(summary, style);
  if (!studies.rows.empty()) text += "\nstudies\n" + to_text(studies, style);
  return text;
}

}  // namespace upsweep

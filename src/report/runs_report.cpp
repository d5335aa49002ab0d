#include "upsweep/report/runs_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cell_text.hpp"
#include "column_words.hpp"

namespace upsweep {
namespace {

bool is_text(const QueryResult& result, std::size_t column) {
  return std::ranges::any_of(result.rows,
                             [&](const auto& row) { return std::holds_alternative<std::string>(row[column]); });
}

}  // namespace

Value cell_value(const Cell& cell) {
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

Table query_table(const QueryResult& result, const std::string& name) {
  std::vector<Field<std::size_t>> fields;
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    const std::string& column = result.columns[c];
    fields.emplace_back(column, column_words(column), is_text(result, c) ? Unit::text : Unit::exact,
                        [&result, &column, c](std::size_t row) {
                          const Cell& cell = result.rows[row][c];
                          return cell_value(cell).shown(shown_cell(column, cell));
                        });
  }
  return Table(name, numbered(result.rows.size()), std::move(fields))
      .marks([&result, best = column_of(result, "best")](std::size_t row) {
        return best < result.columns.size() && cell_number(result.rows[row][best]) != 0;
      });
}

Document document(const QueryResult& result) {
  Document document;
  return std::move(document.rows(query_table(result)).show(query_table(result)));
}

namespace {

/// The columns that tell runs apart.
Table runs_table(const QueryResult& summary) {
  using Item = std::size_t;
  const auto at = [&summary](Item row, const std::string& name) -> const Cell& {
    return summary.rows[row][column_of(summary, name)];
  };
  const auto field = [at](std::string head, Unit unit, std::string name) {
    return Field<Item>("", std::move(head), unit,
                       [at, name = std::move(name)](Item row) { return cell_value(at(row, name)); });
  };
  // Of the execution of the search; validations are by level unless told otherwise.
  const auto is_by_level = [at](Item row) {
    const std::string execution = cell_text(at(row, "execution"));
    return execution.empty() ? cell_text(at(row, "command")) != "profile" : execution == "level";
  };
  const auto is_best = [at](Item row) { return cell_number(at(row, "best")) != 0; };
  return Table("", numbered(summary.rows.size()),
               std::vector<Field<Item>>{
                   field("run", Unit::exact, "id"),
                   field("created (UTC)", Unit::text, "created_utc"),
                   field("command", Unit::text, "command"),
                   field("model", Unit::text, "model"),
                   field("pattern", Unit::text, "pattern"),
                   field("schedule", Unit::text, "schedule"),
                   field("workers", Unit::exact, "workers"),
                   field("FLOPs", Unit::count, "flops"),
                   field("makespan (dag)", Unit::count, "makespan_dag_flops"),
                   field("makespan to plain BP", Unit::ratio, "makespan_dag_ratio_to_linear"),
                   field("peak memory", Unit::bytes, "peak_live_bytes"),
                   {"", "predicted", Unit::seconds,
                    [=](Item row) {
                      return cell_value(at(row, is_by_level(row) ? "predicted_level_s" : "predicted_dag_s"));
                    }},
                   field("measured", Unit::seconds, "measured_s"),
                   {"", "", Unit::text, [=](Item row) { return Value(is_best(row) ? "best of its search" : ""); }}})
      .marks(is_best);
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
Table fields_table(const QueryResult& run) {
  std::vector<std::vector<Value>> rows;
  for (std::size_t c = 0; c < run.columns.size(); ++c) {
    const Cell& cell = run.rows.front()[c];
    const bool is_score = run.columns[c] == "score" && !std::holds_alternative<std::monostate>(cell);
    rows.push_back({column_words(run.columns[c]), is_score ? score_text(run, cell) : shown_cell(run.columns[c], cell)});
  }
  return {"", {{"", "field", Unit::text}, {"", "value", Unit::text}}, std::move(rows)};
}

}  // namespace

Document document(const RunTables& run) {
  Document document;
  document.facts([&run] { return query_table(run.run).object(0); });
  for (const auto& [name, table] : run.tables) document.list(query_table(table, name));
  document.sheet(query_table(run.run)).show(fields_table(run.run)).say("\n");
  if (run.kind == RunKind::schedule) {
    const QueryResult& measurements = run.table("prediction_vs_measurement");
    document.show(query_table(run.table("level_profile")));
    if (measurements.rows.empty()) return document;
    return std::move(
        document.say("\nPredicted beside measured times; no level: end to end\n\n").show(query_table(measurements)));
  }
  const QueryResult& summary = run.table("summary");
  const bool has_figures_alone = run.kind == RunKind::training && summary.rows.empty();
  return std::move(document.show(query_table(has_figures_alone ? run.table("figures") : summary)));
}

Document runs_and_studies(const QueryResult& summary, const QueryResult& studies) {
  Document document;
  document.rows(query_table(summary));
  if (summary.rows.empty()) {
    document.say("No runs.\n");
  } else {
    document.show(runs_table(summary));
  }
  if (!studies.rows.empty()) document.say("\nstudies\n").show(query_table(studies));
  return document;
}

}  // namespace upsweep

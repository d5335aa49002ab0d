#include "upsweep/report/runs_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cell_text.hpp"
#include "column_words.hpp"
#include "device_memory.hpp"
#include "upsweep/document/estimate_mark.hpp"

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

/// Of what a command said, whether a scan pays: "the scan does not pay"; nothing where it did not say.
std::string short_verdict(const std::string& verdict) {
  if (verdict.find("neither plain BP nor a scan fits") != std::string::npos) return "nothing fits";
  const std::size_t begin = std::min(verdict.find("the scan "), verdict.find("whether the scan "));
  return begin == std::string::npos ? "" : verdict.substr(begin, verdict.find_first_of(";.\n", begin) - begin);
}

/// By command.
std::map<std::int64_t, std::string> short_verdicts(const QueryResult& verdicts) {
  std::map<std::int64_t, std::string> found;
  for (const auto& row : verdicts.rows)
    found[static_cast<std::int64_t>(cell_number(row.front()))] = short_verdict(cell_text(row.back()));
  return found;
}

/// A cell, an empty one where there is no such column.
const Cell& cell_of(const QueryResult& result, std::size_t row, const std::string& name) {
  static const Cell none;
  const std::size_t column = column_of(result, name);
  return column < result.columns.size() ? result.rows[row][column] : none;
}

/// How many runs each command has.
std::map<std::int64_t, std::size_t> runs_of_commands(const QueryResult& summary) {
  std::map<std::int64_t, std::size_t> counts;
  const std::size_t command = column_of(summary, "command_id");
  for (const auto& row : summary.rows) ++counts[static_cast<std::int64_t>(cell_number(row[command]))];
  return counts;
}

/// Which runs are the best of their commands: of all schemes, where those were searched, else of the depths.
std::vector<bool> best_runs(const QueryResult& summary) {
  const auto is = [&summary](std::size_t row, const char* flag) {
    return cell_number(cell_of(summary, row, flag)) != 0;
  };
  const auto command = [&summary](std::size_t row) { return cell_number(cell_of(summary, row, "command_id")); };
  std::set<double> with_schemes;
  for (const std::size_t row : numbered(summary.rows.size())) {
    if (is(row, "best_of_all")) with_schemes.insert(command(row));
  }
  std::vector<bool> best;
  for (const std::size_t row : numbered(summary.rows.size()))
    best.push_back(is(row, with_schemes.contains(command(row)) ? "best_of_all" : "best"));
  return best;
}

/// Of a search the best run, or one where none fits or the best was deleted; of commands without a best one, as
/// validations are, all.
std::vector<std::size_t> one_of_each(const QueryResult& summary) {
  const auto at = [&summary](std::size_t row, const char* name) { return cell_of(summary, row, name); };
  const std::vector<bool> best = best_runs(summary);
  std::set<double> shown;  // commands of which no other run is shown
  for (const std::size_t row : numbered(summary.rows.size())) {
    if (best[row]) shown.insert(cell_number(at(row, "command_id")));
  }
  std::vector<std::size_t> rows = numbered(summary.rows.size());
  std::erase_if(rows, [&](std::size_t row) {
    if (best[row]) return false;
    const double command = cell_number(at(row, "command_id"));
    return cell_text(at(row, "command")) == "search" ? !shown.insert(command).second : shown.contains(command);
  });
  return rows;
}

/// The columns that tell runs apart.
// NOLINTNEXTLINE(readability-function-size): a table, a line for each row
Table runs_table(const QueryResult& summary, const QueryResult& verdicts, std::vector<std::size_t> rows) {
  using Item = std::size_t;
  const auto at = [&summary](Item row, const std::string& name) -> const Cell& { return cell_of(summary, row, name); };
  const auto field = [at](std::string head, Unit unit, std::string name) {
    return Field<Item>("", std::move(head), unit,
                       [at, name = std::move(name)](Item row) { return cell_value(at(row, name)); });
  };
  // What is exact is of runs of schedules alone.
  const auto is_exact = [at](Item row) {
    const Cell& exact = at(row, "exact");
    return std::holds_alternative<std::monostate>(exact) || cell_number(exact) != 0;
  };
  const auto estimated = [=](std::string head, Unit unit, std::string name) {
    return Field<Item>("", std::move(head), unit, [=, name = std::move(name)](Item row) {
      return marked_unless(is_exact(row), cell_value(at(row, name)), unit);
    });
  };
  // Of the execution of the search; validations are by level unless told otherwise.
  const auto is_by_level = [at](Item row) {
    const std::string execution = cell_text(at(row, "execution"));
    if (!execution.empty()) return execution == "level";
    if (cell_text(at(row, "command")) != "profile") return true;
    const Cell& score = at(row, "score");  // of a profile that of its execution
    const auto is_score = [&](const char* makespan) {
      return !std::holds_alternative<std::monostate>(at(row, makespan)) &&
             cell_number(at(row, makespan)) == cell_number(score);
    };
    return !std::holds_alternative<std::monostate>(score) && is_score("makespan_level_flops") &&
           !is_score("makespan_dag_flops");
  };
  const auto predicted = [=, &summary](Item row) -> const Cell& {
    const char* by_execution = is_by_level(row) ? "predicted_level_s" : "predicted_dag_s";
    return at(row, scored_prediction(summary, row).value_or(by_execution));
  };
  const auto is_nothing = [](const Cell& cell) { return std::holds_alternative<std::monostate>(cell); };
  const auto is_in_seconds = [=, &summary](Item row) {
    return !is_nothing(predicted(row)) && (is_nothing(at(row, "score")) || scored_prediction(summary, row));
  };
  std::map<std::int64_t, double> plain_s;  // by command
  for (std::size_t row = 0; row < summary.rows.size(); ++row) {
    const auto* command = std::get_if<std::int64_t>(&at(row, "command_id"));
    if (command != nullptr && is_in_seconds(row) && cell_text(at(row, "schedule")) == "linear")
      plain_s[*command] = cell_number(predicted(row));
  }
  // Speed-ups by what decides: seconds where there are some, else FLOPs of the execution.
  const auto over_plain = [=](Item row) -> Value {
    const auto over = [](double plain, double mine) { return plain > 0 && mine > 0 ? Value(plain / mine) : Value(); };
    if (!is_in_seconds(row)) {
      if (!is_by_level(row) || is_nothing(at(row, "makespan_level_flops"))) {
        const auto& ratio = at(row, "makespan_dag_ratio_to_linear");
        return is_nothing(ratio) ? Value() : over(1, cell_number(ratio));
      }
      return over(cell_number(at(row, "linear_flops")), cell_number(at(row, "makespan_level_flops")));
    }
    const auto plain = plain_s.find(static_cast<std::int64_t>(cell_number(at(row, "command_id"))));
    return plain != plain_s.end() ? over(plain->second, cell_number(predicted(row))) : Value();
  };
  const auto is_best = [best = best_runs(summary)](Item row) -> bool { return best[row]; };
  const std::vector<std::size_t> rows_of_table = rows;
  const bool shows_one = rows.size() < summary.rows.size();
  const bool has_machine = std::ranges::any_of(rows, [=](Item row) { return !is_nothing(at(row, "machine")); });
  const auto of_command = [at](const auto& by_command, Item row) {
    const auto found = by_command.find(static_cast<std::int64_t>(cell_number(at(row, "command_id"))));
    return found == by_command.end() ? typename std::decay_t<decltype(by_command)>::mapped_type{} : found->second;
  };
  const auto remark = [=, counts = runs_of_commands(summary)](Item row) -> Value {
    const std::size_t count = of_command(counts, row);
    if (count <= 1) return Value("");
    if (is_best(row)) return Value(fmt::format("best of {}", count));
    return Value(cell_text(at(row, "command")) == "search" && shows_one ? fmt::format("one of {}", count) : "");
  };
  return Table("", std::move(rows),
               std::vector<Field<Item>>{
                   field("run", Unit::exact, "id"),
                   field("created (UTC)", Unit::text, "created_utc"),
                   field("command", Unit::text, "command"),
                   field("model", Unit::text, "model"),
                   field("pattern", Unit::text, "pattern"),
                   field("schedule", Unit::text, "schedule"),
                   {"", has_machine ? std::optional<std::string>("machine") : std::nullopt, Unit::text,
                    [at](Item row) { return cell_value(at(row, "machine")); }},
                   field("workers", Unit::exact, "workers"),
                   estimated("FLOPs", Unit::count, "flops"),
                   estimated("makespan (dag)", Unit::count, "makespan_dag_flops"),
                   {"", "vs plain BP", Unit::speedup,
                    [=](Item row) { return marked_unless(is_exact(row), over_plain(row), Unit::speedup); }},
                   estimated("peak memory", Unit::bytes, "peak_live_bytes"),
                   {"", "predicted", Unit::seconds,
                    [=](Item row) { return marked_unless(is_exact(row), cell_value(predicted(row)), Unit::seconds); }},
                   field("measured", Unit::seconds, "measured_s"),
                   {"", "verdict", Unit::text,
                    [=, verdicts = short_verdicts(verdicts)](Item row) {
                      return Value::unless_empty(of_command(verdicts, row));
                    }},
                   {"", "", Unit::text, remark}})
      .marks([rows_of_table, is_best](std::size_t place) { return is_best(rows_of_table[place]); });
}

/// The cell of a column of the only row, or none.
Cell only_cell(const QueryResult& run, const std::string& name) {
  const std::size_t column = column_of(run, name);
  return column < run.columns.size() ? run.rows.front()[column] : Cell();
}

/// A score in seconds is one of the predictions, and its interval is in its unit; else they are in FLOPs.
std::string score_text(const QueryResult& run, const Cell& shown) {
  return shown_cell(scored_prediction(run, 0).value_or("flops"), shown);
}

/// Whether a column of a run is an estimate where its counts are.
bool follows_counts(std::string_view column) {
  constexpr std::array<std::string_view, 13> kColumns = {"flops",
                                                         "score",
                                                         "live_flops",
                                                         "critical_path_level_flops",
                                                         "critical_path_dag_flops",
                                                         "live_critical_path_level_flops",
                                                         "live_critical_path_dag_flops",
                                                         "per_step_flops",
                                                         "makespan_level_flops",
                                                         "makespan_dag_flops",
                                                         "makespan_shared_flops",
                                                         "bound_shared_flops",
                                                         "peak_live_bytes"};
  return std::ranges::find(kColumns, column) != kColumns.end() || column.starts_with("predicted_level") ||
         column.starts_with("predicted_dag");
}

/// Names and values below each other; what it came to stands below.
Table fields_table(const QueryResult& run) {
  std::vector<std::vector<Value>> rows;
  const bool is_estimate = only_cell(run, "exact") == Cell(std::int64_t{0});
  for (std::size_t c = 0; c < run.columns.size(); ++c) {
    const std::string& column = run.columns[c];
    if (column == "machine_id" || column.starts_with("verdict")) continue;  // people read its name, and sentences
    const Cell& cell = run.rows.front()[c];
    const bool is_nothing = std::holds_alternative<std::monostate>(cell);
    const std::string text =
        column.starts_with("score") && !is_nothing ? score_text(run, cell) : shown_cell(column, cell);
    const bool is_marked = is_estimate && !is_nothing && follows_counts(column);
    rows.push_back({column_words(column), fmt::format("{}{}", is_marked ? "~" : "", text)});
  }
  return {"", {{"", "field", Unit::text}, {"", "value", Unit::text}}, std::move(rows)};
}

}  // namespace

Document document(const RunTables& run, const QueryResult& candidates) {
  Document document;
  document.facts([&run] { return query_table(run.run).object(0); });
  for (const auto& [name, table] : run.tables) document.list(query_table(table, name));
  document.sheet(query_table(run.run)).show(fields_table(run.run)).say("\n");
  if (const std::string verdict = cell_text(only_cell(run.run, "verdict")); !verdict.empty())
    document.say(verdict + (verdict.ends_with('\n') ? "\n" : "\n\n"));
  if (candidates.rows.size() > 1) {
    document.say("All candidates of this search:\n\n")
        .show(runs_table(candidates, {}, numbered(candidates.rows.size())))
        .say("\n");
  }
  if (run.kind == RunKind::schedule) {
    const QueryResult& measurements = run.table("prediction_vs_measurement");
    document.show(query_table(run.table("level_profile")));
    if (measurements.rows.empty()) return document;
    return std::move(
        document.say("\nPredicted beside measured times; no level: end to end\n\n").show(query_table(measurements)));
  }
  const QueryResult& summary = run.table("summary");
  const bool has_figures_alone = run.kind == RunKind::training && summary.rows.empty();
  document.show(query_table(has_figures_alone ? run.table("figures") : summary));
  return std::move(run.kind == RunKind::training ? document.add(device_memory(run)) : document);
}

Document runs_and_studies(const QueryResult& summary, const QueryResult& studies, const QueryResult& verdicts,
                          ListedRuns listed) {
  Document document;
  document.rows(query_table(summary));
  if (summary.rows.empty()) {
    document.say("No runs.\n");
  } else {
    std::vector<std::size_t> rows = listed == ListedRuns::all ? numbered(summary.rows.size()) : one_of_each(summary);
    const std::size_t left_out = summary.rows.size() - rows.size();
    document.show(runs_table(summary, verdicts, std::move(rows)));
    if (left_out > 0) {
      document.say(
          fmt::format("{} more are candidates of these searches: `upsweep runs --candidates` has them.\n", left_out));
    }
  }
  if (!studies.rows.empty()) document.say("\nstudies\n").show(query_table(studies));
  return document;
}

}  // namespace upsweep

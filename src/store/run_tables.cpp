#include <algorithm>
#include <stdexcept>

#include "run_rows.hpp"
#include "store_reader.hpp"

namespace upsweep {
namespace {

Cell cell(const Statement& row, int column) {
  if (row.is_null(column)) return std::monostate();
  if (row.is_integer(column)) return row.integer(column);
  if (row.is_float(column)) return row.number(column);
  return row.text(column);
}

QueryResult query_result(Sqlite& database, std::string_view sql, const auto&... values) {
  Statement statement(database, sql);
  statement.bind(values...);
  QueryResult result;
  for (int c = 0; c < statement.columns(); ++c) result.columns.push_back(statement.column_name(c));
  while (statement.step()) {
    std::vector<Cell> row;
    for (int c = 0; c < statement.columns(); ++c) row.push_back(cell(statement, c));
    result.rows.push_back(std::move(row));
  }
  return result;
}

/// The queries of a table of a run, whose id is their parameter.
struct TableQuery {
  const char* name;
  const char* sql;
};

/// What is read of a kind of run.
struct KindQueries {
  RunKind kind;
  const char* run;                         ///< one row, or none
  std::vector<TableQuery> tables;          ///< RunTables::tables
  std::vector<TableQuery> compared;        ///< ComparedRun::columns
  std::vector<const char*> compared_rows;  ///< ComparedRun::rows
};

// NOLINTNEXTLINE(readability-function-size): a table, a line for each row
const std::vector<KindQueries>& kinds() {
  static const std::vector<KindQueries> kKinds = {
      {RunKind::schedule,
       "SELECT r.*, a.name AS machine FROM runs r LEFT JOIN machines a ON a.id = r.machine_id WHERE r.id = ?",
       {{"level_profile",
         "SELECT level, phase, ops, dead_ops, flops_sum, flops_max, share_of_flops, nnz, bytes FROM level_profile "
         "WHERE run_id = ? ORDER BY level"},
        {"prediction_vs_measurement",
         "SELECT measurement, backend, workers, execution, level, predicted_s, measured_s, error FROM "
         "prediction_vs_measurement WHERE run = ? ORDER BY measurement, level IS NOT NULL, level"}},
       {{"",
         "SELECT r.*, NULLIF(r.depth, -1) AS depth, s.objective, s.execution, s.scope, s.memory_limit_bytes, "
         "s.best_depth, s.margin AS search_margin, s.best_schedule, s.scheme_margin, a.name AS machine, a.text AS "
         "machine_text FROM runs r LEFT JOIN searches s ON s.id = r.search_id LEFT JOIN machines a ON a.id = "
         "r.machine_id WHERE r.id = ?"},
        {"measurement: ", "SELECT * FROM measurements WHERE run_id = ? ORDER BY id DESC LIMIT 1"}},
       {"SELECT 'operator ' || name AS name, kind, in_shape, out_shape, rows, cols, nnz, bytes, baseline_flops "
        "FROM operators WHERE run_id = ? ORDER BY idx",
        "SELECT 'level ' || level AS name, ops, phase, flops_sum, flops_max FROM levels WHERE run_id = ? ORDER BY "
        "level"}},
      {RunKind::training,
       "SELECT * FROM training_runs WHERE id = ?",
       {{"figures",
         "SELECT v.name AS variant, f.figure, f.idx, f.value FROM training_figures f JOIN training_variants v "
         "ON v.run_id = f.run_id AND v.variant = f.variant WHERE f.run_id = ? ORDER BY f.rowid"},
        {"summary",
         "SELECT v.name AS variant, MAX(CASE figure WHEN 'makespan' THEN value END) AS makespan, "
         "MAX(CASE figure WHEN 'bubble_fraction' THEN value END) AS bubble_fraction, "
         "MAX(CASE figure WHEN 'peak_act_plus_grad' THEN value END) * "
         "COALESCE(MAX(CASE figure WHEN 'tensor_size' THEN value END), 1) AS peak_tensors, "
         "MAX(CASE figure WHEN 'memory_bytes' THEN value END) AS memory_bytes, "
         "MAX(CASE figure WHEN 'does_not_fit' THEN value END) AS does_not_fit, v.best "
         "FROM training_variants v JOIN training_figures f ON f.run_id = v.run_id AND f.variant = v.variant "
         "WHERE v.run_id = ? GROUP BY v.variant HAVING makespan IS NOT NULL ORDER BY v.variant"}},
       {{"", "SELECT * FROM training_runs WHERE id = ?"}},
       {"SELECT v.name || ': ' || f.figure || COALESCE('[' || f.idx || ']', '') AS name, f.value FROM training_figures "
        "f JOIN training_variants v ON v.run_id = f.run_id AND v.variant = f.variant WHERE f.run_id = ? ORDER BY "
        "f.rowid"}},
      {RunKind::passes,
       "SELECT * FROM pass_runs WHERE id = ?",
       {{"passes", "SELECT * FROM passes WHERE run_id = ? ORDER BY pass"},
        {"losses",
         "SELECT p.method, l.iteration, l.loss, l.accuracy FROM losses l JOIN passes p ON p.run_id = l.run_id "
         "AND p.pass = l.pass WHERE l.run_id = ? ORDER BY l.pass, l.iteration"},
        {"summary",
         "SELECT method, backend, flops, bytes, predicted_s, measured_s, error, ratio_to_first, "
         "worst_share_of_bound, loss_difference, mismatch, failure FROM pass_summary WHERE run = ?"}},
       // Steps are those of the sequence here, and asked for.
       {{"", "SELECT p.*, p.steps AS sequence_steps, NULL AS steps FROM pass_runs p WHERE p.id = ?"}},
       {"SELECT 'pass ' || method || COALESCE(' on ' || backend, '') AS name, flops, bytes, critical_path_flops, "
        "makespan_flops, best, failure, mismatch, predicted_jacobians_s, predicted_up_s, predicted_middle_s, "
        "predicted_down_s, predicted_s, measured_jacobians_s, measured_up_s, measured_middle_s, measured_down_s, "
        "measured_s, worst_share_of_bound, loss_difference FROM passes WHERE run_id = ? ORDER BY pass",
        "SELECT 'training by ' || p.method AS name, l.iteration AS last_iteration, l.loss AS last_loss, l.accuracy AS "
        "last_accuracy FROM passes p JOIN losses l ON l.run_id = p.run_id AND l.pass = p.pass WHERE p.run_id = ? AND "
        "l.iteration = (SELECT MAX(iteration) FROM losses m WHERE m.run_id = p.run_id AND m.pass = p.pass) ORDER BY "
        "p.pass"}},
      {RunKind::anchors,
       "SELECT * FROM anchor_runs WHERE id = ?",
       {{"points",
         "SELECT f.family, f.device, f.library, p.file, p.line, p.matrix, p.algorithm, p.status, p.predicted_status, "
         "p.measured_s, p.predicted_s, p.low_s, p.high_s, p.in_sample_s, p.bound_s, p.binds, p.fitted, p.left_out, "
         "p.skipped FROM anchor_points p JOIN anchor_families f ON f.run_id = p.run_id AND f.number = p.family WHERE "
         "p.run_id = ? ORDER BY p.seq"},
        {"summary", "SELECT * FROM anchor_summary WHERE run = ?"}},
       {{"", "SELECT * FROM anchor_runs WHERE id = ?"}},
       {"SELECT family || ', ' || device || ', ' || library AS name, machine, points, error_median, error_p90, "
        "in_sample_median, in_sample_p90, bound_median, bound_p90, coverage, skipped, failures_predicted, "
        "failures_missed, false_alarms FROM anchor_summary WHERE run = ?"}}};
  return kKinds;
}

/// Of runs.depth, that there is none.
void clear_no_depth(QueryResult& run) {
  const auto depth = std::find(run.columns.begin(), run.columns.end(), "depth") - run.columns.begin();
  Cell& cell = run.rows[0][static_cast<std::size_t>(depth)];
  if (cell == Cell(kNoDepth)) cell = std::monostate();
}

}  // namespace

std::optional<std::string> scored_prediction(const QueryResult& runs, std::size_t row) {
  const auto at = [&](const std::string& name) {
    const auto column = std::ranges::find(runs.columns, name);
    return column == runs.columns.end() ? Cell()
                                        : runs.rows[row][static_cast<std::size_t>(column - runs.columns.begin())];
  };
  const Cell score = at("score");
  for (const char* predicted : {"predicted_level_s", "predicted_dag_s"}) {
    if (!std::holds_alternative<std::monostate>(score) && at(predicted) == score) return predicted;
  }
  return std::nullopt;
}

const QueryResult& RunTables::table(const std::string& name) const {
  for (const auto& [its_name, table] : tables) {
    if (its_name == name) return table;
  }
  throw std::logic_error("a run has no table " + name);
}

std::optional<RunTables> StoreReader::run_tables(std::int64_t id) const {
  Sqlite& database = impl_->database;
  for (const KindQueries& queries : kinds()) {
    RunTables run{queries.kind, query_result(database, queries.run, id), {}};
    if (run.run.rows.empty()) continue;
    if (run.kind == RunKind::schedule) clear_no_depth(run.run);
    for (const auto& [name, sql] : queries.tables) run.tables.emplace_back(name, query_result(database, sql, id));
    return run;
  }
  return std::nullopt;
}

std::optional<ComparedRun> StoreReader::compared_run(std::int64_t id) const {
  Sqlite& database = impl_->database;
  for (const KindQueries& queries : kinds()) {
    ComparedRun run{queries.kind, {}, {}};
    for (const auto& [name, sql] : queries.compared) run.columns.emplace_back(name, query_result(database, sql, id));
    if (run.columns.front().second.rows.empty()) continue;
    for (const char* sql : queries.compared_rows) run.rows.push_back(query_result(database, sql, id));
    return run;
  }
  return std::nullopt;
}

QueryResult StoreReader::run_list() const {
  return query_result(impl_->database, "SELECT * FROM run_summary ORDER BY id DESC");
}

QueryResult StoreReader::verdicts() const {
  return query_result(impl_->database, "SELECT id, verdict FROM commands WHERE verdict <> '' ORDER BY id DESC");
}

QueryResult StoreReader::study_list() const {
  return query_result(impl_->database,
                      "SELECT id, created_utc, name, points, (SELECT count(*) FROM study_members m WHERE m.study_id = "
                      "s.id) AS stored, complete, tool_version, file FROM studies s ORDER BY id DESC");
}

QueryResult StoreReader::study_points(std::int64_t study, std::uint64_t most) const {
  constexpr std::int64_t kAll = -1;
  return query_result(impl_->database, "SELECT * FROM study_points WHERE study = ? ORDER BY position LIMIT ?", study,
                      most == 0 ? kAll : static_cast<std::int64_t>(std::min<std::uint64_t>(most, INT64_MAX)));
}

}  // namespace upsweep

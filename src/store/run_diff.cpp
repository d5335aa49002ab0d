#include "upsweep/store/run_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "database.hpp"
#include "diff_rows.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep {
namespace {

/// A table with one row for each run.
struct RunTable {
  const char* name;
  const char* kind;  ///< for messages
  const char* sql;   ///< all columns of a run that two runs can have in common
};

constexpr RunTable kRuns = {
    "runs", "a run of a schedule",
    "SELECT r.*, NULLIF(r.depth, -1) AS depth, s.objective, s.execution, s.scope, s.memory_limit_bytes, s.best_depth, "
    "s.margin AS search_margin, s.best_schedule, s.scheme_margin, a.name AS machine, a.text AS machine_text "
    "FROM runs r LEFT JOIN searches s ON s.id = r.search_id LEFT JOIN machines a ON a.id = r.machine_id WHERE r.id = "
    "?"};
constexpr RunTable kTrainings = {"training_runs", "a simulated training step",
                                 "SELECT * FROM training_runs WHERE id = ?"};
constexpr RunTable kPassTable = {"pass_runs",
                              "a run of backward passes",  // steps are those of the sequence here, and asked for
                              "SELECT p.*, p.steps AS sequence_steps, NULL AS steps FROM pass_runs p WHERE p.id = ?"};

/// The table that has the run. Throws InputError where none has.
const RunTable& table_of(Sqlite& database, std::int64_t id) {
  for (const RunTable* table : {&kRuns, &kTrainings, &kPassTable}) {
    Statement find(database, fmt::format("SELECT 1 FROM {} WHERE id = ?", table->name));
    if (find.bind(id).step()) return *table;
  }
  throw InputError(
      fmt::format("{}: no run {}, accepted are the ids that `upsweep runs list` shows", database.file(), id));
}

/// Rows that two runs have by name, read by one statement for both.
class Comparison {
 public:
  Comparison(Sqlite& database, RunDiff& diff) : database_(database), diff_(diff) {}

  /// Columns of the one row that each run has.
  void columns(const char* prefix, const char* sql) {
    compare_columns(prefix, read(sql, diff_.before), read(sql, diff_.after), diff_.rows);
  }
  /// Rows by the name in their first column.
  void named(const char* sql) { compare_named(read(sql, diff_.before), read(sql, diff_.after), diff_.rows); }

 private:
  [[nodiscard]] QueryResult read(const char* sql, std::int64_t id) {
    Statement select(database_, sql);
    select.bind(id);
    return collect(select);
  }

  Sqlite& database_;
  RunDiff& diff_;
};

void compare_schedules(Comparison& compare) {
  compare.named(
      "SELECT 'operator ' || name AS name, kind, in_shape, out_shape, rows, cols, nnz, bytes, baseline_flops "
      "FROM operators WHERE run_id = ? ORDER BY idx");
  compare.named(
      "SELECT 'level ' || level AS name, ops, phase, flops_sum, flops_max FROM levels WHERE run_id = ? ORDER BY level");
  compare.columns("measurement: ", "SELECT * FROM measurements WHERE run_id = ? ORDER BY id DESC LIMIT 1");
}

void compare_trainings(Comparison& compare) {
  compare.named(
      "SELECT v.name || ': ' || f.figure || COALESCE('[' || f.idx || ']', '') AS name, f.value FROM training_figures f "
      "JOIN training_variants v ON v.run_id = f.run_id AND v.variant = f.variant WHERE f.run_id = ? ORDER BY f.rowid");
}

void compare_passes(Comparison& compare) {
  compare.named(
      "SELECT 'pass ' || method || COALESCE(' on ' || backend, '') AS name, flops, bytes, critical_path_flops, "
      "makespan_flops, best, failure, mismatch, predicted_jacobians_s, predicted_up_s, predicted_middle_s, "
      "predicted_down_s, predicted_s, measured_jacobians_s, measured_up_s, measured_middle_s, measured_down_s, "
      "measured_s, worst_share_of_bound, loss_difference FROM passes WHERE run_id = ? ORDER BY pass");
  compare.named(
      "SELECT 'training by ' || p.method AS name, l.iteration AS last_iteration, l.loss AS last_loss, l.accuracy AS "
      "last_accuracy FROM passes p JOIN losses l ON l.run_id = p.run_id AND l.pass = p.pass WHERE p.run_id = ? AND "
      "l.iteration = (SELECT MAX(iteration) FROM losses m WHERE m.run_id = p.run_id AND m.pass = p.pass) ORDER BY "
      "p.pass");
}

}  // namespace

bool RunDiff::has(DiffRow::Kind kind) const {
  return std::any_of(rows.begin(), rows.end(), [kind](const DiffRow& row) { return row.kind == kind; });
}

RunDiff diff_runs(const std::string& file, std::int64_t before, std::int64_t after) {
  Sqlite database = open_snapshot(file);
  const RunTable& table = table_of(database, before);
  const RunTable& other = table_of(database, after);
  if (&table != &other) {
    throw InputError(fmt::format("{}: run {} is {} and run {} is {}, accepted are two runs of one kind", file, before,
                                 table.kind, after, other.kind));
  }
  RunDiff diff{before, after, {}};
  Comparison compare(database, diff);
  compare.columns("", table.sql);
  if (&table == &kRuns) compare_schedules(compare);
  if (&table == &kTrainings) compare_trainings(compare);
  if (&table == &kPassTable) compare_passes(compare);
  std::stable_sort(diff.rows.begin(), diff.rows.end(),
                   [](const DiffRow& a, const DiffRow& b) { return a.kind < b.kind; });
  return diff;
}

}  // namespace upsweep

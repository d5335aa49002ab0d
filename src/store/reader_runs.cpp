#include "reader_runs.hpp"

#include <algorithm>

#include "column_reader.hpp"

namespace upsweep {
namespace {

/// Columns of runs, in the order of run_at().
constexpr std::string_view kRunColumns =
    "SELECT id, created_utc, tool_version, command, parameters, rule, search_id, score, feasible, reason, model, "
    "model_file, model_hash, pattern, inputs, requested, schedule, NULLIF(depth, -1), length, levels, workers, ops, "
    "flops, critical_path_level_flops, critical_path_dag_flops, live_ops, live_flops, baseline_flops, linear_flops, "
    "chain_build_values, chain_build_bytes, steps, per_step_flops, makespan_level_flops, makespan_dag_flops, "
    "peak_live_bytes, machine_id, predicted_level_s, predicted_dag_s, predicted_build_s, graph_bp_flops, "
    "COALESCE(binding, ''), graph_bp_makespan_level_flops, graph_bp_makespan_dag_flops, branch_makespan_level_flops, "
    "branch_makespan_dag_flops FROM runs ";

StoredRun run_at(const Statement& row) {
  StoredRun run;
  ColumnReader columns(row);
  columns.into(run.id, run.created_utc, run.tool_version, run.command, run.parameters, run.rule, run.search, run.score,
               run.feasible, run.reason, run.model, run.model_file, run.model_hash, run.pattern, run.inputs,
               run.requested, run.schedule, run.depth, run.length, run.levels, run.workers, run.ops);
  columns.into(run.flops, run.critical_path_level_flops, run.critical_path_dag_flops, run.live_ops, run.live_flops,
               run.baseline_flops, run.linear_flops, run.chain_build_values, run.chain_build_bytes, run.steps,
               run.per_step_flops, run.makespan_level_flops, run.makespan_dag_flops, run.peak_live_bytes);
  columns.into(run.machine, run.predicted_level_s, run.predicted_dag_s, run.predicted_build_s, run.graph_bp_flops,
               run.binding, run.graph_bp_makespan_level_flops, run.graph_bp_makespan_dag_flops,
               run.branch_makespan_level_flops, run.branch_makespan_dag_flops);
  return run;
}

void read_measured_levels(Sqlite& database, StoredMeasurement& measurement) {
  Statement select(
      database, "SELECT level, predicted_s, measured_s FROM measured_levels WHERE measurement_id = ? ORDER BY level");
  select.bind(measurement.id);
  while (select.step()) {
    StoredMeasuredLevel& level = measurement.levels.emplace_back();
    ColumnReader(select).into(level.level, level.predicted_s, level.measured_s);
  }
}

void read_measured_ops(Sqlite& database, StoredMeasurement& measurement) {
  Statement select(
      database, "SELECT op, predicted_alone_s, measured_busy_s FROM measured_ops WHERE measurement_id = ? ORDER BY op");
  select.bind(measurement.id);
  while (select.step()) {
    StoredMeasuredOp& op = measurement.ops.emplace_back();
    ColumnReader(select).into(op.op, op.predicted_alone_s, op.measured_busy_s);
  }
}

}  // namespace

std::vector<StoredRun> read_runs(Sqlite& database) {
  Statement select(database, std::string(kRunColumns) + "ORDER BY id DESC");
  std::vector<StoredRun> runs;
  while (select.step()) runs.push_back(run_at(select));
  return runs;
}

std::optional<StoredRun> read_run(Sqlite& database, std::int64_t id) {
  Statement select(database, std::string(kRunColumns) + "WHERE id = ?");
  if (!select.bind(id).step()) return std::nullopt;
  return run_at(select);
}

std::optional<StoredSearch> read_search(Sqlite& database, std::int64_t id) {
  Statement select(database,
                   "SELECT id, objective, execution, scope, workers, memory_limit_bytes, best_depth, margin, "
                   "best_schedule FROM searches WHERE id = ?");
  if (!select.bind(id).step()) return std::nullopt;
  StoredSearch search;
  ColumnReader(select).into(search.id, search.objective, search.execution, search.scope, search.workers,
                            search.memory_limit, search.best_depth, search.margin, search.best_schedule);
  return search;
}

std::optional<StoredMachine> read_machine(Sqlite& database, std::int64_t id) {
  Statement select(database,
                   "SELECT id, name, kind, origin, device, driver, date, workers, fit_median_error, fit_max_error "
                   "FROM machines WHERE id = ?");
  if (!select.bind(id).step()) return std::nullopt;
  StoredMachine machine;
  ColumnReader(select).into(machine.id, machine.name, machine.kind, machine.origin, machine.device, machine.driver,
                            machine.date, machine.workers, machine.fit_median_error, machine.fit_max_error);
  return machine;
}

std::vector<StoredOperator> read_operators(Sqlite& database, std::int64_t run) {
  Statement select(database,
                   "SELECT idx, name, kind, in_shape, out_shape, rows, cols, nnz, bytes, baseline_flops FROM operators "
                   "WHERE run_id = ? ORDER BY idx");
  select.bind(run);
  std::vector<StoredOperator> operators;
  while (select.step()) {
    StoredOperator& op = operators.emplace_back();
    ColumnReader(select).into(op.index, op.name, op.kind, op.in_shape, op.out_shape, op.rows, op.cols, op.nnz, op.bytes,
                              op.baseline_flops);
  }
  return operators;
}

std::vector<StoredLevel> read_levels(Sqlite& database, std::int64_t run) {
  Statement select(database,
                   "SELECT level, phase, ops, flops_sum, flops_max FROM levels WHERE run_id = ? ORDER BY level");
  select.bind(run);
  std::vector<StoredLevel> levels;
  while (select.step()) {
    StoredLevel& level = levels.emplace_back();
    ColumnReader(select).into(level.level, level.phase, level.ops, level.flops_sum, level.flops_max);
  }
  return levels;
}

std::vector<StoredOp> read_ops(Sqlite& database, std::int64_t run, std::uint64_t expected) {
  Statement select(database,
                   "SELECT id, level, left, right, target, kind = 'mv', dead, m, k, n, left_nnz, right_nnz, nnz, "
                   "flops, bytes FROM ops WHERE run_id = ? ORDER BY id");
  select.bind(run);
  constexpr std::uint64_t kMostAtOnce = 1 << 22;  // whatever a damaged file says
  std::vector<StoredOp> ops;
  ops.reserve(std::min(expected, kMostAtOnce));
  while (select.step()) {
    StoredOp& op = ops.emplace_back();
    ColumnReader(select).into(op.id, op.level, op.left, op.right, op.target, op.is_mv, op.is_dead, op.m, op.k, op.n,
                              op.left_nnz, op.right_nnz, op.nnz, op.flops, op.bytes);
  }
  return ops;
}

std::vector<StoredMeasurement> read_measurements(Sqlite& database, std::int64_t run) {
  Statement select(database,
                   "SELECT id, backend, device, driver, workers, execution, value_bytes, repetitions, predicted_s, "
                   "measured_s, fastest_s, measured_build_s, worst_share_of_bound, mismatch, notes FROM measurements "
                   "WHERE run_id = ? ORDER BY id");
  select.bind(run);
  std::vector<StoredMeasurement> measurements;
  while (select.step()) {
    StoredMeasurement& one = measurements.emplace_back();
    ColumnReader(select).into(one.id, one.backend, one.device, one.driver, one.workers, one.execution, one.value_bytes,
                              one.repetitions, one.predicted_s, one.measured_s, one.fastest_s, one.measured_build_s,
                              one.worst_share_of_bound, one.mismatch, one.notes);
    read_measured_levels(database, one);
    read_measured_ops(database, one);
  }
  return measurements;
}

}  // namespace upsweep

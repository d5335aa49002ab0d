#include "upsweep/store/run_store.hpp"

#include <algorithm>

#include "database.hpp"
#include "measurement_rows.hpp"
#include "pass_rows.hpp"
#include "sqlite.hpp"
#include "training_rows.hpp"
#include "transaction.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/profile/counting_rule.hpp"
#include "upsweep/sim/graph_backprop.hpp"

namespace upsweep {
namespace {

using Mean = Statement::Mean;

/// runs.depth of a schedule that is not cut at one; no best_depth.
constexpr std::int64_t kNoDepth = -1;

std::int64_t save_search(Sqlite& database, const SearchRecord& search) {
  Statement insert(database,
                   "INSERT INTO searches (objective, execution, scope, workers, memory_limit_bytes, best_depth, "
                   "margin, best_schedule, scheme_margin) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert
      .bind(search.objective, search.execution, search.scope, search.workers, search.memory_limit, search.best_depth,
            search.margin, search.best_schedule, search.scheme_margin)
      .run();
  return database.last_row_id();
}

std::int64_t save_run(Sqlite& database, const std::string& created, const RunContext& context, const RunRecord& run,
                      std::optional<std::int64_t> search_id, std::optional<std::int64_t> machine_id) {
  static constexpr const char* kInsert =
      "INSERT INTO runs (created_utc, tool_version, command, parameters, search_id, score, feasible, reason, model, "
      "model_file, model_hash, "
      "pattern, inputs, requested, schedule, depth, length, levels, workers, ops, flops, critical_path_level_flops, "
      "critical_path_dag_flops, "
      "live_ops, live_flops, live_critical_path_level_flops, live_critical_path_dag_flops, baseline_flops, "
      "linear_flops, chain_build_values, "
      "chain_build_bytes, steps, per_step_flops, makespan_level_unit, makespan_level_flops, makespan_dag_unit, "
      "makespan_dag_flops, peak_live_bytes, machine_id, predicted_level_s, predicted_dag_s, predicted_build_s, "
      "graph_bp_flops, "
      "formation_flops, rule) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  const ScheduleProfile& profile = *run.profile;
  const NetworkProfile& network = *context.network_profile;
  const std::uint64_t inputs = profile.inputs;
  const Totals all = totals(profile, Scope::all);
  const Totals live = totals(profile, Scope::live);
  const auto mean = [inputs](std::uint64_t sum) { return Mean{sum, inputs}; };
  const std::optional<std::uint32_t> depth = profile.schedule.hybrid_depth();
  std::optional<Mean> graph_flops;
  std::optional<Mean> formation_flops;
  if (context.network->has_blocks()) {
    std::uint64_t flops = 0;
    for (const GraphTask& task : graph_backprop_tasks(*context.network, network)) add_to(flops, task.flops);
    graph_flops = mean(flops);
    formation_flops = mean(network.formation_flops);
  }
  Statement insert(database, kInsert);
  insert
      .bind(created, context.tool_version, context.command, context.parameters, search_id, run.score, run.feasible,
            run.reason, context.model, context.model_file, context.model_hash, context.pattern, inputs, run.requested,
            profile.schedule.name, depth ? std::int64_t{*depth} : kNoDepth, std::uint64_t{profile.schedule.length},
            std::uint64_t{profile.schedule.levels}, std::uint64_t{run.pram.workers}, all.ops, mean(all.flops),
            mean(all.critical_path_level), mean(all.critical_path_dag), live.ops, mean(live.flops),
            mean(live.critical_path_level), mean(live.critical_path_dag), mean(network.baseline_flops),
            mean(network.linear_flops), mean(network.build_values), mean(network.build_bytes), run.pram.steps,
            mean(run.pram.per_step_flops), run.pram.level.unit, mean(run.pram.level.flops), run.pram.dag.unit,
            mean(run.pram.dag.flops), mean(run.pram.peak_live_bytes), machine_id, run.predicted_level_s,
            run.predicted_dag_s, context.predicted_build_s, graph_flops, formation_flops, kCountingRule)
      .run();
  return database.last_row_id();
}

void save_operators(Sqlite& database, std::int64_t run, const RunContext& context) {
  Statement insert(
      database,
      "INSERT INTO operators (run_id, idx, name, kind, in_shape, out_shape, rows, cols, nnz, bytes, baseline_flops) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const NetworkProfile& profile = *context.network_profile;
  for (std::size_t o = 0; o < profile.operators.size(); ++o) {
    const Operator& op = context.network->operators()[o];
    const OperatorProfile& mine = profile.operators[o];
    const auto unless_view = [&](auto value) {
      return is_view(op.kind) || is_join(op.kind) ? std::nullopt : std::optional(value);
    };
    insert
        .bind(run, std::uint64_t{o + 1}, op.name, kind_name(op.kind), to_string(op.in_shape), to_string(op.out_shape),
              unless_view(mine.rows), unless_view(mine.cols), unless_view(Mean{mine.nnz, profile.inputs}),
              unless_view(Mean{mine.bytes, profile.inputs}), Mean{mine.baseline_flops, profile.inputs})
        .run();
  }
}

void save_levels(Sqlite& database, std::int64_t run, const ScheduleProfile& profile) {
  Statement insert(database,
                   "INSERT INTO levels (run_id, level, phase, ops, flops_sum, flops_max) VALUES (?, ?, ?, ?, ?, ?)");
  for (std::size_t level = 0; level < profile.levels.size(); ++level) {
    const LevelProfile& mine = profile.levels[level];
    insert
        .bind(run, std::uint64_t{level}, to_string(mine.phase), mine.ops, Mean{mine.flops_sum, profile.inputs},
              Mean{mine.flops_max, profile.inputs})
        .run();
  }
}

void save_ops(Sqlite& database, std::int64_t run, const ScheduleProfile& profile) {
  Statement insert(database,
                   "INSERT INTO ops (run_id, id, level, left, right, target, kind, dead, m, k, n, left_nnz, right_nnz, "
                   "nnz, products, flops, bytes) "
                   "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const auto mean = [&](std::uint64_t sum) { return Mean{sum, profile.inputs}; };
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    const OpProfile& op = profile.ops[id];
    const Combine& combine = profile.schedule.combines[id];
    insert
        .bind(run, std::uint64_t{id}, combine.level, combine.left, combine.right, combine.target,
              op.is_mv ? "mv" : "mm", op.dead, op.m, op.k, op.n, mean(op.left_nnz), mean(op.right_nnz), mean(op.nnz),
              mean(op.products), mean(op.flops), mean(op.bytes))
        .run();
  }
}

}  // namespace

struct RunStore::Impl {
  Sqlite database;
};

RunStore::RunStore(const std::string& file, Open open)
    : impl_(std::make_unique<Impl>(Impl{open_database(file, open == Open::create)})) {}

RunStore::~RunStore() = default;

std::vector<std::int64_t> RunStore::save(const RunContext& context, const std::vector<RunRecord>& runs,
                                         const std::optional<SearchRecord>& search) {
  Sqlite& database = impl_->database;
  const std::string created = now_utc();
  std::vector<std::int64_t> ids;
  Transaction transaction(database, Transaction::Kind::write);
  std::optional<std::int64_t> search_id;
  if (search) search_id = save_search(database, *search);
  std::optional<std::int64_t> machine_id;
  if (context.machine != nullptr) machine_id = machine_row(database, *context.machine, context.machine_text);
  for (const RunRecord& run : runs) {
    const std::int64_t id = save_run(database, created, context, run, search_id, machine_id);
    save_operators(database, id, context);
    save_levels(database, id, *run.profile);
    save_ops(database, id, *run.profile);
    if (run.measurement) save_measurement(database, id, *run.measurement);
    ids.push_back(id);
  }
  transaction.commit();
  return ids;
}

std::int64_t RunStore::save(const TrainingRecord& record) {
  Transaction transaction(impl_->database, Transaction::Kind::write);
  const std::int64_t id = save_training_run(impl_->database, now_utc(), record);
  transaction.commit();
  return id;
}

std::int64_t RunStore::save(const PassRecord& record) {
  Transaction transaction(impl_->database, Transaction::Kind::write);
  const std::int64_t id = save_pass_run(impl_->database, now_utc(), record);
  transaction.commit();
  return id;
}

std::optional<QueryResult> RunStore::show_passes(std::int64_t id) {
  Statement select(impl_->database, "SELECT * FROM pass_runs WHERE id = ?");
  select.bind(id);
  QueryResult wide = collect(select);
  if (wide.rows.empty()) return std::nullopt;
  return wide;
}

QueryResult RunStore::passes(std::int64_t id) {
  Statement select(impl_->database, "SELECT * FROM passes WHERE run_id = ? ORDER BY pass");
  select.bind(id);
  return collect(select);
}

QueryResult RunStore::pass_summary(std::int64_t id) {
  Statement select(impl_->database,
                   "SELECT method, backend, flops, bytes, predicted_s, measured_s, error, ratio_to_first, "
                   "worst_share_of_bound, loss_difference, mismatch, failure FROM pass_summary WHERE run = ?");
  select.bind(id);
  return collect(select);
}

QueryResult RunStore::losses(std::int64_t id) {
  Statement select(
      impl_->database,
      "SELECT p.method, l.iteration, l.loss, l.accuracy FROM losses l JOIN passes p ON p.run_id = l.run_id "
      "AND p.pass = l.pass WHERE l.run_id = ? ORDER BY l.pass, l.iteration");
  select.bind(id);
  return collect(select);
}

std::optional<QueryResult> RunStore::show_training(std::int64_t id) {
  Statement select(impl_->database, "SELECT * FROM training_runs WHERE id = ?");
  select.bind(id);
  QueryResult wide = collect(select);
  if (wide.rows.empty()) return std::nullopt;
  return wide;
}

QueryResult RunStore::training_summary(std::int64_t id) {
  Statement select(impl_->database,
                   "SELECT variant, makespan, bubble_fraction, peak_tensors, best FROM training_summary WHERE run = ?");
  select.bind(id);
  return collect(select);
}

QueryResult RunStore::training_figures(std::int64_t id) {
  Statement select(
      impl_->database,
      "SELECT v.name AS variant, f.figure, f.idx, f.value FROM training_figures f JOIN training_variants v "
      "ON v.run_id = f.run_id AND v.variant = f.variant WHERE f.run_id = ? ORDER BY f.rowid");
  select.bind(id);
  return collect(select);
}

std::int64_t RunStore::save_machine(const Machine& machine, const std::string& text) {
  Transaction transaction(impl_->database, Transaction::Kind::write);
  const std::int64_t id = machine_row(impl_->database, machine, text);
  transaction.commit();
  return id;
}

QueryResult RunStore::measurements(std::int64_t id) {
  Statement select(impl_->database,
                   "SELECT measurement, backend, workers, execution, level, predicted_s, measured_s, error FROM "
                   "prediction_vs_measurement WHERE run = ? ORDER BY measurement, level IS NOT NULL, level");
  select.bind(id);
  return collect(select);
}

QueryResult RunStore::list() {
  Statement select(impl_->database, "SELECT * FROM run_summary ORDER BY id DESC");
  return collect(select);
}

QueryResult RunStore::studies() {
  Statement select(
      impl_->database,
      "SELECT id, created_utc, name, points, (SELECT count(*) FROM study_members m WHERE m.study_id = s.id) "
      "AS stored, complete, tool_version, file FROM studies s ORDER BY id DESC");
  return collect(select);
}

std::optional<QueryResult> RunStore::show(std::int64_t id) {
  Statement select(impl_->database, "SELECT * FROM runs WHERE id = ?");
  select.bind(id);
  QueryResult wide = collect(select);
  if (wide.rows.empty()) return std::nullopt;
  const auto depth = std::find(wide.columns.begin(), wide.columns.end(), "depth") - wide.columns.begin();
  Cell& cell = wide.rows[0][static_cast<std::size_t>(depth)];
  if (cell == Cell(kNoDepth)) cell = std::monostate();
  return wide;
}

QueryResult RunStore::levels(std::int64_t id) {
  Statement select(impl_->database,
                   "SELECT level, phase, ops, dead_ops, flops_sum, flops_max, share_of_flops, nnz, bytes FROM "
                   "level_profile WHERE run_id = ? ORDER BY level");
  select.bind(id);
  return collect(select);
}

bool RunStore::remove(std::int64_t id) {
  Sqlite& database = impl_->database;
  Transaction transaction(database, Transaction::Kind::write);
  Statement erase(database, "DELETE FROM runs WHERE id = ?");
  erase.bind(id).run();
  bool found = database.changed_rows() > 0;
  for (const char* others : {"DELETE FROM training_runs WHERE id = ?", "DELETE FROM pass_runs WHERE id = ?"}) {
    Statement erase_other(database, others);
    erase_other.bind(id).run();
    found = found || database.changed_rows() > 0;
  }
  database.execute("DELETE FROM searches WHERE id NOT IN (SELECT search_id FROM runs WHERE search_id IS NOT NULL)");
  transaction.commit();
  return found;
}

}  // namespace upsweep

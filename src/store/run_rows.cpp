#include "run_rows.hpp"

#include <algorithm>

#include "picture_rows.hpp"
#include "rows.hpp"
#include "store_reader.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/profile/estimate.hpp"
#include "upsweep/sim/complexity.hpp"
#include "upsweep/sim/graph_backprop.hpp"

namespace upsweep {

using Mean = Statement::Mean;

void columns(auto& visit, SearchRecord& row) {
  visit("objective", row.objective);
  visit("execution", row.execution);
  visit("scope", row.scope);
  visit("workers", row.workers);
  visit("memory_limit_bytes", row.memory_limit);
  visit("best_depth", row.best_depth);
  visit("margin", row.margin);
  visit("best_schedule", row.best_schedule);
  visit("scheme_margin", row.scheme_margin);
}

void columns(auto& visit, StoredSearch& row) {
  visit("id", row.id);
  columns(visit, static_cast<SearchRecord&>(row));
}

/// Columns of schedule_runs but for its keys.
template <class Count>
void columns(auto& visit, RunColumns<Count>& run) {
  visit("search_id", run.search);
  visit("score", run.score);
  visit("feasible", run.feasible);
  visit.or_null("reason", run.reason);
  visit("model", run.model);
  visit("model_file", run.model_file);
  visit("model_hash", run.model_hash);
  visit("pattern", run.pattern);
  visit("inputs", run.inputs);
  visit("requested", run.requested);
  visit("schedule", run.schedule);
  visit.or_else("depth", run.depth, kNoDepth);
  visit("length", run.length);
  visit("levels", run.levels);
  visit("workers", run.workers);
  visit("ops", run.ops);
  visit("flops", run.flops);
  visit("critical_path_level_flops", run.critical_path_level_flops);
  visit("critical_path_dag_flops", run.critical_path_dag_flops);
  visit("live_ops", run.live_ops);
  visit("live_flops", run.live_flops);
  visit("live_critical_path_level_flops", run.live_critical_path_level_flops);
  visit("live_critical_path_dag_flops", run.live_critical_path_dag_flops);
  visit("baseline_flops", run.baseline_flops);
  visit("linear_flops", run.linear_flops);
  visit("chain_build_values", run.chain_build_values);
  visit("chain_build_bytes", run.chain_build_bytes);
  visit("steps", run.steps);
  visit("per_step_flops", run.per_step_flops);
  visit("makespan_level_unit", run.makespan_level_unit);
  visit("makespan_level_flops", run.makespan_level_flops);
  visit("makespan_dag_unit", run.makespan_dag_unit);
  visit("makespan_dag_flops", run.makespan_dag_flops);
  visit("peak_live_bytes", run.peak_live_bytes);
  visit("machine_id", run.machine);
  visit("predicted_level_s", run.predicted_level_s);
  visit("predicted_dag_s", run.predicted_dag_s);
  visit("predicted_build_s", run.predicted_build_s);
  visit.or_null("binding", run.binding);
  visit("graph_bp_flops", run.graph_bp_flops);
  visit("formation_flops", run.formation_flops);
  visit("graph_bp_makespan_level_flops", run.graph_bp_makespan_level_flops);
  visit("graph_bp_makespan_dag_flops", run.graph_bp_makespan_dag_flops);
  visit("branch_makespan_level_flops", run.branch_makespan_level_flops);
  visit("branch_makespan_dag_flops", run.branch_makespan_dag_flops);
  visit("makespan_shared_flops", run.makespan_shared_flops);
  visit("bound_shared_flops", run.bound_shared_flops);
  visit("exact", run.is_exact);
  interval_columns(visit, "flops_low", "flops_high", run.flops_interval);
  interval_columns(visit, "score_low", "score_high", run.score_interval);
  interval_columns(visit, "makespan_dag_low", "makespan_dag_high", run.makespan_dag_interval);
  interval_columns(visit, "makespan_shared_low", "makespan_shared_high", run.makespan_shared_interval);
}

/// Of the view runs.
void columns(auto& visit, StoredRun& run) {
  visit("id", run.id);
  visit("command_id", run.command_id);
  visit("created_utc", run.created_utc);
  visit("tool_version", run.tool_version);
  visit("command", run.command);
  visit("parameters", run.parameters);
  visit("rule", run.rule);
  columns(visit, static_cast<RunColumns<double>&>(run));
}

template <class Count>
void columns(auto& visit, OperatorColumns<Count>& op) {
  visit("idx", op.index);
  visit("name", op.name);
  visit("kind", op.kind);
  visit("in_shape", op.in_shape);
  visit("out_shape", op.out_shape);
  visit("rows", op.rows);
  visit("cols", op.cols);
  visit("nnz", op.nnz);
  visit("bytes", op.bytes);
  visit("baseline_flops", op.baseline_flops);
}

template <class Count>
void columns(auto& visit, LevelColumns<Count>& level) {
  visit("level", level.level);
  visit("phase", level.phase);
  visit("ops", level.ops);
  visit("flops_sum", level.flops_sum);
  visit("flops_max", level.flops_max);
}

template <class Count>
void columns(auto& visit, OpColumns<Count>& op) {
  visit("id", op.id);
  visit("level", op.level);
  visit("left", op.left);
  visit("right", op.right);
  visit("target", op.target);
  visit.choice("kind", op.is_mv, "mv", "mm");
  visit("dead", op.is_dead);
  visit("m", op.m);
  visit("k", op.k);
  visit("n", op.n);
  visit("left_nnz", op.left_nnz);
  visit("right_nnz", op.right_nnz);
  visit("nnz", op.nnz);
  visit("products", op.products);
  visit("flops", op.flops);
  visit("bytes", op.bytes);
  visit("span", op.span);
  visit("exact", op.is_exact);
  interval_columns(visit, "flops_low", "flops_high", op.flops_interval);
  interval_columns(visit, "nnz_low", "nnz_high", op.nnz_interval);
}

namespace {

void add_branches(const RunContext& context, std::size_t workers, RunColumns<Mean>& run) {
  const NetworkProfile& network = *context.network_profile;
  const GraphComparison graph = compare_with_graph(*context.network, network, workers);
  const auto mean = [&](std::uint64_t sum) { return Mean{sum, network.inputs}; };
  const auto own = [&](Execution execution) {
    std::uint64_t flops = graph.formation.makespan(execution).value().flops;
    add_to(flops, graph.inner.makespan(execution).value().flops);
    return mean(flops);
  };
  run.graph_bp_flops = mean(graph.backprop.flops);
  run.formation_flops = mean(network.formation_flops);
  run.graph_bp_makespan_level_flops = mean(graph.backprop.level.flops);
  run.graph_bp_makespan_dag_flops = mean(graph.backprop.dag->flops);
  run.branch_makespan_level_flops = own(Execution::level);
  run.branch_makespan_dag_flops = own(Execution::dag);
}

void add_network(const RunContext& context, std::uint64_t inputs, RunColumns<Mean>& run) {
  const NetworkProfile& network = *context.network_profile;
  run.model = context.model;
  run.model_file = context.model_file;
  run.model_hash = context.model_hash;
  run.pattern = context.pattern;
  run.inputs = inputs;
  run.baseline_flops = {network.baseline_flops, inputs};
  run.linear_flops = {network.linear_flops, inputs};
  run.chain_build_values = {network.build_values, inputs};
  run.chain_build_bytes = {network.build_bytes, inputs};
  run.predicted_build_s = context.predicted_build_s;
}

void add_counts(const ScheduleProfile& profile, RunColumns<Mean>& run) {
  const auto mean = [&](std::uint64_t sum) { return Mean{sum, profile.inputs}; };
  const Totals all = totals(profile, Scope::all);
  const Totals live = totals(profile, Scope::live);
  run.schedule = profile.schedule.name;
  run.depth = profile.schedule.hybrid_depth();
  run.length = profile.schedule.length;
  run.levels = profile.schedule.levels;
  run.ops = all.ops;
  run.flops = mean(all.flops);
  run.critical_path_level_flops = mean(all.critical_path_level);
  run.critical_path_dag_flops = mean(all.critical_path_dag);
  run.live_ops = live.ops;
  run.live_flops = mean(live.flops);
  run.live_critical_path_level_flops = mean(live.critical_path_level);
  run.live_critical_path_dag_flops = mean(live.critical_path_dag);
}

void add_simulation(const PramProfile& pram, std::uint64_t inputs, RunColumns<Mean>& run) {
  run.workers = pram.workers;
  run.steps = pram.steps;
  run.per_step_flops = {pram.per_step_flops, inputs};
  run.makespan_level_unit = pram.level.unit;
  run.makespan_level_flops = {pram.level.flops, inputs};
  run.makespan_dag_unit = pram.dag->unit;
  run.makespan_dag_flops = {pram.dag->flops, inputs};
  run.makespan_shared_flops = Mean{pram.shared_flops, inputs};
  run.bound_shared_flops = Mean{pram.shared_bound_flops, inputs};
  run.peak_live_bytes = {pram.peak_live_bytes, inputs};
}

/// Intervals of a profile whose counts are estimates, as means over the inputs.
void add_intervals(const ScheduleProfile& profile, std::size_t workers, RunColumns<Mean>& run) {
  run.is_exact = profile.without.empty();
  if (run.is_exact) return;
  const auto mean = [&](std::uint64_t sum) { return static_cast<double>(sum) / static_cast<double>(profile.inputs); };
  run.flops_interval =
      interval_of(profile, [&](const ScheduleProfile& one) { return mean(totals(one, Scope::all).flops); });
  std::vector<PramProfile> without;
  for (const ScheduleProfile& one : profile.without) without.push_back(pram_profile(one, workers));
  const PramProfile whole = pram_profile(profile, workers);
  const auto of_pram = [&](const std::function<std::uint64_t(const PramProfile&)>& figure) {
    std::vector<double> others;
    for (const PramProfile& one : without) others.push_back(mean(figure(one)));
    return jackknife_interval(mean(figure(whole)), others);
  };
  run.makespan_dag_interval = of_pram([](const PramProfile& pram) { return pram.dag->flops; });
  run.makespan_shared_interval = of_pram([](const PramProfile& pram) { return pram.shared_flops; });
}

RunColumns<Mean> columns_of(const RunContext& context, const RunRecord& record) {
  RunColumns<Mean> run;
  run.requested = record.requested;
  run.score = record.score;
  run.feasible = record.feasible;
  run.reason = record.reason.value_or("");
  run.predicted_level_s = record.predicted_level_s;
  run.predicted_dag_s = record.predicted_dag_s;
  run.binding = record.binding.value_or("");
  add_network(context, record.profile->inputs, run);
  add_counts(*record.profile, run);
  add_simulation(record.pram, record.profile->inputs, run);
  run.score_interval = record.score_interval;
  add_intervals(*record.profile, record.pram.workers, run);
  if (context.network->has_blocks()) add_branches(context, record.pram.workers, run);
  return run;
}

std::vector<OperatorColumns<Mean>> operators_of(const RunContext& context) {
  const NetworkProfile& profile = *context.network_profile;
  const auto mean = [&](std::uint64_t sum) { return Mean{sum, profile.inputs}; };
  std::vector<OperatorColumns<Mean>> rows;
  for (std::size_t o = 0; o < profile.operators.size(); ++o) {
    const Operator& op = context.network->operators()[o];
    const OperatorProfile& mine = profile.operators[o];
    OperatorColumns<Mean>& row = rows.emplace_back();
    row.index = o + 1;
    row.name = op.name;
    row.kind = kind_name(op.kind);
    row.in_shape = to_string(op.in_shape);
    row.out_shape = to_string(op.out_shape);
    row.baseline_flops = mean(mine.baseline_flops);
    if (is_view(op.kind) || is_join(op.kind)) continue;
    row.rows = mine.rows;
    row.cols = mine.cols;
    row.nnz = mean(mine.nnz);
    row.bytes = mean(mine.bytes);
  }
  return rows;
}

void save_levels(Sqlite& database, std::int64_t run, const ScheduleProfile& profile) {
  Insert<LevelColumns<Mean>> insert(database, "levels", "run_id");
  for (std::uint32_t level = 0; level < profile.levels.size(); ++level) {
    const LevelProfile& mine = profile.levels[level];
    insert({level, to_string(mine.phase), mine.ops, {mine.flops_sum, profile.inputs}, {mine.flops_max, profile.inputs}},
           run);
  }
}

void save_ops(Sqlite& database, std::int64_t run, const ScheduleProfile& profile) {
  Insert<OpColumns<Mean>> insert(database, "ops", "run_id");
  const auto mean = [&](std::uint64_t sum) { return Mean{sum, profile.inputs}; };
  for (std::uint32_t id = 0; id < profile.ops.size(); ++id) {
    const OpProfile& op = profile.ops[id];
    const Combine& combine = profile.schedule.combines[id];
    insert({id,
            combine.level,
            combine.left,
            combine.right,
            combine.target,
            op.is_mv,
            op.dead,
            op.m,
            op.k,
            op.n,
            mean(op.left_nnz),
            mean(op.right_nnz),
            mean(op.nnz),
            mean(op.flops),
            mean(op.bytes),
            mean(op.products),
            mean(op.span),
            op.is_exact,
            op_interval(profile, id, &OpProfile::flops),
            op_interval(profile, id, &OpProfile::nnz)},
           run);
  }
}

}  // namespace

RunRows::RunRows(const RunContext& context, const std::vector<RunRecord>& runs) : operators_(operators_of(context)) {
  if (context.machine != nullptr) machine_ = machine_row(*context.machine, context.machine_text);
  for (const RunRecord& run : runs) {
    runs_.push_back({columns_of(context, run), run.profile, std::nullopt});
    if (run.measurement) runs_.back().measurement = measurement_row(*run.measurement);
  }
}

std::vector<std::int64_t> RunRows::save(Sqlite& database, std::int64_t command, std::optional<std::int64_t> search) {
  std::optional<std::int64_t> machine;
  if (machine_) machine = save_machine(database, *machine_);
  std::vector<std::int64_t> ids;
  for (Run& run : runs_) {
    run.columns.search = search;
    run.columns.machine = machine;
    ids.push_back(save(database, command, run));
  }
  return ids;
}

std::int64_t RunRows::save(Sqlite& database, std::int64_t command, const Run& run) const {
  const std::int64_t id = insert_row(database, "schedule_runs", run.columns, "command_id", command);
  Insert<OperatorColumns<Mean>> insert(database, "operators", "run_id");
  for (const OperatorColumns<Mean>& row : operators_) insert(row, id);
  save_levels(database, id, *run.profile);
  save_ops(database, id, *run.profile);
  if (run.measurement) save_measurement(database, id, *run.measurement);
  return id;
}

std::int64_t save_search(Sqlite& database, const SearchRecord& search, std::int64_t command) {
  return insert_row(database, "searches", search, "command_id", command);
}

std::optional<StoredSearch> search_of_command(Sqlite& database, std::int64_t command) {
  return first_row<StoredSearch>(database, "FROM searches WHERE command_id = ?", command);
}

void remove_schedule_run(Sqlite& database, std::int64_t id) {
  Statement find(database, "SELECT model_hash, pattern FROM schedule_runs WHERE id = ?");
  if (!find.bind(id).step()) return;
  const std::string model_hash = find.text(0);
  const std::string pattern = find.text(1);
  find.reset();
  Statement erase(database, "DELETE FROM schedule_runs WHERE id = ?");
  erase.bind(id).run();
  remove_unused_pictures(database, model_hash, pattern);
}

namespace {

std::vector<StoredOp> read_ops(Sqlite& database, std::int64_t run, std::uint64_t expected) {
  constexpr std::uint64_t kMostAtOnce = 1 << 22;  // whatever a damaged file says
  std::vector<StoredOp> ops;
  ops.reserve(std::min(expected, kMostAtOnce));
  Statement rows = select<StoredOp>(database, "FROM ops WHERE run_id = ? ORDER BY id", run);
  while (rows.step()) ops.push_back(row_at<StoredOp>(rows));
  return ops;
}

}  // namespace

std::vector<StoredRun> StoreReader::runs() const {
  return all_rows<StoredRun>(impl_->database, "FROM runs ORDER BY id DESC");
}

std::vector<StoredRun> StoreReader::runs_of(std::int64_t command) const {
  return all_rows<StoredRun>(impl_->database, "FROM runs WHERE command_id = ? ORDER BY id", command);
}

std::optional<StoredSearch> StoreReader::search(std::int64_t id) const {
  return first_row<StoredSearch>(impl_->database, "FROM searches WHERE id = ?", id);
}

std::optional<RunDetails> StoreReader::details(std::int64_t id) const {
  Sqlite& database = impl_->database;
  std::optional<StoredRun> run = first_row<StoredRun>(database, "FROM runs WHERE id = ?", id);
  if (!run) return std::nullopt;
  RunDetails details;
  if (run->search) details.search = search(*run->search);
  if (run->machine) details.machine = machine(*run->machine);
  details.run = std::move(*run);
  details.operators = all_rows<StoredOperator>(database, "FROM operators WHERE run_id = ? ORDER BY idx", id);
  details.levels = all_rows<StoredLevel>(database, "FROM levels WHERE run_id = ? ORDER BY level", id);
  details.ops = read_ops(database, id, details.run.ops);
  details.measurements = read_measurements(database, id);
  return details;
}

std::optional<RunDetails> StoreReader::plain_of(const StoredRun& run) const {
  const std::optional<StoredRun> plain =
      first_row<StoredRun>(impl_->database,
                           "FROM runs WHERE model_hash = ? AND pattern = ? AND inputs = ? AND depth = 0 AND rule IS "
                           "(SELECT rule FROM runs WHERE id = ?) ORDER BY id DESC",
                           run.model_hash, run.pattern, run.inputs, run.id);
  return plain ? details(plain->id) : std::nullopt;
}

}  // namespace upsweep

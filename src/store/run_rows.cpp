#include "run_rows.hpp"

#include "measurement_rows.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/profile/counting_rule.hpp"
#include "upsweep/sim/complexity.hpp"
#include "upsweep/sim/graph_backprop.hpp"

namespace upsweep {
namespace {

using Mean = Statement::Mean;

/// Columns that only networks with branches have.
struct BranchColumns {
  std::optional<Mean> graph_flops;
  std::optional<Mean> formation_flops;
  std::optional<Mean> graph_level;  // makespans
  std::optional<Mean> graph_dag;
  std::optional<Mean> own_level;  // of what a scan leaves to do before and after it
  std::optional<Mean> own_dag;
};

BranchColumns branch_columns(const RunContext& context, std::size_t workers) {
  const NetworkProfile& network = *context.network_profile;
  const GraphComparison graph = compare_with_graph(*context.network, network, workers);
  const auto mean = [&](std::uint64_t sum) { return Mean{sum, network.inputs}; };
  const auto own = [&](Execution execution) {
    std::uint64_t flops = graph.formation.makespan(execution).flops;
    add_to(flops, graph.inner.makespan(execution).flops);
    return mean(flops);
  };
  return {mean(graph.backprop.flops),     mean(network.formation_flops), mean(graph.backprop.level.flops),
          mean(graph.backprop.dag.flops), own(Execution::level),         own(Execution::dag)};
}

std::int64_t save_run_row(Sqlite& database, const std::string& created, const RunContext& context, const RunRecord& run,
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
      "formation_flops, rule, binding, graph_bp_makespan_level_flops, graph_bp_makespan_dag_flops, "
      "branch_makespan_level_flops, branch_makespan_dag_flops) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  const ScheduleProfile& profile = *run.profile;
  const NetworkProfile& network = *context.network_profile;
  const std::uint64_t inputs = profile.inputs;
  const Totals all = totals(profile, Scope::all);
  const Totals live = totals(profile, Scope::live);
  const auto mean = [inputs](std::uint64_t sum) { return Mean{sum, inputs}; };
  const std::optional<std::uint32_t> depth = profile.schedule.hybrid_depth();
  BranchColumns branches;
  if (context.network->has_blocks()) branches = branch_columns(context, run.pram.workers);
  Statement insert(database, kInsert);
  insert
      .bind(created, context.tool_version, context.command, context.parameters, search_id, run.score, run.feasible,
            run.reason, context.model, context.model_file, context.model_hash, context.pattern, inputs, run.requested,
            profile.schedule.name, depth ? std::int64_t{*depth} : kNoDepth, std::uint64_t{profile.schedule.length},
            std::uint64_t{profile.schedule.levels}, std::uint64_t{run.pram.workers}, all.ops, mean(all.flops),
            mean(all.critical_path_level), mean(all.critical_path_dag), live.ops, mean(live.flops),
            mean(live.critical_path_level), mean(live.critical_path_dag), mean(network.baseline_flops),
            mean(network.linear_flops), mean(network.build_values), mean(network.build_bytes), run.pram.steps,
            mean(run.pram.per_step_flops), run.pram.level.unit, mean(run.pram.level.flops), run.pram.dag->unit,
            mean(run.pram.dag->flops), mean(run.pram.peak_live_bytes), machine_id, run.predicted_level_s,
            run.predicted_dag_s, context.predicted_build_s, branches.graph_flops, branches.formation_flops,
            kCountingRule, run.binding, branches.graph_level, branches.graph_dag, branches.own_level, branches.own_dag)
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
  const std::int64_t id = save_run_row(database, created, context, run, search_id, machine_id);
  save_operators(database, id, context);
  save_levels(database, id, *run.profile);
  save_ops(database, id, *run.profile);
  if (run.measurement) save_measurement(database, id, *run.measurement);
  return id;
}

}  // namespace upsweep

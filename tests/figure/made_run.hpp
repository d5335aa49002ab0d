#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "upsweep/io/model_file.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/sim/complexity.hpp"
#include "upsweep/store/stored_run.hpp"

namespace upsweep::testing {

/// Ops of a schedule without what their products are.
inline void add_ops(RunDetails& run, const Schedule& schedule) {
  const std::vector<bool> dead = dead_combines(schedule);
  const std::vector<ValueRange> ranges = value_ranges(schedule);
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    StoredOp op;
    op.id = static_cast<std::uint32_t>(id);
    op.level = combine.level;
    op.left = combine.left;
    op.right = combine.right;
    op.target = combine.target;
    op.is_mv = ranges[combine.earlier].first == 0;
    op.is_dead = dead[id];
    run.ops.push_back(op);
  }
  run.run.requested = schedule.name;
  run.run.schedule = schedule.name;
  run.run.depth = schedule.hybrid_depth();
  run.run.length = schedule.length;
  run.run.levels = schedule.levels;
  run.run.ops = schedule.combines.size();
}

inline void add_levels(RunDetails& run, const Schedule& schedule) {
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    if (combine.level >= run.levels.size()) run.levels.push_back({combine.level, to_string(combine.phase), 0, 0, 0});
    StoredLevel& level = run.levels[combine.level];
    ++level.ops;
    level.flops_sum += run.ops[id].flops;
    level.flops_max = std::max(level.flops_max, run.ops[id].flops);
  }
}

/// A run of a schedule over an array of `length` places, made by hand: products of 8 × 8 matrices, operators o1, o2,
/// ..., and as many FLOPs as `flops` says of an id.
inline RunDetails made_run(const std::string& name, std::size_t length,
                           const std::function<double(std::size_t id)>& flops) {
  const Schedule schedule = make_schedule(parse_schedule(name), length);
  RunDetails run;
  add_ops(run, schedule);
  for (StoredOp& op : run.ops) {
    op.m = 8;
    op.k = 8;
    op.n = op.is_mv ? 1 : 8;
    op.left_nnz = op.is_mv ? 8 : 16;
    op.right_nnz = 16;
    op.nnz = op.is_mv ? 8 : 24;
    op.flops = flops(op.id);
    op.bytes = 8 * op.nnz;
    run.run.flops += op.flops;
  }
  add_levels(run, schedule);
  for (std::size_t i = 1; i < length; ++i) {
    StoredOperator op;
    op.index = i;
    op.name = "o" + std::to_string(i);
    op.kind = "linear";
    op.rows = 8;
    op.cols = 8;
    op.nnz = 16;
    run.operators.push_back(op);
  }
  run.run.model = "made";
  run.run.command = "profile";
  run.run.workers = std::max<std::size_t>(1, widest_level(schedule));
  run.run.linear_flops = 32.0 * static_cast<double>(length - 2);
  return run;
}

inline void add_operators(RunDetails& run, const Network& network, const NetworkProfile& profile) {
  const auto inputs = static_cast<double>(profile.inputs);
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    const Operator& op = network.operators()[o];
    StoredOperator stored;
    stored.index = o + 1;
    stored.name = op.name;
    stored.kind = kind_name(op.kind);
    if (profile.operators[o].rows > 0) {
      stored.rows = profile.operators[o].rows;
      stored.cols = profile.operators[o].cols;
      stored.nnz = static_cast<double>(profile.operators[o].nnz) / inputs;
    }
    run.operators.push_back(stored);
  }
}

/// A run of a model of models/, really counted.
inline RunDetails profiled_run(const std::string& model_name, const std::string& schedule_name, std::size_t workers) {
  const Model model =
      load_network(read_yaml(std::string(UPSWEEP_SOURCE_DIR) + "/models/" + model_name + ".yaml"), Numbers::structure);
  const Schedule schedule = make_schedule(parse_schedule(schedule_name), model.network.links().size() + 1);
  const Analysis analysis =
      analyse({model.network, model.weights, nullptr, model.value_bytes}, PatternKind::guaranteed, {schedule});
  const ScheduleProfile& profile = analysis.schedules.front();
  RunDetails run;
  add_ops(run, schedule);
  for (StoredOp& op : run.ops) {
    const OpProfile& mine = profile.ops[op.id];
    op.m = mine.m;
    op.k = mine.k;
    op.n = mine.n;
    op.left_nnz = static_cast<double>(mine.left_nnz);
    op.right_nnz = static_cast<double>(mine.right_nnz);
    op.nnz = static_cast<double>(mine.nnz);
    op.flops = static_cast<double>(mine.flops);
    op.bytes = static_cast<double>(mine.bytes);
  }
  add_levels(run, schedule);
  add_operators(run, model.network, analysis.network);
  const PramProfile pram = pram_profile(profile, workers);
  const Totals all = totals(profile, Scope::all);
  run.run.model = model.name;
  run.run.workers = workers;
  run.run.flops = static_cast<double>(all.flops);
  run.run.critical_path_level_flops = static_cast<double>(all.critical_path_level);
  run.run.critical_path_dag_flops = static_cast<double>(all.critical_path_dag);
  run.run.linear_flops = static_cast<double>(analysis.network.linear_flops);
  run.run.makespan_level_flops = static_cast<double>(pram.level.flops);
  run.run.makespan_dag_flops = static_cast<double>(pram.dag->flops);
  run.run.peak_live_bytes = static_cast<double>(pram.peak_live_bytes);
  return run;
}

}  // namespace upsweep::testing

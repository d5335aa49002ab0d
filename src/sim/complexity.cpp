#include "upsweep/sim/complexity.hpp"

#include <algorithm>

#include "upsweep/base/checked.hpp"
#include "upsweep/sim/batched.hpp"
#include "upsweep/sim/peak_memory.hpp"
#include "upsweep/sim/shared_ops.hpp"
#include "upsweep/sim/task_graph.hpp"

namespace upsweep {
namespace {

/// FLOPs by combine, 0 for those out of scope: none in scope depends on them, so they do not lengthen a path.
std::vector<std::uint64_t> scoped_flops(const ScheduleProfile& profile, const std::vector<bool>& runs) {
  std::vector<std::uint64_t> flops = profile.flops();
  for (std::size_t id = 0; id < flops.size(); ++id) {
    if (!runs[id]) flops[id] = 0;
  }
  return flops;
}

}  // namespace

std::vector<bool> in_scope(const ScheduleProfile& profile, Scope scope) {
  std::vector<bool> runs;
  runs.reserve(profile.ops.size());
  for (const OpProfile& op : profile.ops) runs.push_back(scope == Scope::all || !op.dead);
  return runs;
}

Totals totals(const ScheduleProfile& profile, Scope scope) {
  const std::vector<bool> runs = in_scope(profile, scope);
  const std::vector<std::uint64_t> flops = scoped_flops(profile, runs);
  Totals sum;
  std::vector<std::uint64_t> most(profile.schedule.levels, 0);
  for (std::size_t id = 0; id < flops.size(); ++id) {
    if (!runs[id]) continue;
    ++sum.ops;
    sum.flops = checked_add(sum.flops, flops[id]);
    std::uint64_t& level = most[profile.schedule.combines[id].level];
    level = std::max(level, flops[id]);
  }
  for (const std::uint64_t level : most) sum.critical_path_level = checked_add(sum.critical_path_level, level);
  sum.critical_path_dag = longest_path(task_graph(profile.schedule), flops);
  return sum;
}

PramProfile pram_profile(const ScheduleProfile& profile, std::size_t workers, Scope scope, std::uint64_t batch) {
  const Schedule& schedule = profile.schedule;
  const std::vector<bool> runs = in_scope(profile, scope);
  const std::vector<std::uint64_t> flops = scoped_flops(profile, runs);
  const std::vector<std::uint64_t> units(flops.size(), 1);
  const auto makespan = [&](Execution execution) {
    return Makespan{simulate(schedule, units, runs, workers, execution).makespan,
                    simulate(schedule, flops, runs, workers, execution).makespan};
  };
  const auto batched = [&](CostUnit unit) { return batched_level_makespan(profile, workers, scope, batch, unit); };
  PramProfile pram;
  pram.workers = workers;
  pram.level = batch == 1 ? makespan(Execution::level) : Makespan{batched(CostUnit::unit), batched(CostUnit::flops)};
  if (batch == 1) pram.dag = makespan(Execution::dag);
  pram.steps = pram.level.unit;
  pram.work = checked_mul(static_cast<std::uint64_t>(std::count(runs.begin(), runs.end(), true)), batch);
  for (const std::uint64_t op : flops) pram.per_step_flops = std::max(pram.per_step_flops, op);
  const SharedWork shared = shared_work(profile, scope);
  pram.shared_flops = shared_makespan(shared, workers, batch);
  pram.shared_bound_flops = shared_bound(shared, workers, batch);
  pram.peak_live_bytes = checked_mul(peak_live_bytes(schedule, profile.value_bytes, runs), batch);
  return pram;
}

LargestCounts largest_counts(const ScheduleProfile& profile, Scope scope) {
  LargestCounts largest;
  std::vector<bool> is_there(profile.value_bytes.size());
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    const OpProfile& op = profile.ops[id];
    if (scope == Scope::live && op.dead) continue;
    const Combine& combine = profile.schedule.combines[id];
    is_there[combine.earlier] = is_there[combine.later] = is_there[profile.schedule.value_of(id)] = true;
    largest.columns = std::max({largest.columns, op.k, op.is_mv ? 0 : op.n});
    largest.extent = std::max({largest.extent, op.m, op.k, op.n});
    largest.nnz = std::max({largest.nnz, op.left_nnz, op.right_nnz, op.nnz});
    if (!op.is_mv) largest.products = std::max(largest.products, op.products);
  }
  for (std::size_t value = 0; value < is_there.size(); ++value) {
    if (is_there[value]) add_to(largest.all_bytes, profile.value_bytes[value]);
  }
  largest.all_bytes = ceil_div(largest.all_bytes, profile.inputs);
  largest.nnz = ceil_div(largest.nnz, profile.inputs);
  largest.products = ceil_div(largest.products, profile.inputs);
  return largest;
}

}  // namespace upsweep

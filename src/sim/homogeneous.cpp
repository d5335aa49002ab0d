#include "upsweep/sim/homogeneous.hpp"

#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/sim/homogeneous_time.hpp"
#include "upsweep/sim/shared_ops.hpp"

namespace upsweep {

Totals totals(const HomogeneousProfile& profile, Scope scope) {
  const HomogeneousTotals& sums = scope == Scope::all ? profile.all : profile.live;
  return {sums.ops, sums.flops, sums.critical_path_level, sums.critical_path_dag};
}

std::uint64_t homogeneous_level_makespan(const HomogeneousProfile& profile, CostUnit unit, std::uint64_t workers,
                                         Scope scope) {
  if (workers == 0) throw std::invalid_argument("homogeneous_level_makespan needs at least 1 worker");
  return batched_level_makespan(profile, workers, scope, 1, unit);
}

PramProfile homogeneous_pram(const HomogeneousProfile& profile, std::uint64_t workers, Scope scope,
                             std::uint64_t batch) {
  const HomogeneousTotals& sums = scope == Scope::all ? profile.all : profile.live;
  PramProfile pram;
  pram.workers = workers;
  pram.level = {batched_level_makespan(profile, workers, scope, batch, CostUnit::unit),
                batched_level_makespan(profile, workers, scope, batch, CostUnit::flops)};
  if (batch == 1) {
    const auto unit = homogeneous_dag_makespan(profile, CostUnit::unit, workers, scope);
    const auto flops = homogeneous_dag_makespan(profile, CostUnit::flops, workers, scope);
    if (unit && flops) pram.dag = {*unit, *flops};
  }
  pram.steps = pram.level.unit;
  pram.work = checked_mul(sums.ops, batch);
  pram.per_step_flops = sums.flops_max;
  const SharedWork shared = shared_work(profile, scope);
  pram.shared_flops = shared_makespan(shared, workers, batch);
  pram.shared_bound_flops = shared_bound(shared, workers, batch);
  pram.peak_live_bytes = checked_mul(sums.peak_live_bytes, batch);
  return pram;
}

}  // namespace upsweep

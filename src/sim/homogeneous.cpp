#include "upsweep/sim/homogeneous.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

/// Workers that become free at the same time.
struct WorkerGroup {
  std::uint64_t free_at;
  std::uint64_t workers;
};

/// Independent combines handed out in order, each to the worker that becomes free first.
class ListSchedule {
 public:
  explicit ListSchedule(std::uint64_t workers) : workers_(workers), groups_{{0, workers}} {}

  void add(std::uint64_t ops, std::uint64_t cost) {
    while (ops > 0) {
      const bool in_step = checked_add(groups_.front().free_at, cost) >= groups_.back().free_at;
      if (in_step && ops >= workers_) {  // each worker takes one, round after round
        const std::uint64_t shift = checked_mul(ops / workers_, cost);
        for (WorkerGroup& group : groups_) group.free_at = checked_add(group.free_at, shift);
        ops %= workers_;
      } else {
        ops -= advance_first(ops, cost);
      }
    }
  }

  [[nodiscard]] std::uint64_t makespan() const { return groups_.back().free_at; }

 private:
  /// The workers that are free first take one each, or catch up with those that are free next; returns how many ops.
  std::uint64_t advance_first(std::uint64_t ops, std::uint64_t cost) {
    WorkerGroup first = groups_.front();
    const std::uint64_t gap = groups_.size() > 1 ? groups_[1].free_at - first.free_at : 0;
    const std::uint64_t rounds =
        std::clamp<std::uint64_t>(gap / cost, 1, std::max<std::uint64_t>(ops / first.workers, 1));
    const std::uint64_t busy = std::min(first.workers, ops);
    if (busy == first.workers) {
      groups_.erase(groups_.begin());
    } else {
      groups_.front().workers -= busy;
    }
    const std::uint64_t free_at = checked_add(first.free_at, checked_mul(rounds, cost));
    const auto at = std::ranges::lower_bound(groups_, free_at, {}, &WorkerGroup::free_at);
    if (at != groups_.end() && at->free_at == free_at) {
      at->workers += busy;
    } else {
      groups_.insert(at, {free_at, busy});
    }
    return busy * rounds;
  }

  std::uint64_t workers_;
  std::vector<WorkerGroup> groups_;  // ascending
};

std::uint64_t makespan_of(const HomogeneousLevel& level, CostUnit unit, std::uint64_t workers, Scope scope) {
  ListSchedule schedule(workers);
  for (const OpRun& run : level.runs) {
    if (scope == Scope::all || !run.dead) schedule.add(run.count, unit == CostUnit::unit ? 1 : run.flops);
  }
  return schedule.makespan();
}

}  // namespace

Totals totals(const HomogeneousProfile& profile, Scope scope) {
  const HomogeneousTotals& sums = scope == Scope::all ? profile.all : profile.live;
  return {sums.ops, sums.flops, sums.critical_path_level, sums.critical_path_dag};
}

std::uint64_t homogeneous_level_makespan(const HomogeneousProfile& profile, CostUnit unit, std::uint64_t workers,
                                         Scope scope) {
  if (workers == 0) throw std::invalid_argument("homogeneous_level_makespan needs at least 1 worker");
  std::uint64_t sum = 0;
  for (const LevelRun& run : profile.runs) {
    for (std::size_t i = 0; i < run.cycle.size(); ++i) {
      const std::uint64_t times = (run.levels - i + run.cycle.size() - 1) / run.cycle.size();
      add_to(sum, checked_mul(times, makespan_of(run.cycle[i], unit, workers, scope)));
    }
  }
  return sum;
}

HomogeneousPram homogeneous_pram(const HomogeneousProfile& profile, std::uint64_t workers, Scope scope) {
  const HomogeneousTotals& sums = scope == Scope::all ? profile.all : profile.live;
  HomogeneousPram pram;
  pram.workers = workers;
  pram.level = {homogeneous_level_makespan(profile, CostUnit::unit, workers, scope),
                homogeneous_level_makespan(profile, CostUnit::flops, workers, scope)};
  const auto unit = homogeneous_dag_makespan(profile, CostUnit::unit, workers, scope);
  const auto flops = homogeneous_dag_makespan(profile, CostUnit::flops, workers, scope);
  if (unit && flops) pram.dag = {*unit, *flops};
  pram.steps = pram.level.unit;
  pram.work = sums.ops;
  pram.per_step_flops = sums.flops_max;
  pram.peak_live_bytes = sums.peak_live_bytes;
  return pram;
}

}  // namespace upsweep

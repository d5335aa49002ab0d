#include "upsweep/sim/shared_ops.hpp"

#include <algorithm>
#include <stdexcept>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

std::uint64_t level_makespan(const SharedLevel& level, std::uint64_t inputs, std::uint64_t workers,
                             std::uint64_t batch) {
  const std::uint64_t share = ceil_div(ceil_div(checked_mul(level.flops, batch), inputs), workers);
  return std::max(checked_mul(share, inputs), level.span);
}

}  // namespace

SharedWork shared_work(const ScheduleProfile& profile, Scope scope) {
  SharedWork work;
  work.inputs = profile.inputs;
  work.levels.resize(profile.schedule.levels);
  std::vector<std::uint64_t> ready(profile.schedule.values(), 0);
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    const OpProfile& op = profile.ops[id];
    if (scope == Scope::live && op.dead) continue;
    const Combine& combine = profile.schedule.combines[id];
    SharedLevel& level = work.levels[combine.level];
    add_to(level.flops, op.flops);
    level.span = std::max(level.span, op.span);
    add_to(work.flops, op.flops);
    const std::uint64_t end = checked_add(std::max(ready[combine.earlier], ready[combine.later]), op.span);
    ready[profile.schedule.value_of(id)] = end;
    work.span_path = std::max(work.span_path, end);
  }
  return work;
}

SharedWork shared_work(const HomogeneousProfile& profile, Scope scope) {
  const HomogeneousTotals& sums = scope == Scope::all ? profile.all : profile.live;
  SharedWork work;
  work.flops = sums.flops;
  work.span_path = sums.span_path;
  for (const LevelRun& run : profile.runs) {
    for (std::size_t i = 0; i < run.cycle.size(); ++i) {
      SharedLevel level{run.times(i), 0, 0};
      for (const OpRun& ops : run.cycle[i].runs) {
        if (scope == Scope::live && ops.dead) continue;
        add_to(level.flops, checked_mul(ops.count, ops.flops));
        level.span = std::max(level.span, ops.span);
      }
      work.levels.push_back(level);
    }
  }
  return work;
}

std::uint64_t shared_makespan(const SharedWork& work, std::uint64_t workers, std::uint64_t batch) {
  if (workers == 0) throw std::invalid_argument("shared_makespan needs at least 1 worker");
  std::uint64_t sum = 0;
  for (const SharedLevel& level : work.levels)
    add_to(sum, checked_mul(level.times, level_makespan(level, work.inputs, workers, batch)));
  return sum;
}

std::uint64_t shared_bound(const SharedWork& work, std::uint64_t workers, std::uint64_t batch) {
  if (workers == 0) throw std::invalid_argument("shared_bound needs at least 1 worker");
  return level_makespan({1, work.flops, work.span_path}, work.inputs, workers, batch);
}

}  // namespace upsweep

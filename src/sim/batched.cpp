#include "upsweep/sim/batched.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "level_time.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/machine/cache_traffic.hpp"
#include "upsweep/sim/peak_memory.hpp"
#include "upsweep/sim/predict.hpp"

namespace upsweep {
namespace {

void check(std::size_t workers, std::uint64_t batch) {
  if (workers == 0) throw std::invalid_argument("0 workers, accepted is at least 1");
  if (batch == 0) throw std::invalid_argument("a batch of 0 inputs, accepted is at least 1");
}

/// Calls visit(ids) for every level that has combines in scope: these, in order. Combines come in the order of levels.
template <class Visit>
void for_each_level(const ScheduleProfile& profile, Scope scope, Visit visit) {
  std::vector<std::size_t> ids;
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    const std::uint32_t level = profile.schedule.combines[id].level;
    if (!ids.empty() && profile.schedule.combines[ids.back()].level != level) {
      visit(ids);
      ids.clear();
    }
    if (scope == Scope::all || !profile.ops[id].dead) ids.push_back(id);
  }
  if (!ids.empty()) visit(ids);
}

/// Calls visit(level, time) for every level with combines in scope; returns seconds of all.
template <class Visit>
double for_level_times(const ScheduleProfile& profile, const Machine& machine, std::size_t workers,
                       unsigned value_bytes, Scope scope, std::uint64_t batch, Visit visit) {
  check(workers, batch);
  const auto seconds_with = [&](std::uint64_t bytes, const auto& visit_level) {
    const OpPlace place{.workers = workers, .active = workers, .value_bytes = value_bytes, .working_set = bytes};
    LevelSum sum(machine, place, batch);
    std::vector<TimedWork> works;
    std::vector<EqualOps> level;
    for_each_level(profile, scope, [&](const std::vector<std::size_t>& ids) {
      works.clear();
      level.clear();
      for (const std::size_t id : ids) works.push_back({.work = op_work(profile.ops[id], profile.inputs, value_bytes)});
      for (TimedWork& work : works) level.push_back({&work, batch});
      visit_level(profile.schedule.combines[ids.front()].level, sum.add(level));
    });
    return sum.seconds();
  };
  const std::uint64_t peak = peak_live_bytes(profile.schedule, profile.value_bytes, in_scope(profile, scope));
  const std::uint64_t bytes =
      cache_traffic(machine, rounded_mean(checked_mul(peak, batch), profile.inputs),
                    [&](std::uint64_t tried) { return seconds_with(tried, [](std::uint32_t, const LevelTime&) {}); });
  return seconds_with(bytes, visit);
}

/// Calls visit(level, makespan) for every level with combines in scope.
template <class Visit>
void for_level_makespans(const ScheduleProfile& profile, std::size_t workers, Scope scope, std::uint64_t batch,
                         CostUnit unit, Visit visit) {
  check(workers, batch);
  ListSchedule schedule(workers);
  for_each_level(profile, scope, [&](const std::vector<std::size_t>& ids) {
    const std::uint32_t level = profile.schedule.combines[ids.front()].level;
    const std::uint64_t copies = checked_mul(ids.size(), batch);
    if (unit == CostUnit::unit) {
      visit(level, (copies - 1) / workers + 1);
    } else if (copies <= workers) {  // all at once
      std::uint64_t longest = 0;
      for (const std::size_t id : ids) longest = std::max(longest, profile.ops[id].flops);
      visit(level, longest);
    } else {
      schedule.clear();
      for (const std::size_t id : ids) schedule.add(batch, profile.ops[id].flops);
      visit(level, schedule.makespan());
    }
  });
}

}  // namespace

BatchedTime batched_time(const ScheduleProfile& profile, const Machine& machine, std::size_t workers,
                         unsigned value_bytes, Scope scope, std::uint64_t batch) {
  std::vector<LevelTime> levels(profile.schedule.levels);
  BatchedTime found;
  found.seconds = for_level_times(profile, machine, workers, value_bytes, scope, batch,
                                  [&](std::uint32_t level, const LevelTime& time) { levels[level] = time; });
  IssuedTime sum;
  for (const LevelTime& level : levels) {
    sum.device_s += level.issued.device_s;
    sum.host_s += level.issued.host_s;
  }
  const bool waits_for_host = sum.host_s > sum.device_s;
  for (const LevelTime& level : levels) {
    const double latency = level.ticks > 0 ? machine.at(workers).level_latency_s : 0;
    found.level_seconds.push_back(machine.kind == MachineKind::pram ? ticks_in_seconds(level.ticks) + latency
                                  : waits_for_host                  ? level.issued.host_s
                                                                    : level.issued.device_s);
  }
  return found;
}

double batched_seconds(const ScheduleProfile& profile, const Machine& machine, std::size_t workers,
                       unsigned value_bytes, Scope scope, std::uint64_t batch) {
  return for_level_times(profile, machine, workers, value_bytes, scope, batch, [](std::uint32_t, const LevelTime&) {});
}

std::uint64_t batched_level_makespan(const ScheduleProfile& profile, std::size_t workers, Scope scope,
                                     std::uint64_t batch, CostUnit unit) {
  std::uint64_t sum = 0;
  for_level_makespans(profile, workers, scope, batch, unit,
                      [&](std::uint32_t, std::uint64_t makespan) { add_to(sum, makespan); });
  return sum;
}

std::vector<std::uint64_t> batched_levels(const ScheduleProfile& profile, std::size_t workers, Scope scope,
                                          std::uint64_t batch, CostUnit unit) {
  std::vector<std::uint64_t> levels(profile.schedule.levels);
  for_level_makespans(profile, workers, scope, batch, unit,
                      [&](std::uint32_t level, std::uint64_t makespan) { levels[level] = makespan; });
  return levels;
}

}  // namespace upsweep

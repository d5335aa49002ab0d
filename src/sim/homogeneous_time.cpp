#include "upsweep/sim/homogeneous_time.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>

#include "level_time.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/machine/cache_traffic.hpp"
#include "upsweep/profile/homogeneous_op.hpp"
#include "upsweep/sim/homogeneous.hpp"
#include "upsweep/sim/predict.hpp"

namespace upsweep {
namespace {

/// The most runs of a level.
constexpr std::size_t kMostRuns = 3;

void require_positive(std::uint64_t workers, std::uint64_t batch) {
  if (workers == 0) throw std::invalid_argument("0 workers, accepted is at least 1");
  if (batch == 0) throw std::invalid_argument("a batch of 0 inputs, accepted is at least 1");
}

/// Calls visit(level, times) for every distinct level.
template <class Visit>
void for_each_scoped_level(const HomogeneousProfile& profile, Visit visit) {
  for (const LevelRun& run : profile.runs) {
    for (std::size_t i = 0; i < run.cycle.size(); ++i) visit(run.cycle[i], run.times(i));
  }
}

bool do_the_same(const OpRun& a, const OpRun& b) {
  return a.is_mv == b.is_mv && a.flops == b.flops && a.nnz == b.nnz && a.bytes == b.bytes && a.later == b.later &&
         (a.is_mv || a.earlier == b.earlier);
}

/// The work of the runs, that of the last few kept: most levels repeat it.
class RunWorks {
 public:
  RunWorks(const HomogeneousChain& chain, unsigned value_bytes) : chain_(chain), value_bytes_(value_bytes) {}

  /// Stays there until kMostRuns others were asked for since: the one that was asked for longest ago makes room.
  TimedWork& of(const OpRun& run) {
    ++asked_;
    for (Kept& kept : kept_) {
      if (kept.asked == 0 || !do_the_same(kept.run, run)) continue;
      kept.asked = asked_;
      return kept.work;
    }
    Kept& mine = *std::ranges::min_element(kept_, {}, &Kept::asked);
    mine = {run, {op_work(homogeneous_op(chain_, run, value_bytes_), 1, value_bytes_)}, asked_};
    return mine.work;
  }

 private:
  struct Kept {
    OpRun run;
    TimedWork work;
    std::uint64_t asked = 0;  // number of the last request; 0: holds nothing yet
  };

  const HomogeneousChain& chain_;
  unsigned value_bytes_;
  std::array<Kept, 2 * kMostRuns> kept_;
  std::uint64_t asked_ = 0;
};

/// Times of combines where no barrier stands between levels; each has the rates of its level's workers.
class FreeTimes {
 public:
  FreeTimes(const HomogeneousProfile& profile, const Machine& machine, const OpPlace& place, Scope scope)
      : profile_(profile), machine_(machine), place_(place), works_(profile.chain, profile.value_bytes) {
    for (const LevelRun& levels : profile.runs) {
      active_.emplace_back();
      for (std::size_t i = 0; i < levels.cycle.size(); ++i) {
        const std::size_t active = active_in(levels.cycle[i], scope);
        active_.back().push_back(active);
        for (const OpRun& run : levels.cycle[i].runs) {
          if (run.dead && scope == Scope::live) continue;
          const std::uint64_t count = checked_mul(levels.times(i), run.count);
          const double start_s = launch_costs(machine, machine.at(active)).op_s;
          all_.add(op_time(machine, works_.of(run).work, at(active)), start_s, active, count);
          add_to(count_, count);
        }
      }
    }
  }

  /// Ticks of one combine on its own.
  [[nodiscard]] std::uint64_t ticks(Phase phase, std::uint32_t d, const OpRun& run) {
    std::size_t level = phase == Phase::down     ? profile_.runs.size() - 1 - d
                        : phase == Phase::middle ? profile_.depth
                                                 : d;
    level = std::min(level, active_.size() - 1);  // paths ask for levels without a combine, too, and take none
    const auto& cycle = profile_.runs[level].cycle;
    const bool is_second = cycle.size() > 1 && do_the_same(cycle[1].runs.front(), run);
    return to_ticks(op_time(machine_, works_.of(run).work, at(active_[level][is_second ? 1 : 0])).alone_s);
  }
  [[nodiscard]] double together() const { return all_.together(); }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  [[nodiscard]] std::size_t active_in(const HomogeneousLevel& level, Scope scope) {
    std::uint64_t parts = 0;
    for (const OpRun& run : level.runs) {
      if (scope == Scope::all || !run.dead)
        add_to(parts, checked_mul(run.count, parts_of(works_.of(run).work, place_.workers, machine_.kind)));
    }
    return active_of(parts, place_.workers);
  }
  [[nodiscard]] OpPlace at(std::size_t active) const {
    OpPlace place = place_;
    place.active = active;
    return place;
  }

  const HomogeneousProfile& profile_;
  const Machine& machine_;
  OpPlace place_;
  RunWorks works_;
  std::vector<InlineVector<std::size_t, 2>> active_;  // workers, by run of levels and place in its cycle
  SharedTime all_;
  std::uint64_t count_ = 0;
};

}  // namespace

std::optional<double> homogeneous_dag_seconds(const HomogeneousProfile& profile, const Machine& machine,
                                              std::uint64_t workers, Scope scope) {
  require_positive(workers, 1);
  if (!has_dag_time(machine)) return std::nullopt;
  if (profile.runs.empty()) return 0;  // one element, and nothing to combine
  const HomogeneousTotals& sums = scope == Scope::all ? profile.all : profile.live;
  const auto place_with = [&](std::uint64_t bytes) {
    return OpPlace{.workers = workers, .active = workers, .value_bytes = profile.value_bytes, .working_set = bytes};
  };
  if (machine.kind == MachineKind::pram) {
    FreeTimes times(profile, machine, place_with(sums.peak_live_bytes), scope);
    const HomogeneousCost ticks = [&](Phase phase, std::uint32_t d, const OpRun& run) {
      return times.ticks(phase, d, run);
    };
    const std::optional<std::uint64_t> makespan = homogeneous_dag_makespan(profile, ticks, workers, scope);
    return makespan ? std::optional(ticks_in_seconds(*makespan)) : std::nullopt;
  }
  const auto seconds_with = [&](std::uint64_t bytes) {
    FreeTimes times(profile, machine, place_with(bytes), scope);
    const InScopes path = longest_path(
        profile, [&](Phase phase, std::uint32_t d, const OpRun& run) { return times.ticks(phase, d, run); });
    const double host_s = launch_costs(machine, machine.at(workers)).host_s;
    return std::max({times.together(), ticks_in_seconds(scope == Scope::all ? path.all : path.live),
                     static_cast<double>(times.count()) * host_s});
  };
  return seconds_with(cache_traffic(machine, sums.peak_live_bytes, seconds_with));
}

double homogeneous_seconds(const HomogeneousProfile& profile, const Machine& machine, std::uint64_t workers,
                           Scope scope, std::uint64_t batch) {
  require_positive(workers, batch);
  const HomogeneousTotals& sums = scope == Scope::all ? profile.all : profile.live;
  const auto seconds_with = [&](std::uint64_t bytes) {
    const OpPlace place{
        .workers = workers, .active = workers, .value_bytes = profile.value_bytes, .working_set = bytes};
    LevelClock clock(machine, place, batch);
    RunWorks works(profile.chain, profile.value_bytes);
    std::uint64_t ticks = 0;
    IssuedTime issued;
    std::uint64_t busy_levels = 0;
    for_each_scoped_level(profile, [&](const HomogeneousLevel& level, std::uint64_t times) {
      std::array<EqualOps, kMostRuns> ops;
      std::size_t count = 0;
      for (const OpRun& run : level.runs) {
        if (scope == Scope::all || !run.dead) ops[count++] = {&works.of(run), checked_mul(run.count, batch)};
      }
      const LevelTime time = clock.time({ops.data(), count});
      add_to(ticks, checked_mul(time.ticks, times));
      issued.device_s += time.issued.device_s * static_cast<double>(times);
      issued.host_s += time.issued.host_s * static_cast<double>(times);
      if (time.ticks > 0) busy_levels += times;
    });
    if (machine.kind != MachineKind::pram) return issued.seconds();
    return ticks_in_seconds(ticks) + static_cast<double>(busy_levels) * machine.at(workers).level_latency_s;
  };
  return seconds_with(cache_traffic(machine, checked_mul(sums.peak_live_bytes, batch), seconds_with));
}

std::uint64_t batched_level_makespan(const HomogeneousProfile& profile, std::uint64_t workers, Scope scope,
                                     std::uint64_t batch, CostUnit unit) {
  require_positive(workers, batch);
  ListSchedule schedule(workers);
  std::uint64_t sum = 0;
  for_each_scoped_level(profile, [&](const HomogeneousLevel& level, std::uint64_t times) {
    schedule.clear();
    for (const OpRun& run : level.runs) {
      if (scope == Scope::all || !run.dead)
        schedule.add(checked_mul(run.count, batch), unit == CostUnit::flops ? run.flops : 1);
    }
    add_to(sum, checked_mul(times, schedule.makespan()));
  });
  return sum;
}

}  // namespace upsweep

#include "upsweep/sim/homogeneous_time.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>

#include "level_time.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/profile/homogeneous_op.hpp"
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

}  // namespace

double homogeneous_seconds(const HomogeneousProfile& profile, const Machine& machine, std::uint64_t workers,
                           Scope scope, std::uint64_t batch) {
  require_positive(workers, batch);
  const HomogeneousTotals& sums = scope == Scope::all ? profile.all : profile.live;
  const OpPlace place{.workers = workers,
                      .active = workers,
                      .value_bytes = profile.value_bytes,
                      .working_set = checked_mul(sums.peak_live_bytes, batch)};
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

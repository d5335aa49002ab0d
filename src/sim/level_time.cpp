#include "level_time.hpp"

#include <cmath>

#include "upsweep/base/checked.hpp"
#include "upsweep/machine/op_parts.hpp"

namespace upsweep {
namespace {

constexpr double kTicksPerSecond = 1e12;

}  // namespace

std::uint64_t to_ticks(double seconds) {
  const double count = std::round(seconds * kTicksPerSecond);
  if (!(count < 0x1p63)) throw CountOverflow();
  return static_cast<std::uint64_t>(count);
}

double ticks_in_seconds(std::uint64_t ticks) { return static_cast<double>(ticks) / kTicksPerSecond; }

std::uint64_t parts_of(const OpWork& work, std::size_t workers, MachineKind kind) {
  return kind == MachineKind::cpu ? op_parts(op_cost(work), workers) : 1;
}

std::size_t active_of(std::uint64_t parts, std::size_t workers) {
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(parts, 1, workers));
}

const OpTime& LevelClock::time_of(TimedWork& op, const Rates& rates) const {
  if (op.rates != &rates) {  // the rates are all that an op's time has of who is active
    op.time = op_time(machine_, op.work, place_);
    op.rates = &rates;
  }
  return op.time;
}

std::uint64_t LevelClock::pram_ticks(std::span<const EqualOps> level, std::uint64_t count, const Rates& rates) {
  if (count <= place_.workers) {  // all at once
    double longest_s = 0;
    for (const EqualOps& ops : level) {
      if (ops.count > 0) longest_s = std::max(longest_s, time_of(*ops.op, rates).alone_s);
    }
    return to_ticks(longest_s);
  }
  schedule_.clear();
  for (const EqualOps& ops : level) schedule_.add(ops.count, to_ticks(time_of(*ops.op, rates).alone_s));
  return schedule_.makespan();
}

LevelTime LevelClock::time(std::span<const EqualOps> level) {
  std::uint64_t count = 0;
  std::uint64_t parts = 0;
  for (const EqualOps& ops : level) {
    add_to(count, ops.count);
    add_to(parts, checked_mul(ops.count, parts_of(ops.op->work, place_.workers, machine_.kind)));
  }
  place_.active = active_of(parts, place_.workers);
  const Rates& rates = machine_.at(place_.active);
  if (machine_.kind == MachineKind::pram) return {.ticks = pram_ticks(level, count, rates)};
  const double op_s = launch_costs(machine_, rates).op_s;
  SharedTime shared;
  for (const EqualOps& ops : level) shared.add(time_of(*ops.op, rates), op_s, place_.active, ops.count);
  return {.ticks = 0, .issued = level_time(costs_, shared, count, inputs_)};
}

LevelTime LevelSum::add(std::span<const EqualOps> level) {
  const LevelTime time = clock_.time(level);
  add_to(ticks_, time.ticks);
  if (time.ticks > 0) ++busy_levels_;
  issued_.device_s += time.issued.device_s;
  issued_.host_s += time.issued.host_s;
  return time;
}

double LevelSum::seconds() const {
  if (machine_.kind != MachineKind::pram) return issued_.seconds();
  double seconds = ticks_in_seconds(ticks_);
  // One by one, as predict_time() adds them: equal to the last digit.
  for (std::size_t level = 0; level < busy_levels_; ++level) seconds += machine_.at(workers_).level_latency_s;
  return seconds;
}

}  // namespace upsweep

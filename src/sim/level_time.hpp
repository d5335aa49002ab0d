#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "list_schedule.hpp"
#include "upsweep/machine/machine.hpp"

namespace upsweep {

/// The mean of a sum over `inputs` inputs, rounded to a whole count.
[[nodiscard]] inline std::uint64_t rounded_mean(std::uint64_t sum, std::uint64_t inputs) {
  return (sum + inputs / 2) / inputs;
}

/// Seconds in whole ticks, in which prams are simulated: picoseconds. Throws CountOverflow.
[[nodiscard]] std::uint64_t to_ticks(double seconds);

/// Ticks in seconds.
[[nodiscard]] double ticks_in_seconds(std::uint64_t ticks);

/// What an op gives the workers to do at once: its parts on a cpu, else itself.
[[nodiscard]] std::uint64_t parts_of(const OpWork& work, std::size_t workers, MachineKind kind);

/// Workers that have something to do where there are so many parts.
[[nodiscard]] std::size_t active_of(std::uint64_t parts, std::size_t workers);

/// What the ops of a level, or of everything, take together.
class SharedTime {
 public:
  void add(const OpTime& op, double latency_s, std::size_t workers, std::uint64_t count = 1) {
    together_ += static_cast<double>(count) * (op.machine_s + latency_s / static_cast<double>(workers));
    longest_ = std::max(longest_, op.alone_s);
  }
  [[nodiscard]] double together() const { return together_; }
  [[nodiscard]] double seconds() const { return std::max(together_, longest_); }

 private:
  double together_ = 0;
  double longest_ = 0;
};

/// Seconds of levels on a processor or gpu. The host issues kernels while the device works: the longer of both counts.
struct IssuedTime {
  double device_s = 0;
  double host_s = 0;

  [[nodiscard]] double seconds() const { return std::max(device_s, host_s); }
};

/// A level of `count` ops of `inputs` inputs that take `shared`; 0 where nothing takes time. `costs` are those of all
/// workers of the run.
[[nodiscard]] inline IssuedTime level_time(const LaunchCosts& costs, const SharedTime& shared, std::uint64_t count,
                                           std::uint64_t inputs) {
  if (shared.seconds() <= 0) return {};
  return {costs.level_s + (count > inputs ? costs.joining_s(count) : 0) + shared.seconds(),
          static_cast<double>(count) * costs.host_s};
}

/// The work of an op, and the time that a clock found for it last.
struct TimedWork {
  OpWork work;
  const Rates* rates = nullptr;  ///< of the workers that were active; null before
  OpTime time = {};
};

/// `count` ops of a level that do the same work.
struct EqualOps {
  TimedWork* op = nullptr;
  std::uint64_t count = 0;
};

/// A level: ticks without its latency on a pram, level_time() on the others. 0 where nothing takes time.
struct LevelTime {
  std::uint64_t ticks = 0;
  IssuedTime issued = {};
};

/// Times levels by the rule of predict_time() under Execution::level. A TimedWork is one clock's.
class LevelClock {
 public:
  /// `place`: workers, value bytes and working set of `inputs` inputs; who is active follows from each level.
  LevelClock(const Machine& machine, const OpPlace& place, std::uint64_t inputs)
      : machine_(machine),
        place_(place),
        inputs_(inputs),
        costs_(launch_costs(machine, machine.at(place.workers))),
        schedule_(place.workers) {}

  /// Ops in the order of their ids. Throws CountOverflow.
  [[nodiscard]] LevelTime time(std::span<const EqualOps> level);

 private:
  [[nodiscard]] const OpTime& time_of(TimedWork& op, const Rates& rates) const;
  [[nodiscard]] std::uint64_t pram_ticks(std::span<const EqualOps> level, std::uint64_t count, const Rates& rates);

  const Machine& machine_;
  OpPlace place_;
  std::uint64_t inputs_;
  LaunchCosts costs_;
  ListSchedule schedule_;
};

/// Adds up levels that follow each other.
class LevelSum {
 public:
  /// As LevelClock.
  LevelSum(const Machine& machine, const OpPlace& place, std::uint64_t inputs)
      : machine_(machine), workers_(place.workers), clock_(machine, place, inputs) {}

  /// The time of the next level. Throws CountOverflow.
  LevelTime add(std::span<const EqualOps> level);
  /// Of all levels so far.
  [[nodiscard]] double seconds() const;

 private:
  const Machine& machine_;
  std::size_t workers_;
  LevelClock clock_;
  std::uint64_t ticks_ = 0;
  IssuedTime issued_;
  std::size_t busy_levels_ = 0;
};

}  // namespace upsweep

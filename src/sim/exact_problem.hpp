#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "upsweep/sim/task_engine.hpp"

namespace upsweep::exact {

using Time = std::uint64_t;
inline constexpr Time kNever = ~Time{0};

/// From the end of every task to the start of every other: the longest path, or kNever without one.
class Lags {
 public:
  explicit Lags(std::size_t tasks) : tasks_(tasks), values_(tasks * tasks, kNever) {}

  [[nodiscard]] Time operator()(std::size_t from, std::size_t to) const { return values_[from * tasks_ + to]; }
  [[nodiscard]] bool connects(std::size_t from, std::size_t to) const { return (*this)(from, to) != kNever; }
  void raise(std::size_t from, std::size_t to, Time value) {
    Time& entry = values_[from * tasks_ + to];
    if (entry == kNever || entry < value) entry = value;
  }

 private:
  std::size_t tasks_;
  std::vector<Time> values_;
};

/// The other task ends at least `lag` before the start of this one.
struct Arc {
  std::size_t task;
  Time lag;
};

/// The tasks of a workload that have a resource, numbered so that a task follows those that it waits for. Shapes: an
/// entry per task.
struct Problem {
  std::vector<std::uint32_t> id;  ///< in the workload
  std::vector<std::uint32_t> resource;
  std::vector<Time> duration;
  std::vector<Time> head;                ///< it starts no earlier
  std::vector<Time> tail;                ///< from its end to the makespan at least
  std::vector<std::vector<Arc>> before;  ///< that it waits for; none that follows from the others
  std::size_t resources = 0;
  bool is_reversed = false;  ///< time runs backwards

  [[nodiscard]] std::size_t size() const { return id.size(); }
};

/// Some best schedule of the workload is among those of its problem. Cost: O(tasks³).
[[nodiscard]] Problem make_problem(const Workload& workload);

/// The same backwards in time, its tasks numbered from the last to the first.
[[nodiscard]] Problem reversed(const Problem& problem);

/// No schedule is shorter.
[[nodiscard]] Time root_bound(const Problem& problem);

/// A task on one machine.
struct Job {
  Time head;
  Time duration;
  Time tail;
};

/// Makespan of the best preemptive schedule of one machine, tails included: the job with the longest tail goes first
/// (Jackson 1955, Carlier 1982). Reorders the jobs; `heap` is scratch. Cost: O(jobs · log jobs).
[[nodiscard]] Time jackson(std::vector<Job>& jobs, std::vector<std::pair<Time, Time>>& heap);

}  // namespace upsweep::exact

#include "upsweep/sim/pram_simulation.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>
#include <utility>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

template <class T>
using EarliestFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;

/// Workers, the next one to take an op on top: (free at, worker). Those that never worked are not in the heap.
class Pool {
 public:
  explicit Pool(std::size_t workers) : workers_(workers) {}

  /// The worker that becomes free first, ties to the lowest, with the time.
  std::pair<std::uint64_t, std::size_t> take(std::uint64_t now) {
    // A worker that is back at `now` has a lower number than one that never worked.
    if (fresh_ < workers_ && (busy_.empty() || busy_.top().first > now)) return {now, fresh_++};
    const auto worker = busy_.top();
    busy_.pop();
    return worker;
  }
  void give_back(std::uint64_t free_at, std::size_t worker) { busy_.emplace(free_at, worker); }

 private:
  EarliestFirst<std::pair<std::uint64_t, std::size_t>> busy_;
  std::size_t workers_;
  std::size_t fresh_ = 0;
};

Timeline simulate_levels(const Schedule& schedule, std::span<const std::uint64_t> costs, const std::vector<bool>& runs,
                         std::size_t workers) {
  Timeline timeline;
  timeline.entries.reserve(costs.size());
  for (std::size_t id = 0; id < costs.size();) {
    const std::uint32_t level = schedule.combines[id].level;
    const std::uint64_t now = timeline.makespan;  // the barrier
    Pool pool(workers);
    for (; id < costs.size() && schedule.combines[id].level == level; ++id) {
      if (!runs[id]) continue;
      const auto [start, worker] = pool.take(now);
      const std::uint64_t end = checked_add(start, costs[id]);
      timeline.entries.push_back({id, worker, start, end});
      timeline.makespan = std::max(timeline.makespan, end);
      pool.give_back(end, worker);
    }
  }
  return timeline;
}

/// Who reads the value of a combine, and how many operands each still waits for; in arrays, as there may be millions.
class Readers {
 public:
  Readers(const Schedule& schedule, const std::vector<bool>& runs)
      : first_(runs.size() + 1, 0), waits_(runs.size(), 0) {
    const auto each_operand = [&](auto&& visit) {
      for (std::size_t id = 0; id < runs.size(); ++id) {
        if (!runs[id]) continue;
        for (const ValueId operand : {schedule.combines[id].earlier, schedule.combines[id].later})
          if (operand != kIdentity && operand >= schedule.length) visit(operand - schedule.length, id);
      }
    };
    each_operand([&](std::size_t source, std::size_t) { ++first_[source + 1]; });
    for (std::size_t id = 0; id < runs.size(); ++id) first_[id + 1] += first_[id];
    readers_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    each_operand([&](std::size_t source, std::size_t id) {
      readers_[next[source]++] = static_cast<std::uint32_t>(id);
      ++waits_[id];
    });
  }

  [[nodiscard]] bool is_ready(std::size_t id) const { return waits_[id] == 0; }

  /// Hands every reader of `id` that now is ready to `ready`.
  template <class Ready>
  void finish(std::size_t id, Ready&& ready) {
    for (std::uint32_t i = first_[id]; i < first_[id + 1]; ++i) {
      if (--waits_[readers_[i]] == 0) ready(readers_[i]);
    }
  }

 private:
  std::vector<std::uint32_t> first_;  // by combine, into readers_
  std::vector<std::uint32_t> readers_;
  std::vector<std::uint8_t> waits_;  // 0 to 2
};

/// A combine that runs until `end`.
struct RunningOp {
  std::uint64_t end;
  std::uint32_t id;
  std::size_t worker;

  bool operator>(const RunningOp& other) const { return end != other.end ? end > other.end : id > other.id; }
};

Timeline simulate_dag(const Schedule& schedule, std::span<const std::uint64_t> costs, const std::vector<bool>& runs,
                      std::size_t workers) {
  Timeline timeline;
  timeline.entries.reserve(costs.size());
  Readers readers(schedule, runs);
  EarliestFirst<std::uint32_t> ready;
  EarliestFirst<std::size_t> free;  // workers that have worked
  std::size_t fresh = 0;            // the first that has not
  EarliestFirst<RunningOp> running;
  for (std::size_t id = 0; id < costs.size(); ++id) {
    if (runs[id] && readers.is_ready(id)) ready.push(static_cast<std::uint32_t>(id));
  }
  for (std::uint64_t now = 0;;) {
    while (!ready.empty() && (!free.empty() || fresh < workers)) {
      const std::uint32_t id = ready.top();
      ready.pop();
      std::size_t worker = fresh;
      if (free.empty()) {
        ++fresh;
      } else {
        worker = free.top();
        free.pop();
      }
      const std::uint64_t end = checked_add(now, costs[id]);
      timeline.entries.push_back({id, worker, now, end});
      timeline.makespan = std::max(timeline.makespan, end);
      running.push({end, id, worker});
    }
    if (running.empty()) return timeline;
    now = running.top().end;
    while (!running.empty() && running.top().end == now) {
      const RunningOp over = running.top();
      running.pop();
      free.push(over.worker);
      readers.finish(over.id, [&](std::uint32_t id) { ready.push(id); });
    }
  }
}

}  // namespace

Timeline simulate(const Schedule& schedule, std::span<const std::uint64_t> costs, const std::vector<bool>& runs,
                  std::size_t workers, Execution execution) {
  if (workers == 0) throw std::invalid_argument("simulate needs at least 1 worker");
  if (costs.size() != schedule.combines.size() || runs.size() != costs.size())
    throw std::invalid_argument("simulate needs one cost per combine");
  return execution == Execution::level ? simulate_levels(schedule, costs, runs, workers)
                                       : simulate_dag(schedule, costs, runs, workers);
}

}  // namespace upsweep

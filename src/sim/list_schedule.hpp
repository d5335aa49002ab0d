#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "upsweep/base/checked.hpp"

namespace upsweep {

/// Independent ops handed out in order, each to the worker that becomes free first; many equal ones at once.
class ListSchedule {
 public:
  /// `workers` >= 1.
  explicit ListSchedule(std::uint64_t workers) : workers_(workers), groups_{{0, workers}} {}

  /// `ops` ops that take `cost` each. Throws CountOverflow.
  void add(std::uint64_t ops, std::uint64_t cost) {
    if (cost == 0) return;  // ends where it starts
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

  /// Starts anew: all workers are free at 0.
  void clear() { groups_.assign(1, {0, workers_}); }

 private:
  /// Workers that become free at the same time.
  struct WorkerGroup {
    std::uint64_t free_at;
    std::uint64_t workers;
  };

  /// The workers that are free first take one each, or catch up with those that are free next; returns how many ops.
  std::uint64_t advance_first(std::uint64_t ops, std::uint64_t cost) {
    const WorkerGroup first = groups_.front();
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

}  // namespace upsweep

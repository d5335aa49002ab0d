#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "upsweep/base/checked.hpp"

namespace upsweep {

/// Independent ops handed out in order, each to the worker that becomes free first; many equal ones at once.
class ListSchedule {
 public:
  /// `workers` >= 1.
  explicit ListSchedule(std::uint64_t workers) : workers_(workers), groups_{{0, workers}} {}

  /// `ops` ops that take `cost` each. Throws CountOverflow. Cost: O(groups), at most min(workers, ops so far), whatever
  /// `ops` and `cost`.
  void add(std::uint64_t ops, std::uint64_t cost) {
    if (cost == 0) return;  // ends where it starts
    while (ops > 0) {
      const bool in_step = checked_add(groups_.front().free_at, cost) >= groups_.back().free_at;
      if (in_step && ops >= workers_) {  // each worker takes one, round after round
        const std::uint64_t shift = checked_mul(ops / workers_, cost);
        for (WorkerGroup& group : groups_) group.free_at = checked_add(group.free_at, shift);
        ops %= workers_;
      } else if (in_step || ops <= groups_.front().workers) {
        ops -= advance_first(ops, cost);
      } else {
        ops -= catch_up(ops, cost);
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

  /// The workers that are free first take one each, as far as there are ops; returns how many ops.
  std::uint64_t advance_first(std::uint64_t ops, std::uint64_t cost) {
    const WorkerGroup first = groups_.front();
    const std::uint64_t busy = std::min(first.workers, ops);
    if (busy == first.workers) {
      groups_.erase(groups_.begin());
    } else {
      groups_.front().workers -= busy;
    }
    const std::uint64_t free_at = checked_add(first.free_at, cost);
    const auto at = std::ranges::lower_bound(groups_, free_at, {}, &WorkerGroup::free_at);
    if (at != groups_.end() && at->free_at == free_at) {
      at->workers += busy;
    } else {
      groups_.insert(at, {free_at, busy});
    }
    return busy;
  }

  /// Ops of `cost` that end by `time` where every worker takes one after the other; nothing where they are more
  /// than `most`.
  [[nodiscard]] std::optional<std::uint64_t> ops_until(std::uint64_t time, std::uint64_t cost,
                                                       std::uint64_t most) const {
    std::uint64_t ops = 0;
    for (const WorkerGroup& group : groups_) {
      if (group.free_at > time) break;
      const std::uint64_t each = (time - group.free_at) / cost;
      if (each > (most - ops) / group.workers) return std::nullopt;
      ops += each * group.workers;
    }
    return ops;
  }

  /// Gives the workers all ops that end by a time, the latest one up to that of the last group for which there are ops
  /// enough: every other op starts later than all of these. Returns how many. Then fewer are left than there are
  /// workers in the first group, or all groups are within `cost` of each other.
  std::uint64_t catch_up(std::uint64_t ops, std::uint64_t cost) {
    std::uint64_t time = groups_.front().free_at;
    std::uint64_t end = groups_.back().free_at;
    std::uint64_t taken = 0;
    while (time < end) {
      const std::uint64_t middle = end - (end - time) / 2;
      if (const auto until = ops_until(middle, cost, ops)) {
        time = middle;
        taken = *until;
      } else {
        end = middle - 1;
      }
    }
    for (WorkerGroup& group : groups_) {
      if (group.free_at < time) group.free_at += (time - group.free_at) / cost * cost;
    }
    std::ranges::sort(groups_, {}, &WorkerGroup::free_at);
    merge_equal();
    return taken;
  }

  void merge_equal() {
    std::size_t last = 0;
    for (std::size_t i = 1; i < groups_.size(); ++i) {
      if (groups_[i].free_at == groups_[last].free_at) {
        groups_[last].workers += groups_[i].workers;
      } else {
        groups_[++last] = groups_[i];
      }
    }
    groups_.resize(last + 1);
  }

  std::uint64_t workers_;
  std::vector<WorkerGroup> groups_;  // ascending
};

}  // namespace upsweep

#include "upsweep/sim/simulate.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/sim/task_graph.hpp"

namespace upsweep {
namespace {

template <class T>
using MinHeap = std::priority_queue<T, std::vector<T>, std::greater<>>;

Timeline run_levels(const Schedule& schedule, std::span<const std::uint64_t> costs, const std::vector<bool>& runs,
                    std::size_t workers) {
  Timeline timeline;
  MinHeap<std::pair<std::uint64_t, std::size_t>> free_at;  // (time, worker) of the workers that this level has used
  std::size_t used = 0;
  std::uint32_t level = 0;
  std::uint64_t start_of_level = 0;
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    if (schedule.combines[id].level != level) {
      level = schedule.combines[id].level;
      start_of_level = timeline.makespan;
      free_at = {};
      used = 0;
    }
    if (!runs[id]) continue;
    std::uint64_t start = start_of_level;
    std::size_t worker = used;
    // A fresh worker is free since the start of the level. A used one goes first only where it is free then, too, and
    // lower.
    if (used == workers || (used > 0 && free_at.top().first == start_of_level)) {
      std::tie(start, worker) = free_at.top();
      free_at.pop();
    } else {
      ++used;
    }
    const std::uint64_t end = checked_add(start, costs[id]);
    free_at.emplace(end, worker);
    timeline.entries.push_back({id, worker, start, end});
    timeline.makespan = std::max(timeline.makespan, end);
  }
  return timeline;
}

Timeline run_dag(const Schedule& schedule, std::span<const std::uint64_t> costs, const std::vector<bool>& runs,
                 std::size_t workers) {
  const TaskGraph graph = task_graph(schedule);
  std::vector<std::uint8_t> waits_for(costs.size(), 0);
  MinHeap<std::size_t> ready;
  for (std::size_t id = 0; id < costs.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    waits_for[id] = static_cast<std::uint8_t>((combine.earlier >= schedule.length ? 1 : 0) +
                                              (combine.later >= schedule.length ? 1 : 0));
    if (runs[id] && waits_for[id] == 0) ready.push(id);
  }
  Timeline timeline;
  MinHeap<std::size_t> released;  // workers that have run and are free; those from `used` on have not run yet
  std::size_t used = 0;
  MinHeap<std::tuple<std::uint64_t, std::size_t, std::size_t>> running;  // (end, worker, id)
  std::uint64_t now = 0;
  while (true) {
    while (!ready.empty() && (!released.empty() || used < workers)) {
      const std::size_t id = ready.top();
      ready.pop();
      std::size_t worker = used;
      if (released.empty()) {
        ++used;
      } else {
        worker = released.top();
        released.pop();
      }
      const std::uint64_t end = checked_add(now, costs[id]);
      running.emplace(end, worker, id);
      timeline.entries.push_back({id, worker, now, end});
    }
    if (running.empty()) break;
    now = std::get<0>(running.top());
    while (!running.empty() && std::get<0>(running.top()) == now) {
      const auto [end, worker, id] = running.top();
      running.pop();
      released.push(worker);
      for (auto [edge, last] = boost::out_edges(static_cast<std::uint32_t>(id), graph); edge != last; ++edge) {
        const std::size_t next = boost::target(*edge, graph);
        if (--waits_for[next] == 0 && runs[next]) ready.push(next);
      }
    }
  }
  timeline.makespan = now;
  return timeline;
}

}  // namespace

Timeline simulate(const Schedule& schedule, std::span<const std::uint64_t> costs, const std::vector<bool>& runs,
                  std::size_t workers, Execution execution) {
  if (workers == 0) throw std::invalid_argument("simulate needs at least 1 worker");
  if (costs.size() != schedule.combines.size() || runs.size() != costs.size())
    throw std::invalid_argument("simulate needs one cost per combine");
  return execution == Execution::level ? run_levels(schedule, costs, runs, workers)
                                       : run_dag(schedule, costs, runs, workers);
}

std::uint64_t peak_live_bytes(const Schedule& schedule, std::span<const std::uint64_t> value_bytes,
                              const std::vector<bool>& runs) {
  if (schedule.levels == 0) return value_bytes[0];
  constexpr std::size_t kNever = ~std::size_t{0};
  std::vector<std::size_t> first(schedule.values(), 0);
  std::vector<std::size_t> last(schedule.values(), kNever);
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    if (!runs[id]) continue;
    const Combine& combine = schedule.combines[id];
    first[schedule.value_of(id)] = combine.level;
    last[schedule.value_of(id)] = combine.level;
    last[combine.earlier] = combine.level;
    last[combine.later] = combine.level;
  }
  for (const ValueId result : schedule.results) {
    if (result != kIdentity) last[result] = schedule.levels - 1;
  }
  std::vector<std::uint64_t> enters(schedule.levels + 1, 0);
  std::vector<std::uint64_t> leaves(schedule.levels + 1, 0);
  for (std::size_t value = 0; value < schedule.values(); ++value) {
    if (last[value] == kNever) continue;
    enters[first[value]] = checked_add(enters[first[value]], value_bytes[value]);
    leaves[last[value] + 1] = checked_add(leaves[last[value] + 1], value_bytes[value]);
  }
  std::uint64_t live = 0;
  std::uint64_t peak = 0;
  for (std::size_t level = 0; level < schedule.levels; ++level) {
    live = checked_add(live - leaves[level], enters[level]);
    peak = std::max(peak, live);
  }
  return peak;
}

}  // namespace upsweep

#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "upsweep/sim/task_engine.hpp"

namespace upsweep::testing {

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// A workload without delays and keys.
[[nodiscard]] inline Workload make_workload(std::vector<std::uint64_t> durations,
                                            std::vector<std::uint32_t> resource_of, std::vector<Resource> resources,
                                            const Edges& edges = {}) {
  Workload workload;
  workload.graph = TaskGraph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(),
                             static_cast<std::uint32_t>(durations.size()));
  workload.durations = std::move(durations);
  workload.resource_of = std::move(resource_of);
  workload.resources = std::move(resources);
  return workload;
}

/// Tasks that each task waits for.
[[nodiscard]] inline std::vector<std::vector<std::uint32_t>> tasks_before(const Workload& workload) {
  std::vector<std::vector<std::uint32_t>> before(workload.durations.size());
  for (auto [edge, last] = boost::edges(workload.graph); edge != last; ++edge) {
    before[boost::target(*edge, workload.graph)].push_back(
        static_cast<std::uint32_t>(boost::source(*edge, workload.graph)));
  }
  return before;
}

[[nodiscard]] inline std::uint64_t delay_of(const Workload& workload, std::size_t task) {
  return workload.delays.empty() ? 0 : workload.delays[task];
}

/// Smaller comes first: key, then task.
[[nodiscard]] inline std::pair<std::uint64_t, std::size_t> rank_of(const Workload& workload, std::size_t task) {
  return {workload.keys.empty() ? task : workload.keys[task], task};
}

}  // namespace upsweep::testing

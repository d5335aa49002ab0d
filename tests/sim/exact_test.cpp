#include "upsweep/sim/exact.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "support/random.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Workload workload(std::vector<std::uint64_t> durations, std::vector<std::uint32_t> resource_of, const Edges& edges,
                  std::vector<std::uint64_t> delays = {}) {
  Workload result;
  const auto tasks = static_cast<std::uint32_t>(durations.size());
  result.graph = TaskGraph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), tasks);
  for (const std::uint32_t resource : resource_of) {
    if (resource != kNoResource && resource >= result.resources.size()) result.resources.resize(resource + 1);
  }
  result.durations = std::move(durations);
  result.delays = std::move(delays);
  result.resource_of = std::move(resource_of);
  return result;
}

std::uint64_t delay(const Workload& work, std::size_t task) { return work.delays.empty() ? 0 : work.delays[task]; }

/// What is wrong with a schedule that claims a makespan; empty if nothing.
std::string fault(const Workload& work, const std::vector<std::uint64_t>& start, std::uint64_t makespan) {
  const std::size_t tasks = work.durations.size();
  if (start.size() != tasks) return std::to_string(start.size()) + " starts";
  const auto end = [&](std::size_t task) { return start[task] + work.durations[task]; };
  std::uint64_t last = 0;
  for (std::uint32_t a = 0; a < tasks; ++a) {
    for (auto [edge, stop] = boost::out_edges(a, work.graph); edge != stop; ++edge) {
      const auto b = boost::target(*edge, work.graph);
      if (start[b] < end(a) + delay(work, a)) return std::to_string(b) + " does not wait for " + std::to_string(a);
    }
    if (work.resource_of[a] == kNoResource) continue;
    last = std::max(last, end(a));
    for (std::uint32_t b = 0; b < a; ++b) {
      if (work.resource_of[a] == work.resource_of[b] && start[a] < end(b) && start[b] < end(a))
        return std::to_string(a) + " overlaps " + std::to_string(b);
    }
  }
  return last == makespan ? "" : "ends at " + std::to_string(last);
}

/// The optimum: every order of the tasks that agrees with the graph, each task as early as those before it let it.
class BruteForce {
 public:
  explicit BruteForce(const Workload& work)
      : work_(work), waits_for_(work.durations.size(), 0), ready_(work.durations.size(), 0) {
    free_.resize(work.resources.size(), 0);
    for (auto [edge, last] = boost::edges(work.graph); edge != last; ++edge)
      ++waits_for_[boost::target(*edge, work.graph)];
    placed_.resize(work.durations.size(), false);
    place_rest(0, 0);
  }
  [[nodiscard]] std::uint64_t optimum() const { return optimum_; }

 private:
  void place_rest(std::size_t count, std::uint64_t makespan) {
    if (count == placed_.size()) optimum_ = std::min(optimum_, makespan);
    for (std::uint32_t task = 0; task < placed_.size(); ++task) {
      if (placed_[task] || waits_for_[task] > 0) continue;
      const auto ready = ready_;
      const auto free = free_;
      std::uint64_t end = ready_[task] + work_.durations[task];
      std::uint64_t until = makespan;
      if (const std::uint32_t resource = work_.resource_of[task]; resource != kNoResource) {
        end = std::max(free_[resource], ready_[task]) + work_.durations[task];
        free_[resource] = end;
        until = std::max(makespan, end);
      }
      placed_[task] = true;
      for (auto [edge, last] = boost::out_edges(task, work_.graph); edge != last; ++edge) {
        const auto next = boost::target(*edge, work_.graph);
        --waits_for_[next];
        ready_[next] = std::max(ready_[next], end + delay(work_, task));
      }
      place_rest(count + 1, until);
      for (auto [edge, last] = boost::out_edges(task, work_.graph); edge != last; ++edge)
        ++waits_for_[boost::target(*edge, work_.graph)];
      placed_[task] = false;
      ready_ = ready;
      free_ = free;
    }
  }

  const Workload& work_;
  std::vector<std::size_t> waits_for_;
  std::vector<std::uint64_t> ready_;
  std::vector<std::uint64_t> free_;
  std::vector<bool> placed_;
  std::uint64_t optimum_ = ~std::uint64_t{0};
};

/// Jobs that visit every machine once: machine and duration of each step.
Workload job_shop(const std::vector<std::vector<std::pair<std::uint32_t, std::uint64_t>>>& jobs) {
  std::vector<std::uint64_t> durations;
  std::vector<std::uint32_t> machines;
  Edges edges;
  for (const auto& job : jobs) {
    for (const auto& [machine, duration] : job) {
      if (&machine != &job.front().first)
        edges.emplace_back(static_cast<std::uint32_t>(durations.size()) - 1, static_cast<std::uint32_t>(durations.size()));
      durations.push_back(duration);
      machines.push_back(machine);
    }
  }
  return workload(durations, machines, edges);
}

/// Fisher and Thompson (1963), 6 jobs on 6 machines: the optimum is 55.
Workload fisher_thompson_6() {
  return job_shop({{{2, 1}, {0, 3}, {1, 6}, {3, 7}, {5, 3}, {4, 6}},
                   {{1, 8}, {2, 5}, {4, 10}, {5, 10}, {0, 10}, {3, 4}},
                   {{2, 5}, {3, 4}, {5, 8}, {0, 9}, {1, 1}, {4, 7}},
                   {{1, 5}, {0, 5}, {2, 5}, {3, 3}, {4, 8}, {5, 9}},
                   {{2, 9}, {1, 3}, {4, 5}, {5, 4}, {0, 3}, {3, 1}},
                   {{1, 3}, {3, 3}, {5, 9}, {0, 10}, {4, 4}, {2, 1}}});
}

/// Layers in turn on the devices, M micro-batches, kinds F, O and W of one tick, no O of the first layer.
Workload pipeline(std::uint32_t layers, std::uint32_t devices, std::uint32_t micro_batches, bool modulo,
                  const std::vector<std::uint64_t>& costs = {}) {
  std::vector<std::uint64_t> durations;
  std::vector<std::uint32_t> device_of;
  Edges edges;
  for (std::uint32_t batch = 0; batch < micro_batches; ++batch) {
    const std::uint32_t base = batch * 3 * layers;  // F, O, W of layer 0, then of layer 1, ...
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      const std::uint32_t forward = base + 3 * layer;
      const std::uint32_t device = modulo ? layer % devices : layer / (layers / devices);
      for (std::uint32_t kind = 0; kind < 3; ++kind) {
        const bool is_left_out = layer == 0 && kind == 1;
        durations.push_back(is_left_out ? 0 : costs.empty() ? 1 : costs[3 * layer + kind]);
        device_of.push_back(is_left_out ? kNoResource : device);
      }
      if (layer + 1 < layers) edges.emplace_back(forward, forward + 3);
      for (const std::uint32_t gradient : {forward + 1, forward + 2})
        edges.emplace_back(layer + 1 < layers ? forward + 4 : forward, gradient);
    }
  }
  return workload(durations, device_of, edges);
}

class ExactRandom : public testing::SeededTest {
 protected:
  /// Tasks on 1 to 3 resources or none, of 0 to `longest` ticks, with delays in every other workload.
  Workload small(std::size_t tasks, std::uint64_t longest) {
    std::vector<std::uint64_t> durations;
    std::vector<std::uint64_t> delays;
    std::vector<std::uint32_t> resource_of;
    Edges edges;
    const std::uint64_t resources = between(1, 3);
    const double density = chance(0.5) ? 0.2 : 0.5;
    for (std::uint32_t task = 0; task < tasks; ++task) {
      durations.push_back(between(0, longest));
      delays.push_back(between(0, longest));
      resource_of.push_back(chance(0.15) ? kNoResource : static_cast<std::uint32_t>(between(0, resources - 1)));
      for (std::uint32_t before = 0; before < task; ++before) {
        if (chance(density)) edges.emplace_back(before, task);
      }
    }
    if (chance(0.5)) delays.clear();
    Workload result = workload(durations, resource_of, edges, delays);
    result.resources.resize(resources);
    return result;
  }
};

TEST_F(ExactRandom, FindsTheOptimumOfSmallWorkloads) {
  for (int repeat = 0; repeat < 400; ++repeat) {
    const Workload work = small(between(0, 7), repeat % 2 == 0 ? 2 : 9);
    const std::uint64_t optimum = BruteForce(work).optimum();
    const ExactSchedule exact = exact_schedule(work);
    ASSERT_EQ(exact.makespan, optimum);
    ASSERT_TRUE(exact.proven());
    ASSERT_EQ(exact.gap(), 0);
    ASSERT_EQ(fault(work, exact.start, exact.makespan), "");
  }
}

}  // namespace
}  // namespace upsweep

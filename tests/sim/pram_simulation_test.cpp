#include "upsweep/sim/pram_simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "support/random.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sim/task_graph.hpp"

namespace upsweep {
namespace {

class SimulateTest : public testing::SeededTest {
 protected:
  std::vector<std::uint64_t> random_costs(const Schedule& schedule) {
    std::vector<std::uint64_t> costs(schedule.combines.size());
    for (std::uint64_t& cost : costs) cost = between(0, 9);
    return costs;
  }
};

std::vector<bool> everything(const Schedule& schedule) { return std::vector<bool>(schedule.combines.size(), true); }

/// The executors as the contract words them, one time step at a time and without any data structure.
Timeline simulate_by_definition(const Schedule& schedule, const std::vector<std::uint64_t>& costs, std::size_t workers,
                                Execution execution) {
  const std::size_t count = costs.size();
  std::vector<std::uint64_t> end(count, ~std::uint64_t{0});  // of those that started
  std::vector<std::size_t> runs_on(workers, count);          // the op on each worker; `count` where it is free
  std::vector<bool> started(count, false);
  std::vector<bool> done(count, false);
  Timeline timeline;
  std::size_t left = count;
  for (std::uint64_t now = 0; left > 0; ++now) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t id = 0; id < count; ++id) {
        if (started[id] && !done[id] && end[id] == now) {
          done[id] = changed = true;
          std::replace(runs_on.begin(), runs_on.end(), id, count);
          --left;
        }
      }
      std::uint32_t open_level = ~std::uint32_t{0};
      for (std::size_t id = count; id-- > 0;) {
        if (!done[id]) open_level = schedule.combines[id].level;
      }
      for (std::size_t id = 0; id < count; ++id) {
        const Combine& combine = schedule.combines[id];
        const auto is_done = [&](ValueId value) { return value < schedule.length || done[value - schedule.length]; };
        const bool ready = execution == Execution::level ? combine.level == open_level
                                                         : is_done(combine.earlier) && is_done(combine.later);
        const auto worker = std::find(runs_on.begin(), runs_on.end(), count);
        if (started[id] || !ready || worker == runs_on.end()) continue;
        started[id] = changed = true;
        end[id] = now + costs[id];
        // Within a level an op that costs nothing leaves its worker free at once; under `dag` it has to be retired
        // first.
        if (costs[id] > 0 || execution == Execution::dag) *worker = id;
        timeline.entries.push_back({id, static_cast<std::size_t>(worker - runs_on.begin()), now, end[id]});
        timeline.makespan = std::max(timeline.makespan, end[id]);
      }
    }
  }
  return timeline;
}

TEST_F(SimulateTest, AgreesWithTheDefinitionOnRandomSchedulesAndCosts) {
  for (int round = 0; round < 120; ++round) {
    const std::size_t length = between(2, 40);
    const Schedule schedule = hybrid_schedule(length, static_cast<std::uint32_t>(between(0, 6)));
    const std::vector<std::uint64_t> costs = random_costs(schedule);
    const std::size_t workers = between(1, 12);
    for (const Execution execution : {Execution::level, Execution::dag}) {
      const Timeline want = simulate_by_definition(schedule, costs, workers, execution);
      const Timeline got = simulate(schedule, costs, everything(schedule), workers, execution);
      EXPECT_EQ(got.makespan, want.makespan);
      ASSERT_EQ(got.entries.size(), want.entries.size());
      std::map<std::size_t, std::tuple<std::size_t, std::uint64_t, std::uint64_t>> by_id;
      for (const TimelineEntry& entry : want.entries) by_id[entry.id] = {entry.worker, entry.start, entry.end};
      for (const TimelineEntry& entry : got.entries) {
        EXPECT_EQ((std::tuple{entry.worker, entry.start, entry.end}), by_id[entry.id])
            << "op " << entry.id << ", " << workers << " workers";
      }
    }
  }
}

TEST_F(SimulateTest, NeverOverlapsOnAWorkerAndKeepsDependencies) {
  for (int round = 0; round < 40; ++round) {
    const Schedule schedule = hybrid_schedule(between(2, 200), static_cast<std::uint32_t>(between(0, 8)));
    const std::vector<std::uint64_t> costs = random_costs(schedule);
    const std::size_t workers = between(1, 9);
    for (const Execution execution : {Execution::level, Execution::dag}) {
      const Timeline timeline = simulate(schedule, costs, everything(schedule), workers, execution);
      std::vector<std::uint64_t> free_at(workers, 0);
      std::vector<std::uint64_t> end(schedule.values(), 0);
      ASSERT_EQ(timeline.entries.size(), costs.size());
      for (const TimelineEntry& entry : timeline.entries) {
        EXPECT_GE(entry.start, free_at[entry.worker]);
        free_at[entry.worker] = entry.end;
        end[schedule.value_of(entry.id)] = entry.end;
      }
      for (const TimelineEntry& entry : timeline.entries) {
        EXPECT_GE(entry.start, end[schedule.combines[entry.id].earlier]);
        EXPECT_GE(entry.start, end[schedule.combines[entry.id].later]);
      }
    }
  }
}

TEST_F(SimulateTest, WithOneWorkerTakesTheSumAndWithManyTheLongestPath) {
  const Schedule schedule = blelloch_schedule(100);
  const std::vector<std::uint64_t> costs = random_costs(schedule);
  std::uint64_t sum = 0;
  for (const std::uint64_t cost : costs) sum += cost;
  EXPECT_EQ(simulate(schedule, costs, everything(schedule), 1, Execution::dag).makespan, sum);
  EXPECT_EQ(simulate(schedule, costs, everything(schedule), 1, Execution::level).makespan, sum);
  EXPECT_EQ(simulate(schedule, costs, everything(schedule), std::size_t{1} << 40, Execution::dag).makespan,
            longest_path(task_graph(schedule), costs));
}

TEST(Simulate, RefusesNoWorkersAndWrongLengths) {
  const Schedule schedule = linear_schedule(4);
  const std::vector<std::uint64_t> costs = {1, 1};
  EXPECT_THROW(static_cast<void>(simulate(schedule, costs, everything(schedule), 0, Execution::dag)),
               std::invalid_argument);
  EXPECT_THROW(
      static_cast<void>(simulate(schedule, std::vector<std::uint64_t>{1}, everything(schedule), 1, Execution::dag)),
      std::invalid_argument);
}

TEST(LongestPath, FollowsDependenciesNotLevels) {
  // Two chains 0 -> 2 and 1 -> 3: the level rule would add 5 and 7.
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> edges = {{0, 2}, {1, 3}};
  const TaskGraph graph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), 4);
  EXPECT_EQ(longest_path(graph, std::vector<std::uint64_t>{5, 1, 2, 7}), 8U);
  EXPECT_EQ(longest_path(TaskGraph(), std::vector<std::uint64_t>{}), 0U);
}

TEST(LongestPath, RefusesACircle) {
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> edges = {{0, 1}, {1, 0}};
  const TaskGraph graph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), 2);
  EXPECT_THROW(static_cast<void>(longest_path(graph, std::vector<std::uint64_t>{1, 1})), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep

#include "upsweep/sim/task_engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "support/random.hpp"
#include "support/refusal.hpp"
#include "support/tick_by_tick.hpp"

namespace upsweep {
namespace {

using testing::delay_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::make_workload;
using testing::rank_of;
using testing::tasks_before;
using testing::TickByTick;

constexpr std::array kDisciplines = {Discipline::fixed_order, Discipline::priority, Discipline::fifo,
                                     Discipline::preemptive};

class EngineTest : public testing::SeededTest {
 protected:
  std::uint32_t id_below(std::size_t count) { return static_cast<std::uint32_t>(between(0, count - 1)); }

  Resource random_resource() {
    Resource resource;
    resource.discipline = kDisciplines[between(0, 3)];
    resource.servers = resource.discipline == Discipline::preemptive ? 1 : between(1, 3);
    resource.is_transport = chance(0.4);
    resource.frees_instantly = chance(0.5);
    return resource;
  }

  /// Ids are in no order of the graph; with `is_safe` keys are, so that no order is against it.
  Workload random_workload(std::size_t tasks, bool is_safe) {
    std::vector<std::uint32_t> place(tasks);
    std::iota(place.begin(), place.end(), 0U);
    for (std::size_t i = tasks; i-- > 1;) std::swap(place[i], place[between(0, i)]);
    std::vector<Resource> resources(between(1, 4));
    for (Resource& resource : resources) resource = random_resource();
    std::vector<std::uint64_t> durations(tasks);
    std::vector<std::uint32_t> resource_of(tasks);
    testing::Edges edges;
    const double density = static_cast<double>(between(0, 30)) / 100;
    for (std::uint32_t a = 0; a < tasks; ++a) {
      durations[a] = chance(0.3) ? 0 : between(1, 5);
      resource_of[a] = chance(0.15) ? kNoResource : id_below(resources.size());
      for (std::uint32_t b = 0; b < tasks; ++b) {
        if (place[a] < place[b] && chance(density)) edges.emplace_back(a, b);
      }
    }
    Workload workload = make_workload(durations, resource_of, resources, edges);
    if (chance(0.7)) {
      for (std::size_t id = 0; id < tasks; ++id) workload.delays.push_back(chance(0.5) ? 0 : between(1, 4));
    }
    if (is_safe) workload.keys.assign(place.begin(), place.end());
    if (!is_safe && chance(0.8)) {
      for (std::size_t id = 0; id < tasks; ++id) workload.keys.push_back(between(0, 6));
    }
    return workload;
  }
};

std::vector<TickByTick::Part> parts_of(const Simulation& simulation) {
  std::vector<TickByTick::Part> parts;
  for (const Segment& segment : simulation.segments)
    parts.push_back({segment.task, segment.server, segment.start, segment.end});
  std::ranges::sort(parts);
  return parts;
}

std::string refusal(const Workload& workload) {
  return testing::refusal_of<std::invalid_argument>([&] { return simulate_tasks(workload); });
}

/// When those that a task waits for have ended and arrived.
std::uint64_t ready_at(const Workload& workload, const Simulation& simulation,
                       const std::vector<std::uint32_t>& before) {
  std::uint64_t ready = 0;
  for (const std::uint32_t other : before) ready = std::max(ready, simulation.end[other] + delay_of(workload, other));
  return ready;
}

/// How many servers of a resource have work at some time in [tick, tick + 1).
std::size_t busy_servers(const Workload& workload, const Simulation& simulation, std::uint32_t resource,
                         std::uint64_t tick) {
  return static_cast<std::size_t>(std::ranges::count_if(simulation.segments, [&](const Segment& segment) {
    return workload.resource_of[segment.task] == resource && segment.start <= tick && tick < segment.end;
  }));
}

TEST_F(EngineTest, AgreesWithASimulatorThatGoesTickByTick) {
  int deadlocks = 0;
  for (int round = 0; round < 2000; ++round) {
    const Workload workload = random_workload(between(1, 22), chance(0.6));
    TickByTick want(workload);
    if (!want.run()) {
      ++deadlocks;
      EXPECT_THAT(refusal(workload), HasSubstr("tasks wait for each other, among them task ")) << "round " << round;
      continue;
    }
    const Simulation got = simulate_tasks(workload);
    std::uint64_t makespan = 0;
    for (std::size_t id = 0; id < workload.durations.size(); ++id) {
      EXPECT_EQ(got.start[id], want.start(id)) << "task " << id << ", round " << round;
      EXPECT_EQ(got.end[id], want.end(id)) << "task " << id << ", round " << round;
      if (workload.resource_of[id] != kNoResource) makespan = std::max(makespan, want.end(id));
    }
    EXPECT_EQ(got.makespan, makespan);
    ASSERT_EQ(parts_of(got), want.parts()) << "round " << round;
    EXPECT_TRUE(std::ranges::is_sorted(got.segments, {}, &Segment::start)) << "round " << round;
  }
  EXPECT_GT(deadlocks, 0) << "no workload was refused";
  EXPECT_LT(deadlocks, 1500) << "hardly any workload was simulated";
}

TEST_F(EngineTest, NeverOverlapsOnAServerAndKeepsDependenciesWithDelays) {
  for (int round = 0; round < 200; ++round) {
    const Workload workload = random_workload(between(50, 120), true);
    const Simulation simulation = simulate_tasks(workload);
    const auto before = tasks_before(workload);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> free_at;  // by resource and server
    std::vector<std::uint64_t> worked(workload.durations.size());
    for (const Segment& segment : simulation.segments) {
      const std::uint32_t resource = workload.resource_of[segment.task];
      EXPECT_LT(segment.server, workload.resources[resource].servers);
      std::uint64_t& free = free_at[{resource, segment.server}];
      EXPECT_GE(segment.start, free) << "task " << segment.task;
      free = segment.end;
      worked[segment.task] += segment.end - segment.start;
      EXPECT_GE(segment.start, ready_at(workload, simulation, before[segment.task])) << "task " << segment.task;
    }
    for (std::size_t id = 0; id < worked.size(); ++id) {
      const std::uint64_t want = workload.resource_of[id] == kNoResource ? 0 : workload.durations[id];
      EXPECT_EQ(worked[id], want) << "task " << id;
    }
  }
}

TEST_F(EngineTest, LeavesNoServerIdleBesideAReadyTaskExceptUnderAFixedOrder) {
  for (int round = 0; round < 150; ++round) {
    const Workload workload = random_workload(60, true);
    const Simulation simulation = simulate_tasks(workload);
    const auto before = tasks_before(workload);
    for (std::size_t id = 0; id < workload.durations.size(); ++id) {
      const std::uint32_t resource = workload.resource_of[id];
      if (resource == kNoResource || workload.resources[resource].discipline == Discipline::fixed_order) continue;
      for (std::uint64_t tick = ready_at(workload, simulation, before[id]); tick < simulation.start[id]; ++tick) {
        ASSERT_EQ(busy_servers(workload, simulation, resource, tick), workload.resources[resource].servers)
            << "at " << tick << ", task " << id;
      }
    }
  }
}

TEST_F(EngineTest, PreemptionTakesNeitherWorkNorTimeFromAResource) {
  for (int round = 0; round < 100; ++round) {
    Workload workload = random_workload(40, true);
    workload.resources.resize(1);
    workload.resources[0] = {Discipline::preemptive, 1, false, false};
    for (std::uint32_t& resource : workload.resource_of) resource = 0;
    workload.delays.clear();
    const std::uint64_t total = std::accumulate(workload.durations.begin(), workload.durations.end(), std::uint64_t{0});
    EXPECT_EQ(simulate_tasks(workload).makespan, total) << "one server without delays is never idle";
  }
}

TEST(Engine, PreemptionKeepsTheProgressOfWhatItInterrupts) {
  // Task 0 (10 ticks) is interrupted by task 2 when task 1 ends at 4, and has 6 left at 7.
  Workload workload = make_workload({10, 4, 3}, {0, 1, 0}, {{Discipline::preemptive}, {}}, {{1, 2}});
  workload.keys = {5, 0, 1};
  const Simulation simulation = simulate_tasks(workload);
  EXPECT_THAT(parts_of(simulation), ElementsAre(TickByTick::Part{0, 0, 0, 4}, TickByTick::Part{0, 0, 7, 13},
                                                TickByTick::Part{1, 0, 0, 4}, TickByTick::Part{2, 0, 4, 7}));
  EXPECT_THAT(simulation.start, ElementsAre(0, 0, 4));
  EXPECT_THAT(simulation.end, ElementsAre(13, 4, 7));
}

TEST(Engine, ATaskThatIsInterruptedAsItResumesStartedWithItsFirstPart) {
  // Task 0 gives way to task 2 at 2, resumes at 5, and at the same instant to task 4, which waits for task 3 of no
  // duration on another resource.
  Workload workload =
      make_workload({6, 2, 3, 0, 1}, {0, 1, 0, 1, 0}, {{Discipline::preemptive}, {}}, {{1, 2}, {2, 3}, {3, 4}});
  workload.keys = {9, 0, 1, 2, 3};
  const Simulation simulation = simulate_tasks(workload);
  EXPECT_THAT(simulation.start, ElementsAre(0, 0, 2, 5, 5));
  EXPECT_THAT(simulation.end, ElementsAre(10, 2, 5, 5, 6));
}

TEST(Engine, EqualKeysInterruptOnlyByTaskId) {
  for (const bool is_smaller : {true, false}) {
    Workload workload =
        make_workload({4, 5, 4}, {1, 0, 0}, {{Discipline::preemptive}, {}}, {{0, is_smaller ? 1U : 2U}});
    workload.keys = {7, 7, 7};
    const Simulation simulation = simulate_tasks(workload);
    EXPECT_THAT(simulation.start, is_smaller ? ElementsAre(0, 4, 0) : ElementsAre(0, 0, 5)) << is_smaller;
  }
}

TEST(Engine, AFixedOrderWaitsForItsHead) {
  // Task 1 comes first in the order, and waits for task 2 on another resource; task 0 is ready all the time.
  Workload workload = make_workload({1, 1, 5}, {0, 0, 1}, {{Discipline::fixed_order}, {}}, {{2, 1}});
  workload.keys = {2, 1, 0};
  EXPECT_THAT(simulate_tasks(workload).start, ElementsAre(6, 5, 0));
  workload.resources[0].discipline = Discipline::priority;
  EXPECT_THAT(simulate_tasks(workload).start, ElementsAre(0, 5, 0)) << "the same keys without waiting";
}

TEST(Engine, FifoGoesByReadinessAndPriorityByKey) {
  // Tasks 1, 2, 3 are ready at 2, 1, 1 while task 0 holds the server until 4.
  Workload workload = make_workload({4, 1, 1, 1, 2, 1}, {0, 0, 0, 0, kNoResource, kNoResource}, {{Discipline::fifo}},
                                    {{4, 1}, {5, 2}, {5, 3}});
  workload.keys = {0, 1, 9, 8, 0, 0};
  EXPECT_THAT(simulate_tasks(workload).start, ElementsAre(0, 6, 5, 4, 0, 0));
  workload.resources[0].discipline = Discipline::priority;
  EXPECT_THAT(simulate_tasks(workload).start, ElementsAre(0, 4, 6, 5, 0, 0));
}

TEST(Engine, DelaysReachThoseThatWaitAndNotTheServer) {
  Workload workload = make_workload({2, 2, 1}, {0, 0, kNoResource}, {{Discipline::fifo}}, {{0, 2}});
  workload.delays = {5, 0, 0};
  const Simulation simulation = simulate_tasks(workload);
  EXPECT_THAT(simulation.start, ElementsAre(0, 2, 7));
  EXPECT_EQ(simulation.makespan, 4U) << "of tasks with a resource";
}

TEST(Engine, ATransportServesBeforeOthersChoose) {
  // Task 0 ends at 3; task 1, the message of it, takes no time; device 1 is free at 3 and prefers task 3, which waits
  // for the message, to task 4.
  for (const bool is_transport : {true, false}) {
    Resource link{Discipline::fifo, 1, is_transport, true};
    Workload workload = make_workload({3, 0, 3, 1, 1}, {0, 2, 1, 1, 1}, {{}, {}, link}, {{0, 1}, {1, 3}});
    workload.keys = {0, 0, 0, 1, 2};
    EXPECT_THAT(simulate_tasks(workload).start, is_transport ? ElementsAre(0, 3, 0, 3, 4) : ElementsAre(0, 3, 0, 4, 3))
        << is_transport;
  }
}

TEST(Engine, TasksThatWaitForEachOtherAreRefusedByName) {
  EXPECT_EQ(refusal(make_workload({1, 1, 1}, {0, 0, 0}, {{}}, {{1, 2}, {2, 1}})),
            "simulate_tasks: 2 tasks wait for each other, among them task 1");
  Workload against = make_workload({1, 1}, {0, 0}, {{Discipline::fixed_order}}, {{0, 1}});
  against.keys = {1, 0};
  EXPECT_EQ(refusal(against), "simulate_tasks: 2 tasks wait for each other, among them task 0");
}

TEST(Engine, WrongLengthsAndIndicesAreRefused) {
  const Workload good = make_workload({1, 2}, {0, 0}, {{}});
  EXPECT_EQ(refusal(good), "accepted");
  Workload bad = good;
  bad.durations.push_back(1);
  EXPECT_THAT(refusal(bad), HasSubstr("one duration and one resource per task"));
  bad = good;
  bad.resource_of.pop_back();
  EXPECT_THAT(refusal(bad), HasSubstr("one duration and one resource per task"));
  bad = good;
  bad.delays = {1};
  EXPECT_THAT(refusal(bad), HasSubstr("one delay per task, or none"));
  bad = good;
  bad.keys = {1, 2, 3};
  EXPECT_THAT(refusal(bad), HasSubstr("one key per task, or none"));
  bad = good;
  bad.resource_of[1] = 1;
  EXPECT_THAT(refusal(bad), HasSubstr("a resource that does not exist"));
  bad = good;
  bad.resources[0].servers = 0;
  EXPECT_THAT(refusal(bad), HasSubstr("a resource without servers"));
  bad = good;
  bad.resources[0] = {Discipline::preemptive, 2, false, false};
  EXPECT_THAT(refusal(bad), HasSubstr("a preemptive resource with several servers"));
}

TEST(Engine, TimesBeyond64BitsOverflowLoudly) {
  EXPECT_ANY_THROW(static_cast<void>(simulate_tasks(make_workload({~0ULL, 2}, {0, 0}, {{}}))));
}

TEST(Engine, NothingToDoTakesNoTime) {
  const Simulation simulation = simulate_tasks(make_workload({}, {}, {}));
  EXPECT_EQ(simulation.makespan, 0U);
  EXPECT_TRUE(simulation.segments.empty());
}

}  // namespace
}  // namespace upsweep

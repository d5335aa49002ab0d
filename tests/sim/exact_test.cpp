#include "upsweep/sim/exact.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
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
        edges.emplace_back(static_cast<std::uint32_t>(durations.size()) - 1,
                           static_cast<std::uint32_t>(durations.size()));
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

/// The same authors, 10 jobs on 10 machines: the optimum is 930.
Workload fisher_thompson_10() {
  return job_shop({{{0, 29}, {1, 78}, {2, 9}, {3, 36}, {4, 49}, {5, 11}, {6, 62}, {7, 56}, {8, 44}, {9, 21}},
                   {{0, 43}, {2, 90}, {4, 75}, {9, 11}, {3, 69}, {1, 28}, {6, 46}, {5, 46}, {7, 72}, {8, 30}},
                   {{1, 91}, {0, 85}, {3, 39}, {2, 74}, {8, 90}, {5, 10}, {7, 12}, {6, 89}, {9, 45}, {4, 33}},
                   {{1, 81}, {2, 95}, {0, 71}, {4, 99}, {6, 9}, {8, 52}, {7, 85}, {3, 98}, {9, 22}, {5, 43}},
                   {{2, 14}, {0, 6}, {1, 22}, {5, 61}, {3, 26}, {4, 69}, {8, 21}, {7, 49}, {9, 72}, {6, 53}},
                   {{2, 84}, {1, 2}, {5, 52}, {3, 95}, {8, 48}, {9, 72}, {0, 47}, {6, 65}, {4, 6}, {7, 25}},
                   {{1, 46}, {0, 37}, {3, 61}, {2, 13}, {6, 32}, {5, 21}, {9, 32}, {8, 89}, {7, 30}, {4, 55}},
                   {{2, 31}, {0, 86}, {1, 46}, {5, 74}, {4, 32}, {6, 88}, {8, 19}, {9, 48}, {7, 36}, {3, 79}},
                   {{0, 76}, {1, 69}, {3, 76}, {5, 51}, {2, 85}, {9, 11}, {6, 40}, {7, 89}, {4, 26}, {8, 74}},
                   {{1, 85}, {0, 13}, {2, 61}, {6, 7}, {8, 64}, {9, 76}, {5, 47}, {3, 52}, {4, 90}, {7, 45}}});
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
  /// Tasks on 1 to 4 resources or none, of 0 to `longest` ticks, with delays in every other workload.
  Workload anything(std::size_t tasks, std::uint64_t longest) {
    Parts parts;
    resources_ = between(1, 4);
    const double density = chance(0.5) ? 0.15 : 0.5;
    const double without_resource = chance(0.5) ? 0.1 : 0.4;
    for (std::uint32_t task = 0; task < tasks; ++task) {
      add_task(parts, longest, without_resource);
      for (std::uint32_t before = 0; before < task; ++before) {
        if (chance(density)) parts.edges.emplace_back(before, task);
      }
    }
    return joined(parts);
  }

  /// Chains of as many tasks each, all alike but for one task at times if `copies`; in every other workload a first or
  /// last task joins them.
  Workload chains(std::uint32_t count, std::uint32_t length, std::uint64_t longest, bool copies) {
    Parts parts;
    resources_ = between(2, 3);
    for (std::uint32_t task = 0; task < count * length; ++task) {
      if (copies && task >= length) {
        parts.durations.push_back(parts.durations[task - length]);
        parts.delays.push_back(parts.delays[task - length]);
        parts.resource_of.push_back(parts.resource_of[task - length]);
      } else {
        add_task(parts, longest, 0.1);
      }
      if (task % length > 0) parts.edges.emplace_back(task - 1, task);
    }
    if (copies && chance(0.3)) parts.durations[between(0, count * length - 1)] = between(0, longest);
    const bool is_last = chance(0.5);
    if (chance(0.5)) {
      add_task(parts, longest, 0.1);
      for (std::uint32_t chain = 0; chain < count; ++chain) {
        if (is_last) parts.edges.emplace_back((chain + 1) * length - 1, count * length);
        if (!is_last) parts.edges.emplace_back(count * length, chain * length);
      }
    }
    return joined(parts);
  }

  void expect_the_optimum(const Workload& work) {
    const std::uint64_t optimum = BruteForce(work).optimum();
    ExactOptions options;
    if (chance(0.3)) options.incumbent = optimum + between(0, 1);
    const ExactSchedule exact = exact_schedule(work, options);
    ASSERT_EQ(exact.makespan, optimum);
    ASSERT_TRUE(exact.proven());
    ASSERT_EQ(exact.gap(), 0);
    if (options.incumbent != optimum) {
      ASSERT_EQ(fault(work, exact.start, exact.makespan), "");
    } else {
      ASSERT_TRUE(exact.start.empty());
    }
  }

 private:
  struct Parts {
    std::vector<std::uint64_t> durations;
    std::vector<std::uint64_t> delays;
    std::vector<std::uint32_t> resource_of;
    Edges edges;
  };

  void add_task(Parts& parts, std::uint64_t longest, double without_resource) {
    parts.durations.push_back(between(0, longest));
    parts.delays.push_back(between(0, longest));
    parts.resource_of.push_back(chance(without_resource) ? kNoResource
                                                         : static_cast<std::uint32_t>(between(0, resources_ - 1)));
  }

  Workload joined(const Parts& parts) {
    Workload result = workload(parts.durations, parts.resource_of, parts.edges);
    if (chance(0.5)) result.delays = parts.delays;
    return result;
  }

  std::uint64_t resources_ = 0;
};

TEST_F(ExactRandom, FindsTheOptimumOfSmallWorkloads) {
  for (int repeat = 0; repeat < 500; ++repeat) expect_the_optimum(anything(between(0, 7), repeat % 2 == 0 ? 2 : 9));
}

TEST_F(ExactRandom, FindsTheOptimumOfChains) {
  for (int repeat = 0; repeat < 60; ++repeat) expect_the_optimum(chains(3, 3, repeat % 2 == 0 ? 3 : 20, false));
  for (int repeat = 0; repeat < 10; ++repeat) expect_the_optimum(chains(3, 4, repeat % 2 == 0 ? 3 : 20, false));
}

TEST_F(ExactRandom, FindsTheOptimumOfCopies) {
  for (int repeat = 0; repeat < 60; ++repeat) expect_the_optimum(chains(3, 3, repeat % 2 == 0 ? 3 : 20, true));
  for (int repeat = 0; repeat < 60; ++repeat) expect_the_optimum(chains(2, 4, repeat % 2 == 0 ? 3 : 20, true));
}

TEST_F(ExactRandom, BoundsTheOptimumWhereItStopsEarly) {
  int open = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const Workload work = chains(5, 5, 30, false);
    const ExactSchedule exact = exact_schedule(work);
    ASSERT_TRUE(exact.proven());
    ExactOptions options;
    options.max_nodes = between(0, 60);
    if (chance(0.3)) options.max_states = between(0, 3);
    const ExactSchedule early = exact_schedule(work, options);
    ASSERT_LE(early.lower_bound, exact.makespan);
    ASSERT_GE(early.makespan, exact.makespan);
    ASSERT_EQ(fault(work, early.start, early.makespan), "");
    if (early.proven()) continue;
    ++open;
    ASSERT_GT(early.gap(), 0);
    ASSERT_LE(early.nodes, options.max_nodes);
  }
  EXPECT_GT(open, 0);
}

TEST(Exact, SchedulesNothing) {
  const ExactSchedule none = exact_schedule(workload({}, {}, {}));
  EXPECT_TRUE(none.proven());
  EXPECT_EQ(none.makespan, 0U);
  const ExactSchedule free = exact_schedule(workload({3, 4}, {kNoResource, kNoResource}, {{0, 1}}, {2, 0}));
  EXPECT_EQ(free.makespan, 0U) << "the last end of a task with a resource";
  EXPECT_EQ(free.start, (std::vector<std::uint64_t>{0, 5}));
}

// The long task 0 is there at once, the short one 2 only after 1 tick, and 10 ticks follow it.
TEST(Exact, IdlesWhereGreedyWouldNot) {
  const Workload work = workload({5, 1, 1, 10}, {0, 1, 0, 1}, {{1, 2}, {2, 3}});
  EXPECT_EQ(simulate_tasks(work).makespan, 16U);
  const ExactSchedule exact = exact_schedule(work);
  EXPECT_EQ(exact.makespan, 12U);
  EXPECT_TRUE(exact.proven());
  EXPECT_EQ(exact.start, (std::vector<std::uint64_t>{2, 0, 1, 2}));
}

TEST(Exact, WaitsForDelaysAndHoldsLinksForTransfersOnly) {
  // Two producers on device 0, their transfers on link 1 with 4 ticks of latency, two consumers on device 2.
  const Workload work =
      workload({2, 3, 2, 2, 1, 6}, {0, 0, 1, 1, 2, 2}, {{0, 2}, {1, 3}, {2, 4}, {3, 5}}, {0, 0, 4, 4, 9, 9});
  const ExactSchedule exact = exact_schedule(work);
  EXPECT_EQ(exact.makespan, 3U + 2 + 4 + 6 + 1) << "the longer consumer first; no delay after the last";
  EXPECT_EQ(fault(work, exact.start, exact.makespan), "");
}

// Task 2 waits for task 0 by way of the long task 3 without a resource, and by way of task 1; task 4 goes before them.
TEST(Exact, WaitsForTasksWithoutAResource) {
  const Edges edges{{0, 1}, {1, 2}, {0, 3}, {3, 2}, {4, 5}};
  const Workload work = workload({5, 2, 1, 4, 6, 9}, {0, 1, 2, kNoResource, 0, 3}, edges);
  const ExactSchedule exact = exact_schedule(work);
  EXPECT_EQ(exact.makespan, 16U);
  EXPECT_EQ(exact.start, (std::vector<std::uint64_t>{6, 11, 15, 11, 0, 6}));
}

TEST(Exact, KeepsTasksOfNoDurationOutOfOthers) {
  // Task 1 has no duration but needs the resource that task 0 holds from 0 to 10, and 8 ticks follow it elsewhere; it
  // is there at 3.
  const Workload work = workload({10, 0, 8, 3}, {0, 0, 1, kNoResource}, {{3, 1}, {1, 2}});
  const ExactSchedule exact = exact_schedule(work);
  EXPECT_EQ(exact.makespan, 13U);
  EXPECT_EQ(exact.start[1], 3U);
  EXPECT_EQ(exact.start[0], 3U);
}

TEST(Exact, SolvesAJobShopOfTheLiterature) {
  const Workload work = fisher_thompson_6();
  const ExactSchedule exact = exact_schedule(work);
  EXPECT_EQ(exact.makespan, 55U);
  EXPECT_TRUE(exact.proven());
  EXPECT_EQ(fault(work, exact.start, 55), "");
}

// Unit costs: the device of the last layer starts after D - 1 ticks and has 3 M L / D to do.
TEST(Exact, SolvesPipelines) {
  for (const auto& [layers, devices, micro_batches] : {std::tuple{8U, 2U, 2U}, {8U, 4U, 4U}, {16U, 2U, 2U}}) {
    const Workload work = pipeline(layers, devices, micro_batches, true);
    const ExactSchedule exact = exact_schedule(work);
    EXPECT_EQ(exact.makespan, devices - 1 + 3 * micro_batches * layers / devices);
    EXPECT_TRUE(exact.proven());
    EXPECT_EQ(fault(work, exact.start, exact.makespan), "");
  }
  const ExactSchedule contiguous = exact_schedule(pipeline(8, 2, 2, false));
  EXPECT_EQ(contiguous.makespan, 28U) << "gradient fast-forwarding takes 30";
  EXPECT_TRUE(contiguous.proven());
}

TEST_F(ExactRandom, SolvesPipelinesOfAnyCosts) {
  std::vector<std::uint64_t> costs(24);
  for (std::uint64_t& cost : costs) cost = between(1, 1000);
  for (const bool modulo : {false, true}) {
    const Workload work = pipeline(8, 2, 2, modulo, costs);
    const ExactSchedule exact = exact_schedule(work);
    EXPECT_LT(exact.gap(), 0.05);
    EXPECT_EQ(fault(work, exact.start, exact.makespan), "");
  }
}

TEST(Exact, AsksWhetherToStop) {
  const Workload work = fisher_thompson_10();
  ExactOptions options;
  int asked = 0;
  options.stop = [&] { return ++asked == 2; };
  const ExactSchedule exact = exact_schedule(work, options);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(exact.nodes, 2048U);
  EXPECT_FALSE(exact.proven());
  EXPECT_LT(exact.lower_bound, 930U);
  EXPECT_GT(exact.makespan, 930U);
  EXPECT_LT(exact.gap(), 0.2);
  EXPECT_EQ(fault(work, exact.start, exact.makespan), "");
}

TEST(Exact, EndsWithABoundWhereItMayKeepFewStates) {
  ExactOptions options;
  options.max_states = 16;
  const ExactSchedule exact = exact_schedule(fisher_thompson_10(), options);
  EXPECT_FALSE(exact.proven());
  EXPECT_LT(exact.lower_bound, 930U);
  EXPECT_GT(exact.makespan, 930U);
}

TEST(Exact, LeavesTheStartsOutWhereTheIncumbentStays) {
  ExactOptions options;
  options.max_nodes = 2000;
  options.incumbent = 931;
  const ExactSchedule exact = exact_schedule(fisher_thompson_10(), options);
  EXPECT_EQ(exact.makespan, 931U);
  EXPECT_LE(exact.lower_bound, 930U);
  EXPECT_TRUE(exact.start.empty());
}

TEST(Exact, KnowsNoDisciplineOrKeys) {
  Workload work = workload({5, 1, 1, 10}, {0, 1, 0, 1}, {{1, 2}, {2, 3}});
  work.keys = {0, 3, 1, 2};  // against the graph, were it a fixed order
  work.resources[0].discipline = Discipline::preemptive;
  work.resources[1].discipline = Discipline::fixed_order;
  EXPECT_EQ(exact_schedule(work).makespan, 12U);
}

TEST(Exact, RefusesWhatItCannotSchedule) {
  const auto message = [](const Workload& work, const ExactOptions& options = {}) -> std::string {
    try {
      (void)exact_schedule(work, options);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(workload({1, 1, 1}, {0, 0, 0}, {{1, 2}, {2, 1}})),
            "simulate_tasks: 2 tasks wait for each other, among them task 1");
  Workload pool = workload({1, 1}, {0, 0}, {});
  pool.resources[0].servers = 2;
  EXPECT_EQ(message(pool), "exact_schedule: a resource with several servers, or none");
  ExactOptions options;
  options.incumbent = 1;
  EXPECT_EQ(message(workload({1, 1}, {0, 0}, {}), options),
            "exact_schedule: an incumbent shorter than any schedule can be");
  const std::uint64_t half = std::uint64_t{1} << 63U;
  EXPECT_THROW((void)exact_schedule(workload({half, half}, {0, 1}, {})), CountOverflow);
}

TEST(Exact, ReachesTheEndOfTheRange) {
  const std::uint64_t half = (std::uint64_t{1} << 63U) - 1;
  const ExactSchedule exact = exact_schedule(workload({half, half, 1}, {0, 0, 0}, {{0, 2}, {1, 2}}));
  EXPECT_EQ(exact.makespan, 2 * half + 1);
  EXPECT_TRUE(exact.proven());
}

TEST(Exact, TheCheckOfSchedulesCanFail) {
  const Workload work = workload({2, 2, 2}, {0, 0, 1}, {{0, 2}}, {1, 0, 0});
  EXPECT_EQ(fault(work, {0, 2, 3}, 5), "");
  EXPECT_EQ(fault(work, {0, 1, 3}, 5), "1 overlaps 0");
  EXPECT_EQ(fault(work, {0, 2, 2}, 4), "2 does not wait for 0");
  EXPECT_EQ(fault(work, {0, 2, 3}, 4), "ends at 5");
  EXPECT_EQ(fault(work, {0, 2}, 4), "2 starts");
}

}  // namespace
}  // namespace upsweep

#include "../../src/backend/worker_team.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <functional>
#include <queue>
#include <stdexcept>
#include <string>

#include "support/random.hpp"
#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

// What tasks write is not atomic on purpose: ThreadSanitizer then tells when the team does not order it.

/// A number on a cache line of its own.
struct alignas(64) Counter {
  std::uint64_t count = 0;
};

class WorkerTeamTest : public testing::SeededTest {
 protected:
  /// 1, all, and what is between.
  static std::vector<std::size_t> worker_counts() {
    std::vector<std::size_t> counts;
    for (std::size_t workers = 1; workers < parallel_slots(); workers *= 2) counts.push_back(workers);
    counts.push_back(parallel_slots());
    return counts;
  }
};

/// Tasks with dependencies, as run_graph() takes them.
struct Graph {
  std::vector<std::uint32_t> waits;
  std::vector<std::vector<std::uint32_t>> next;
};

TEST_F(WorkerTeamTest, RunsEveryTaskExactlyOnceOverThousandsOfCalls) {
  for (const std::size_t workers : worker_counts()) {
    std::vector<std::uint64_t> runs(200, 0);
    std::vector<std::uint64_t> wanted(runs.size(), 0);
    std::vector<Counter> by_worker(workers);
    std::uint64_t total = 0;
    const std::size_t joined = with_worker_team(workers, [&](WorkerTeam& team) {
      for (int call = 0; call < 5000; ++call) {
        const std::size_t count = chance(0.1) ? between(0, runs.size()) : between(0, 2 * workers);
        team.run_all(count, [&](std::size_t task, std::size_t worker) {
          ++runs[task];
          ++by_worker[worker].count;
        });
        for (std::size_t task = 0; task < count; ++task) ++wanted[task];
        total += count;
        ASSERT_EQ(runs, wanted) << "call " << call;
      }
    });
    EXPECT_GE(joined, 1U);
    EXPECT_LE(joined, workers);
    std::uint64_t sum = 0;
    for (const Counter& counter : by_worker) sum += counter.count;
    EXPECT_EQ(sum, total) << "two tasks were on one worker at a time";
  }
}

TEST_F(WorkerTeamTest, ShowsATaskWhatTheCallBeforeWrote) {
  std::vector<std::uint64_t> values(64, 0);
  with_worker_team(parallel_slots(), [&](WorkerTeam& team) {
    for (std::uint64_t call = 1; call <= 2000; ++call) {
      std::vector<std::uint64_t> next(values.size());
      team.run_all(values.size(),
                   [&](std::size_t task, std::size_t) { next[task] = values[(task + 1) % values.size()] + 1; });
      values = next;
      ASSERT_EQ(values, std::vector<std::uint64_t>(values.size(), call));
    }
  });
}

TEST_F(WorkerTeamTest, CanBeMadeManyTimes) {
  for (int round = 0; round < 300; ++round) {
    std::vector<int> runs(between(0, 40), 0);
    with_worker_team(parallel_slots(), [&](WorkerTeam& team) {
      team.run_all(runs.size(), [&](std::size_t t, std::size_t) { ++runs[t]; });
    });
    ASSERT_EQ(runs, std::vector<int>(runs.size(), 1));
  }
}

TEST_F(WorkerTeamTest, StartsNoTaskOfAGraphBeforeThoseThatItWaitsFor) {
  for (const std::size_t workers : worker_counts()) {
    with_worker_team(workers, [&](WorkerTeam& team) {
      for (int round = 0; round < 150; ++round) {
        const std::size_t count = between(0, 60);
        const double density = std::vector{0.0, 0.05, 0.3, 1.0}[between(0, 3)];
        // Edges follow a random order of the tasks, not their numbers.
        std::vector<std::uint32_t> order(count);
        for (std::uint32_t t = 0; t < count; ++t) order[t] = t;
        for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[between(0, i - 1)]);
        Graph graph{std::vector<std::uint32_t>(count, 0), std::vector<std::vector<std::uint32_t>>(count)};
        for (std::size_t a = 0; a < count; ++a) {
          for (std::size_t b = a + 1; b < count; ++b) {
            if (!chance(density)) continue;
            graph.next[order[a]].push_back(order[b]);
            ++graph.waits[order[b]];
          }
        }
        std::atomic<std::uint64_t> clock{0};
        std::vector<std::uint64_t> start(count, 0);
        std::vector<std::uint64_t> finish(count, 0);
        std::vector<int> runs(count, 0);
        team.run_graph(graph.waits, graph.next, [&](std::size_t task, std::size_t worker) {
          ++runs[task];
          start[task] = ++clock;
          EXPECT_LT(worker, workers);
          finish[task] = ++clock;
        });
        ASSERT_EQ(runs, std::vector<int>(count, 1));
        for (std::size_t task = 0; task < count; ++task) {
          for (const std::uint32_t after : graph.next[task]) ASSERT_LT(finish[task], start[after]);
        }
      }
    });
  }
}

TEST_F(WorkerTeamTest, ShowsATaskOfAGraphWhatThoseBeforeItWrote) {
  // A chain and a fan: task t adds up what all before it wrote.
  constexpr std::uint32_t kTasks = 40;
  Graph graph{std::vector<std::uint32_t>(kTasks, 0), std::vector<std::vector<std::uint32_t>>(kTasks)};
  for (std::uint32_t a = 0; a < kTasks; ++a) {
    for (std::uint32_t b = a + 1; b < kTasks; b += 1 + a % 3) {
      graph.next[a].push_back(b);
      ++graph.waits[b];
    }
  }
  std::vector<std::uint64_t> wanted(kTasks, 1);
  for (std::uint32_t a = 0; a < kTasks; ++a) {
    for (const std::uint32_t b : graph.next[a]) wanted[b] = (wanted[b] + wanted[a]) % 1'000'003;
  }
  with_worker_team(parallel_slots(), [&](WorkerTeam& team) {
    for (int round = 0; round < 200; ++round) {
      std::vector<std::uint64_t> values(kTasks, 0);
      team.run_graph(graph.waits, graph.next, [&](std::size_t task, std::size_t) {
        std::uint64_t sum = 1;
        for (std::size_t before = 0; before < task; ++before) {
          for (const std::uint32_t after : graph.next[before]) {
            if (after == task) sum = (sum + values[before]) % 1'000'003;
          }
        }
        values[task] = sum;
      });
      ASSERT_EQ(values, wanted);
    }
  });
}

TEST(WorkerTeam, StartsTheReadyTaskWithTheSmallestNumber) {
  // 4 -> 0, 3 -> 1; 2 is alone. On one worker: 2, 3, 1, 4, 0.
  const Graph graph{{1, 1, 0, 0, 0}, {{}, {}, {}, {1}, {0}}};
  std::vector<std::size_t> order;
  with_worker_team(1, [&](WorkerTeam& team) {
    team.run_graph(graph.waits, graph.next, [&](std::size_t task, std::size_t) { order.push_back(task); });
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{2, 3, 1, 4, 0}));
}

TEST(WorkerTeam, CallsNothingWithoutTasks) {
  with_worker_team(parallel_slots(), [](WorkerTeam& team) {
    team.run_all(0, [](std::size_t, std::size_t) { FAIL() << "called"; });
    team.run_graph({}, {}, [](std::size_t, std::size_t) { FAIL() << "called"; });
  });
}

/// The processors that the calling thread may use.
cpu_set_t allowed_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  EXPECT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  return allowed;
}

TEST(WorkerTeam, LeavesItsCallerTheProcessorsThatItHad) {
  const cpu_set_t before = allowed_processors();
  const auto is_as_before = [&] {
    const cpu_set_t now = allowed_processors();
    return CPU_EQUAL(&now, &before) != 0;
  };
  with_worker_team(parallel_slots(), [](WorkerTeam&) {});
  EXPECT_TRUE(is_as_before());
  EXPECT_THROW(
      static_cast<void>(with_worker_team(parallel_slots(), [](WorkerTeam&) { throw std::runtime_error("leader"); })),
      std::runtime_error);
  EXPECT_TRUE(is_as_before()) << "after an error";
  // Threads of the pool, too, are as they were.
  std::atomic<int> pinned{0};
  parallel_chunks(parallel_slots() * 8, 1,
                  [&](std::size_t, std::size_t, std::size_t) { pinned += is_as_before() ? 0 : 1; });
  EXPECT_EQ(pinned, 0);
}

std::string thrown_by(std::size_t workers, const std::function<void(WorkerTeam&)>& leader) {
  try {
    with_worker_team(workers, leader);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(WorkerTeam, HandsOnTheExceptionOfATask) {
  for (const std::size_t workers : {std::size_t{1}, parallel_slots()}) {
    for (const std::size_t bad : {0, 7, 63}) {
      bool went_on = false;
      EXPECT_EQ(thrown_by(workers,
                          [&](WorkerTeam& team) {
                            team.run_all(64, [&](std::size_t task, std::size_t) {
                              if (task == bad) throw std::runtime_error("task " + std::to_string(task));
                            });
                            went_on = true;
                          }),
                "task " + std::to_string(bad));
      EXPECT_FALSE(went_on) << "run_all() returned as if all were well";
    }
  }
}

TEST(WorkerTeam, HandsOnTheExceptionOfATaskOfAGraphAndStartsNoneThatWaitsForIt) {
  constexpr std::uint32_t kTasks = 30;
  Graph chain{std::vector<std::uint32_t>(kTasks, 1), std::vector<std::vector<std::uint32_t>>(kTasks)};
  chain.waits[0] = 0;
  for (std::uint32_t t = 0; t + 1 < kTasks; ++t) chain.next[t].push_back(t + 1);
  for (const std::size_t workers : {std::size_t{1}, parallel_slots()}) {
    for (int round = 0; round < 50; ++round) {
      std::atomic<std::size_t> last{0};
      EXPECT_EQ(thrown_by(workers,
                          [&](WorkerTeam& team) {
                            team.run_graph(chain.waits, chain.next, [&](std::size_t task, std::size_t) {
                              last = task;
                              if (task == 11) throw std::runtime_error("task 11");
                            });
                          }),
                "task 11");
      EXPECT_EQ(last.load(), 11U);
    }
  }
}

TEST(WorkerTeam, HandsOnTheExceptionOfTheLeader) {
  for (const std::size_t workers : {std::size_t{1}, parallel_slots()}) {
    for (int round = 0; round < 50; ++round) {
      EXPECT_EQ(thrown_by(workers, [](WorkerTeam&) { throw std::runtime_error("leader"); }), "leader");
    }
  }
  int runs = 0;
  with_worker_team(1, [&](WorkerTeam& team) { team.run_all(3, [&](std::size_t, std::size_t) { ++runs; }); });
  EXPECT_EQ(runs, 3) << "the next team works";
}

TEST(WorkerTeam, RefusesNoneAndTooManyWorkers) {
  for (const std::size_t workers : {std::size_t{0}, parallel_slots() + 1, ~std::size_t{0}}) {
    bool called = false;
    EXPECT_THROW(with_worker_team(workers, [&](WorkerTeam&) { called = true; }), std::invalid_argument);
    EXPECT_FALSE(called);
  }
}

}  // namespace
}  // namespace upsweep

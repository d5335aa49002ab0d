#include "upsweep/sim/graph_time.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "support/random.hpp"
#include "support/random_graph.hpp"
#include "support/random_machine.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sim/batched.hpp"
#include "upsweep/sim/predict.hpp"

namespace upsweep::graph_time_test {
namespace {

constexpr std::array kKinds = {MachineKind::pram, MachineKind::cpu, MachineKind::gpu};

class GraphTimeTest : public testing::SeededTest {
 protected:
  Machine random_machine(MachineKind kind) {
    Machine machine =
        testing::random_machine([this](std::size_t low, std::size_t high) { return between(low, high); }, kind);
    for (Rates& rates : machine.rates) rates.host_launch_s = static_cast<double>(between(0, 20)) * 1e-7;
    return machine;
  }
  testing::GraphRandom random() {
    return {[this](std::size_t low, std::size_t high) { return between(low, high); }, [this] { return normal(); }};
  }
};

Analysis analysis_of(const Network& network, const NetworkWeights& weights, unsigned value_bytes = 4) {
  return analyse({network, weights, nullptr, value_bytes}, PatternKind::guaranteed,
                 {linear_schedule(network.links().size() + 1)});
}

/// A residual block between two operators.
Network residual() {
  return {{2},
          {{"in", Linear{3}, {}},
           {"f", Linear{3}, {}},
           {"act", Tanh{}, {}},
           {"sum", Add{}, {{"in", "act"}}},
           {"out", Linear{2}, {}}}};
}

TEST_F(GraphTimeTest, OfANetworkWithoutBranchesIsThatOfTheLinearSchedule) {
  const Network network({3, 6, 6}, {{"drop", Dropout{}, {}},
                                    {"conv", Conv2d{4, {3, 3}, {1, 1}, {1, 1}}, {}},
                                    {"act", Relu{}, {}},
                                    {"pool", MaxPool2d{{2, 2}, {2, 2}}, {}},
                                    {"flat", Flatten{}, {}},
                                    {"fc", Linear{5}, {}},
                                    {"end", Tanh{}, {}}});
  for (const unsigned value_bytes : {4U, 8U}) {
    const Analysis analysis = analysis_of(network, NetworkWeights(7), value_bytes);
    const auto tasks = graph_backprop_tasks(network, analysis.network, value_bytes);
    const ScheduleProfile& linear = analysis.schedules.front();
    for (int round = 0; round < 20; ++round) {
      Machine machine = random_machine(kKinds.at(between(0, 2)));
      if (machine.kind == MachineKind::gpu) machine.launch = kLaunchModes.at(between(0, 2));
      const std::size_t workers = between(1, 20);
      const std::uint64_t batch = between(1, 40);
      EXPECT_EQ(graph_seconds(tasks, 1, machine, workers, Execution::level, value_bytes, batch),
                batched_seconds(linear, machine, workers, value_bytes, Scope::all, batch));
      if (!has_dag_time(machine)) continue;
      EXPECT_EQ(graph_seconds(tasks, 1, machine, workers, Execution::dag, value_bytes, 1),
                predict_time(linear, machine, workers, Execution::dag, value_bytes).seconds);
    }
  }
}

TEST(GraphTime, OnAPramOfFlopsIsTheMakespanInFlops) {
  Machine machine;
  machine.kind = MachineKind::pram;
  machine.rates.resize(1);
  for (KindRates* kind : {&machine.rates[0].fp32.mv, &machine.rates[0].fp32.mm}) kind->flops_per_s = 1;
  const Network network = residual();
  const Analysis analysis = analysis_of(network, NetworkWeights(5));
  for (const std::size_t workers : {1, 2, 3}) {
    const GraphComparison counted = compare_with_graph(network, analysis.network, workers);
    const auto seconds = [&](const std::vector<GraphTask>& tasks, Execution execution) {
      return graph_seconds(tasks, 1, machine, workers, execution, 4, 1).value();
    };
    for (const Execution execution : {Execution::level, Execution::dag}) {
      const auto flops = [&](const GraphWork& work) { return static_cast<double>(work.makespan(execution)->flops); };
      EXPECT_EQ(seconds(graph_backprop_tasks(network, analysis.network), execution), flops(counted.backprop));
      EXPECT_EQ(seconds(formation_tasks(analysis.network), execution), flops(counted.formation));
      EXPECT_EQ(seconds(inner_backprop_tasks(network, analysis.network), execution), flops(counted.inner));
    }
  }
}

TEST(GraphTime, OnAGpuIsBytesOverTheBandwidthAndALaunchForEachTask) {
  Machine machine;
  machine.kind = MachineKind::gpu;
  machine.rates.resize(1);
  machine.rates[0].op_latency_s = 1000;
  for (KindRates* kind : {&machine.rates[0].fp32.mv, &machine.rates[0].fp32.mm}) {
    kind->flops_per_s = 1e9;
    kind->bytes_per_s = kind->cached_bytes_per_s = 1;
  }
  const Network network = residual();
  const Analysis analysis = analysis_of(network, NetworkWeights(5));
  const auto seconds = [&](const std::vector<GraphTask>& tasks, std::uint64_t batch) {
    return graph_seconds(tasks, 1, machine, 1, Execution::level, 4, batch).value();
  };
  // J^T of out (3 x 2, full), of act (a diagonal), of f (3 x 3, full), each with two vectors; a sum of two of 3
  // numbers.
  const auto csr = [](double rows, double nnz) { return 8 * nnz + 4 * (rows + 1); };
  const double products = csr(3, 6) + 8 + 12 + csr(3, 3) + 24 + csr(3, 9) + 24;
  EXPECT_DOUBLE_EQ(seconds(graph_backprop_tasks(network, analysis.network), 1), 4000 + products + 3 * 12);
  EXPECT_DOUBLE_EQ(seconds(inner_backprop_tasks(network, analysis.network), 1), 1000 + csr(3, 3) + 24);
  // J_f^T times the diagonal of tanh makes 9 entries; to these the identity is added.
  EXPECT_DOUBLE_EQ(seconds(formation_tasks(analysis.network), 1),
                   2000 + (csr(3, 9) + csr(3, 3) + csr(3, 9)) + (csr(3, 3) + csr(3, 9) + csr(3, 9)));
  EXPECT_DOUBLE_EQ(seconds(inner_backprop_tasks(network, analysis.network), 5), 5 * (1000 + csr(3, 3) + 24));
}

TEST_F(GraphTimeTest, OfRandomGraphsIsNoMoreWithoutBarriersAndNoLessForABatch) {
  for (int round = 0; round < 30; ++round) {
    const Network network({4}, testing::random_graph(random(), 4, between(3, 20)));
    const Analysis analysis = analysis_of(network, random_graph_weights(random(), network));
    Machine machine = random_machine(MachineKind::gpu);
    const std::size_t workers = between(1, 8);
    for (const auto& tasks : {graph_backprop_tasks(network, analysis.network),
                              inner_backprop_tasks(network, analysis.network), formation_tasks(analysis.network)}) {
      const double level = graph_seconds(tasks, 1, machine, workers, Execution::level, 4, 1).value();
      const double dag = graph_seconds(tasks, 1, machine, workers, Execution::dag, 4, 1).value();
      // Each op of a path is rounded to a picosecond.
      EXPECT_LE(dag, level + 1e-12 * static_cast<double>(tasks.size()));
      EXPECT_EQ(level == 0, tasks.empty());
      // On one worker: with more of them, other rates may hold.
      const double one = graph_seconds(tasks, 1, machine, 1, Execution::level, 4, 1).value();
      EXPECT_LE(one, graph_seconds(tasks, 1, machine, 1, Execution::level, 4, 3).value() * (1 + 1e-12));
    }
  }
}

TEST(GraphTime, IsUnknownWithoutBarriersOfBatchesAndOfKernelsFusedByLevels) {
  const Network network = residual();
  const Analysis analysis = analysis_of(network, NetworkWeights(5));
  const auto tasks = graph_backprop_tasks(network, analysis.network);
  Machine machine;
  machine.kind = MachineKind::gpu;
  machine.rates.resize(1);
  EXPECT_FALSE(graph_seconds(tasks, 1, machine, 1, Execution::dag, 4, 2).has_value());
  machine.launch = LaunchMode::fused;
  EXPECT_FALSE(graph_seconds(tasks, 1, machine, 1, Execution::dag, 4, 1).has_value());
  EXPECT_THROW(static_cast<void>(graph_seconds(tasks, 1, machine, 0, Execution::level, 4, 1)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(graph_seconds(tasks, 1, machine, 1, Execution::level, 4, 0)), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::graph_time_test

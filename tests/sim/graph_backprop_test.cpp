#include "upsweep/sim/graph_backprop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "support/random.hpp"
#include "support/random_graph.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

class GraphBackpropTest : public testing::SeededTest {
 protected:
  testing::GraphRandom random() {
    return {[this](std::size_t low, std::size_t high) { return between(low, high); }, [this] { return normal(); }};
  }
};

NetworkProfile profile_of(const Network& network, const NetworkWeights& weights) {
  return analyse({network, weights}, PatternKind::guaranteed, {linear_schedule(network.links().size() + 1)}).network;
}

GraphTask task(std::uint64_t flops, std::vector<std::size_t> after) {
  GraphTask task;
  task.op.flops = flops;
  task.after = std::move(after);
  return task;
}

TEST(SimulateGraph, EqualsHandComputedFigures) {
  // 0 and 1 at once, then 2 behind 0, and 3 behind 1.
  const std::vector<GraphTask> tasks = {task(5, {}), task(1, {}), task(1, {0}), task(7, {1})};
  const GraphWork two = simulate_graph(tasks, 2);
  EXPECT_EQ(two, (GraphWork{4, 14, 2, 5 + 7, 1 + 7, {2, 5 + 7}, Makespan{2, 8}}));
  const GraphWork one = simulate_graph(tasks, 1);
  EXPECT_EQ(one.level, (Makespan{4, 14}));
  EXPECT_EQ(one.dag, (Makespan{4, 14}));
  EXPECT_EQ(simulate_graph({}, 3), GraphWork());
}

TEST(SimulateGraph, RefusesWhatItCannotRun) {
  EXPECT_THROW(static_cast<void>(simulate_graph({task(1, {})}, 0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(simulate_graph({task(1, {0})}, 1)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(simulate_graph({task(1, {1}), task(1, {})}, 1)), std::invalid_argument);
}

TEST(GraphBackprop, OfANetworkWithoutBranchesIsTheLinearSchedule) {
  const Network network({3, 6, 6}, {{"drop", Dropout{}, {}},
                                    {"conv", Conv2d{4, {3, 3}, {1, 1}, {1, 1}}, {}},
                                    {"act", Relu{}, {}},
                                    {"flat", Flatten{}, {}},
                                    {"fc", Linear{5}, {}},
                                    {"end", Tanh{}, {}}});
  const NetworkProfile profile = profile_of(network, NetworkWeights(6));
  const GraphComparison comparison = compare_with_graph(network, profile, 4);
  const std::uint64_t flops = profile.linear_flops;
  EXPECT_EQ(flops, 2U * (144 + 144 * 5 + 5));
  EXPECT_EQ(comparison.backprop, (GraphWork{3, flops, 3, flops, flops, {3, flops}, Makespan{3, flops}}));
  EXPECT_EQ(comparison.formation, GraphWork());
  EXPECT_EQ(comparison.inner, GraphWork());
}

/// x → in, then in + tanh(f(in)), then out.
Network residual() {
  return {{2},
          {{"in", Linear{3}, {}},
           {"f", Linear{3}, {}},
           {"act", Tanh{}, {}},
           {"sum", Add{}, {{"in", "act"}}},
           {"out", Linear{2}, {}}}};
}

TEST(GraphBackprop, OfAResidualBlockHandsTheGradientPastItsBranchAndAddsOnce) {
  const Network network = residual();
  const NetworkProfile profile = profile_of(network, NetworkWeights(5));
  const std::vector<GraphTask> tasks = graph_backprop_tasks(network, profile);
  ASSERT_EQ(tasks.size(), 4U) << "out, act, f, and the sum at in";
  EXPECT_EQ(tasks[0].op.flops, 2U * 6);
  EXPECT_EQ(tasks[1].op.flops, 2U * 3);
  EXPECT_EQ(tasks[2].op.flops, 2U * 9);
  EXPECT_EQ(tasks[3].op.flops, 3U);
  EXPECT_EQ(tasks[3].after, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(profile.addition_flops, 3U);
  const GraphComparison comparison = compare_with_graph(network, profile, 2);
  EXPECT_EQ(comparison.backprop.steps, 4U);
  EXPECT_EQ(comparison.backprop.dag->flops, 39U);
  EXPECT_EQ(comparison.inner.flops, 2U * 3) << "the gradient of f's output; that of in is the scan's";
  // J_f^T times the diagonal of tanh, 9 pairs; then I, whose diagonal both have.
  EXPECT_EQ(comparison.formation, (GraphWork{2, 18 + 3, 2, 21, 21, {2, 21}, Makespan{2, 21}}));
}

TEST(GraphBackprop, RunsBranchesAtOnce) {
  const Network network({2}, {{"in", Linear{4}, {}},
                              {"a", Linear{4}, {{"in"}}},
                              {"b", Linear{4}, {{"in"}}},
                              {"both", Concat{}, {{"a", "b"}}},
                              {"out", Linear{1}, {}}});
  const NetworkProfile profile = profile_of(network, NetworkWeights(5));
  const GraphWork one = simulate_graph(graph_backprop_tasks(network, profile), 1);
  const GraphWork two = simulate_graph(graph_backprop_tasks(network, profile), 2);
  EXPECT_EQ(one.dag->flops, 2U * 8 + 2 * 32 + 4);
  EXPECT_EQ(two.dag->flops, 2U * 8 + 32 + 4);
  EXPECT_EQ(two.level, two.dag);
  EXPECT_EQ(two.steps, 3U);
}

TEST_F(GraphBackpropTest, CountsEveryJacobianAndEverySumOnceOnRandomGraphs) {
  std::size_t blocks = 0;
  for (int round = 0; round < 40; ++round) {
    const Network network({4}, testing::random_graph(random(), 4, between(3, 20)));
    const NetworkProfile profile = profile_of(network, random_graph_weights(random(), network));
    const std::vector<bool> needed = needs_gradient(network);
    const std::vector<std::size_t> readers = reader_counts(network);
    std::vector<bool> is_inside(readers.size());  // of a block, its output not
    std::uint64_t flops = 0;                      // all, by their definition
    std::uint64_t at_links = 0;                   // those that make the gradient of a link's input
    for (std::size_t i = 0; i < network.links().size(); ++i) {
      const ChainLink& link = network.link(i);
      blocks += link.is_block ? 1 : 0;
      for (const std::size_t o : link.operators) {
        is_inside[o] = o != link.output();
        for (const std::size_t input : network.inputs_of(o)) {
          if (input == kNetworkInput || !needed[input]) continue;
          flops += 2 * profile.operators[o].nnz;
          if (input == link.input) at_links += 2 * profile.operators[o].nnz;
        }
      }
    }
    for (std::size_t o = 0; o < readers.size(); ++o) {  // views between links, too
      if (readers[o] < 2 || !needed[o]) continue;
      const std::uint64_t sum = (readers[o] - 1) * elements(network.shape_of(o));
      flops += sum;
      if (!is_inside[o]) at_links += sum;
    }
    const std::size_t workers = between(1, 4);
    const GraphComparison comparison = compare_with_graph(network, profile, workers);
    EXPECT_EQ(comparison.backprop.flops, flops);
    EXPECT_EQ(comparison.inner.flops, flops - at_links);
    EXPECT_EQ(comparison.formation.flops, profile.formation_flops);
    for (const GraphWork* work : {&comparison.backprop, &comparison.formation, &comparison.inner}) {
      EXPECT_LE(work->critical_path_dag, work->critical_path_level);
      EXPECT_LE(work->critical_path_dag, work->dag->flops);
      EXPECT_LE(work->critical_path_level, work->level.flops);
      EXPECT_LE(work->level.flops, work->flops);
    }
    const GraphWork alone = compare_with_graph(network, profile, 1).backprop;
    EXPECT_EQ(alone.dag, (Makespan{alone.tasks, flops}));
    EXPECT_EQ(alone.level, alone.dag);
    const GraphWork many = compare_with_graph(network, profile, 100).backprop;
    EXPECT_EQ(many.level, (Makespan{many.steps, many.critical_path_level}));
    EXPECT_EQ(many.dag, (Makespan{many.steps, many.critical_path_dag}));
  }
  EXPECT_GT(blocks, 10U) << "the graphs hardly had a block";
}

TEST(GraphBackprop, OfANetworkWithoutACutIsAllThatThereIs) {
  const Network network({2}, {{"a", Linear{3}, {{"input"}}},
                              {"a2", Tanh{}, {}},
                              {"b", Linear{3}, {{"input"}}},
                              {"sum", Add{}, {{"a2", "b"}}}});
  ASSERT_EQ(network.links().size(), 1U);
  const GraphComparison comparison = compare_with_graph(network, profile_of(network, NetworkWeights(4)), 2);
  EXPECT_EQ(comparison.backprop.flops, 2U * 3) << "tanh: nothing needs the gradient of the input";
  EXPECT_EQ(comparison.inner, comparison.backprop);
  EXPECT_EQ(comparison.formation, GraphWork()) << "no schedule reads the first Jacobian";
}

TEST(GraphBackprop, OfABatchHasCopiesOfEachTaskBesideEachOther) {
  const std::vector<GraphTask> tasks = {task(5, {}), task(1, {}), task(7, {0}), task(1, {0, 1})};
  const GraphWork three = simulate_graph(tasks, 4, 3);
  // 5, 5, 5, 1 | 1, 1 behind the first 1; then 7, 7, 7, 1 | 1, 1.
  EXPECT_EQ(three.level, (Makespan{2 + 2, 5 + 7}));
  EXPECT_FALSE(three.dag.has_value());
  EXPECT_EQ(three.flops, 14U) << "of one input";
  EXPECT_EQ(simulate_graph(tasks, 1, 3).level.flops, 3U * 14);
  EXPECT_EQ(simulate_graph(tasks, 12, 3).level, simulate_graph(tasks, 4, 1).level) << "a worker for each";
}

}  // namespace
}  // namespace upsweep

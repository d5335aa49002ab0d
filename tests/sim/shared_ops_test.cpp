#include "upsweep/sim/shared_ops.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "support/homogeneous.hpp"
#include "support/random.hpp"
#include "support/random_graph.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/recurrent/stacked.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/search/crossover.hpp"
#include "upsweep/search/stacked_search.hpp"
#include "upsweep/sim/batched.hpp"
#include "upsweep/sim/homogeneous.hpp"

namespace upsweep {
namespace {

/// Levels of one schedule, as they are written: flops, span.
SharedWork work_of(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& levels, std::uint64_t inputs = 1) {
  SharedWork work;
  work.inputs = inputs;
  for (const auto& [flops, span] : levels) {
    work.levels.push_back({1, flops, span});
    work.flops += flops;
    work.span_path += span;
  }
  return work;
}

TEST(SharedOps, SpansOfProductsByHand) {
  EXPECT_EQ(product_span(0, 5), 0U) << "nothing is multiplied";
  EXPECT_EQ(product_span(7, 1), 1U) << "a diagonal scales";
  EXPECT_EQ(product_span(20, 2), 2U);
  EXPECT_EQ(product_span(20, 3), 3U);
  EXPECT_EQ(product_span(20, 4), 3U);
  EXPECT_EQ(product_span(20, 5), 4U);
  EXPECT_EQ(product_span(1, 1000), 2U) << "one pair has a multiplication and an addition, however long the row";
}

TEST(SharedOps, ALevelTakesItsWorkByTheWorkersOrItsSpan) {
  const SharedWork work = work_of({{100, 4}, {30, 9}});
  EXPECT_EQ(shared_makespan(work, 1), 130U);
  EXPECT_EQ(shared_makespan(work, 7), 15U + 9U);
  EXPECT_EQ(shared_makespan(work, 7, 10), 143U + 43U) << "ten inputs share the same workers";
  EXPECT_EQ(shared_makespan(work, 1'000'000), 13U);
  EXPECT_EQ(shared_bound(work, 7), 19U) << "without the barrier";
  EXPECT_EQ(shared_bound(work, 1'000'000), 13U);
}

TEST(SharedOps, MeansOverInputsAreRoundedUpOnlyAfterTheBatchIsMultiplied) {
  const SharedWork work = work_of({{10, 3}}, 4);  // means of 2.5 FLOPs, span 0.75
  EXPECT_EQ(shared_makespan(work, 1), 4U * 3) << "ceil(2.5)";
  EXPECT_EQ(shared_makespan(work, 1, 2), 4U * 5) << "5, not twice 3";
  EXPECT_EQ(shared_makespan(work, 100), 4U * 1);
}

ScheduleProfile profile_of(const std::string& name, const JacobianChain& chain) {
  return profile_schedules({make_schedule(parse_schedule(name), chain.length())}, chain, 4).front();
}

// What section "shared ops" of docs/counting-rule.md states of one input, whatever the model.
class SharedOpsTest : public testing::SeededTest {
 protected:
  const std::vector<std::string> kSchedules = {"linear",      "hybrid:1", "hybrid:2", "blelloch",
                                               "kogge-stone", "sklansky", "blocked:3"};

  /// `flops`: of all ops; `whole`: the makespan of the same ops, each on one worker, a barrier after each level.
  void expect_properties(const SharedWork& work, std::uint64_t flops, std::uint64_t batch,
                         const MakespanOfWorkers& whole) {
    SCOPED_TRACE(::testing::Message() << "batch " << batch);
    EXPECT_EQ(shared_makespan(work, 1, batch), flops * batch) << "one worker does everything";
    EXPECT_EQ(shared_makespan(work, 1, batch), whole(1)) << "and has nobody to share with";
    std::uint64_t before = ~std::uint64_t{0};
    std::vector<std::uint64_t> numbers = {1,           2, 3, between(4, 10), between(11, 100), between(101, 10'000),
                                          kMostWorkers};
    for (const std::uint64_t workers : numbers) {
      const std::uint64_t shared = shared_makespan(work, workers, batch);
      EXPECT_LE(shared, whole(workers)) << workers << " workers";
      EXPECT_LE(shared_bound(work, workers, batch), shared) << workers << " workers";
      EXPECT_GE(shared_bound(work, workers, batch), std::max(ceil_div(flops * batch, workers), work.span_path));
      EXPECT_LE(shared, before) << "more workers hurt: " << workers;
      before = shared;
    }
  }

  /// Of every schedule over a chain.
  void expect_properties_over(const JacobianChain& chain) {
    for (const std::string& name : kSchedules) {
      const ScheduleProfile profile = profile_of(name, chain);
      for (const Scope scope : {Scope::all, Scope::live}) {
        SCOPED_TRACE(name);
        const std::uint64_t batch = between(1, 5);
        expect_properties(shared_work(profile, scope), totals(profile, scope).flops, batch, [&](std::uint64_t workers) {
          return batched_level_makespan(profile, workers, scope, batch, CostUnit::flops);
        });
      }
    }
  }
};

TEST_F(SharedOpsTest, HoldsItsPropertiesOverRandomChains) {
  for (int trial = 0; trial < 60 && !HasFailure(); ++trial) {
    const std::size_t links = between(2, 12);
    JacobianChain chain;
    Index rows = static_cast<Index>(between(1, 9));
    chain.gradient_length = rows;
    for (std::size_t link = 0; link < links; ++link) {
      const auto next = static_cast<Index>(between(1, 9));
      chain.jacobians.push_back(std::make_shared<Pattern>(random_pattern(next, rows, 0.1 * double(between(1, 9)))));
      rows = next;
    }
    expect_properties_over(chain);
  }
}

TEST_F(SharedOpsTest, HoldsItsPropertiesOverRandomNetworks) {
  const testing::GraphRandom random{[this](std::size_t low, std::size_t high) { return between(low, high); },
                                    [this] { return normal(); }};
  for (int trial = 0; trial < 20 && !HasFailure(); ++trial) {
    const Network network({4}, testing::random_graph(random, 4, between(3, 14)));
    const NetworkWeights weights = testing::random_graph_weights(random, network);
    expect_properties_over(guaranteed_chain(network, weights));
    const SampleChains samples(network, weights);
    const std::vector<double> x = {normal(), normal(), normal(), normal()};
    expect_properties_over(samples.at(x));
  }
}

TEST_F(SharedOpsTest, HoldsItsPropertiesOverRecurrentModelsAndChains) {
  for (int trial = 0; trial < 60 && !HasFailure(); ++trial) {
    HomogeneousChain chain = chance(0.5) ? fused_chain(between(1, 9), between(2, 3000))
                                         : testing::banded_chain(between(5, 20), between(0, 4), between(2, 40));
    if (chance(0.3)) chain = unfused_chain(between(1, 9), between(2, 3000));
    for (const std::uint32_t depth : {0U, 1U, 3U, max_depth(chain.length())}) {
      const HomogeneousProfile profile = profile_homogeneous(chain, depth, 4);
      for (const Scope scope : {Scope::all, Scope::live}) {
        SCOPED_TRACE(::testing::Message() << chain.elements << " elements, depth " << profile.depth);
        const std::uint64_t batch = between(1, 5);
        expect_properties(shared_work(profile, scope), totals(profile, scope).flops, batch, [&](std::uint64_t workers) {
          return homogeneous_pram(profile, workers, scope, batch).level.flops;
        });
      }
    }
  }
}

TEST_F(SharedOpsTest, HoldsItsPropertiesOverStacks) {
  for (int trial = 0; trial < 60 && !HasFailure(); ++trial) {
    const StackedShape shape{between(1, 6), between(1, 60), between(1, 9)};
    for (const StackedMethod& method : stacked_methods(shape)) {
      SCOPED_TRACE(to_string(method));
      const StackedProfile profile = profile_stacked(shape, method, 4);
      const std::uint64_t batch = between(1, 5);
      expect_properties(shared_work(profile), profile.flops + profile.addition_flops, batch,
                        [&](std::uint64_t workers) { return stacked_makespan(profile, workers, batch).flops; });
    }
  }
}

TEST(SharedOps, OfAStackHaveTheSpansOfProductsAndAdditions) {
  for (const StackedKind kind : {StackedKind::wavefront, StackedKind::layers_then_time, StackedKind::layer_by_layer}) {
    const StackedProfile profile = profile_stacked({3, 17, 5}, {kind, TimeScan::hybrid, 2}, 4);
    EXPECT_EQ(shared_makespan(shared_work(profile), kMostWorkers), profile.levels * 4 + profile.addition_levels)
        << "1 + ceil(log2 5) for each level of products, 1 for each of additions";
  }
}

}  // namespace
}  // namespace upsweep

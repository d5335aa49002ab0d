#include "upsweep/sim/shared_ops.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "support/random.hpp"
#include "upsweep/recurrent/stacked.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/sim/batched.hpp"

namespace upsweep {
namespace {

using SharedOpsTest = testing::SeededTest;

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

ScheduleProfile random_profile(const std::string& name, std::size_t length, JacobianChain chain) {
  return profile_schedules({make_schedule(parse_schedule(name), length)}, chain, 4).front();
}

// What section "shared ops" of docs/counting-rule.md states, over random chains and all kinds of schedules.
TEST_F(SharedOpsTest, HoldsItsPropertiesOverRandomChains) {
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t links = between(2, 12);
    JacobianChain chain;
    Index rows = static_cast<Index>(between(1, 9));
    chain.gradient_length = rows;
    for (std::size_t link = 0; link < links; ++link) {
      const auto next = static_cast<Index>(between(1, 9));
      chain.jacobians.push_back(std::make_shared<Pattern>(random_pattern(next, rows, 0.1 * double(between(1, 9)))));
      rows = next;
    }
    for (const std::string name : {"linear", "hybrid:1", "blelloch", "kogge-stone", "sklansky", "blocked:3"}) {
      const ScheduleProfile profile = random_profile(name, links + 1, chain);
      for (const Scope scope : {Scope::all, Scope::live}) {
        const SharedWork work = shared_work(profile, scope);
        std::uint64_t before = ~std::uint64_t{0};
        for (const std::uint64_t workers : {1, 2, 3, 5, 8, 13, 100, 10'000}) {
          const std::uint64_t shared = shared_makespan(work, workers);
          EXPECT_LE(shared, batched_level_makespan(profile, workers, scope, 1, CostUnit::flops)) << name;
          EXPECT_LE(shared_bound(work, workers), shared) << name;
          EXPECT_LE(shared, before) << "more workers hurt " << name;
          before = shared;
        }
        EXPECT_EQ(shared_makespan(work, 1), totals(profile, scope).flops) << name;
      }
      if (HasFailure()) return;
    }
  }
}

TEST(SharedOps, OfAStackCountsProductsAndAdditions) {
  for (const StackedKind kind : {StackedKind::wavefront, StackedKind::layers_then_time, StackedKind::layer_by_layer}) {
    const StackedProfile profile = profile_stacked({3, 17, 5}, {kind, TimeScan::hybrid, 2}, 4);
    const SharedWork work = shared_work(profile);
    EXPECT_EQ(shared_makespan(work, 1), profile.flops + profile.addition_flops);
    EXPECT_LE(shared_makespan(work, 7), stacked_makespan(profile, 7).flops);
    EXPECT_EQ(shared_makespan(work, std::uint64_t{1} << 40), profile.levels * 4 + profile.addition_levels)
        << "1 + ceil(log2 5) for each level of products, 1 for each of additions";
  }
}

}  // namespace
}  // namespace upsweep

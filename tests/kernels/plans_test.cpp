#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "host_structure.hpp"
#include "stream_plan.hpp"
#include "sum_programs.hpp"
#include "support/dense_oracle.hpp"
#include "support/random.hpp"
#include "team_bins.hpp"
#include "upsweep/backend/schedule_plan.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep::kernels {
namespace {

class KernelPlans : public testing::SeededTest {};

TEST_F(KernelPlans, EveryTeamWithEntriesIsInOneBin) {
  for (const std::uint64_t limit : {1024, 3000, 49152, 232448}) {
    LayoutMaker layouts;
    const auto pattern = std::make_shared<const Pattern>(random_pattern(60, 60, 0.1));
    const auto product = multiply(pattern, pattern, Keep::structure).pattern;
    const auto x = layouts.make(*pattern);
    const auto c = layouts.make(*product);
    std::multiset<Index> seen;
    for (const TeamBin& bin : bin_teams(ProductForm::general, *x, *x, *c, 8, {limit, between(1, 200)})) {
      EXPECT_FALSE(bin.teams.empty());
      EXPECT_LE(std::uint64_t{bin.group.teams_per_block} * bin.shared_bytes, limit);
      EXPECT_LE(bin.group.teams_per_block * bin.group.threads_per_team, kBlockThreads);
      EXPECT_EQ(bin.shared_bytes % 16, 0U);
      seen.insert(bin.teams.begin(), bin.teams.end());
    }
    std::multiset<Index> expected;
    for (Index team = 0; team < x->teams(); ++team) {
      if (c->row_nnz(x->team_rows[x->team_begin[team]]) > 0) expected.insert(team);
    }
    EXPECT_EQ(seen, expected);
  }
}

TEST_F(KernelPlans, TheModelOfTimesKnowsWhatRowsLookedUpAheadTake) {
  EXPECT_EQ(staging_bytes(4), kStagingBytes<float>);
  EXPECT_EQ(staging_bytes(8), kStagingBytes<double>);
}

TEST_F(KernelPlans, FewTeamsAreSpreadOverTheMultiprocessorsWithMoreThreadsEach) {
  LayoutMaker layouts;
  const auto pattern = std::make_shared<const Pattern>(random_pattern(100, 100, 1));
  const auto x = layouts.make(*pattern);
  const auto bins_on = [&](std::uint64_t multiprocessors) {
    return bin_teams(ProductForm::general, *x, *x, *x, 4, {49152, multiprocessors});
  };
  const std::vector<TeamBin> small_device = bins_on(1);
  ASSERT_EQ(small_device.size(), 1U);
  EXPECT_EQ(small_device[0].group.threads_per_team, kWarpThreads);
  EXPECT_EQ(small_device[0].group.teams_per_block, kBlockThreads / kWarpThreads);
  const std::vector<TeamBin> large_device = bins_on(132);
  ASSERT_EQ(large_device.size(), 1U);
  EXPECT_EQ(large_device[0].group.threads_per_team, kBlockThreads);
  EXPECT_EQ(large_device[0].group.teams_per_block, 1U);
}

TEST_F(KernelPlans, StreamsKeepOrderAndNumbers) {
  for (const std::size_t length : {2, 3, 9, 32, 33}) {
    for (std::uint32_t depth = 0; depth <= max_depth(length); ++depth) {
      const Schedule schedule = hybrid_schedule(length, depth);
      std::vector<std::uint64_t> costs(schedule.combines.size());
      for (std::uint64_t& cost : costs) cost = between(0, 10000000);
      for (const Execution execution : {Execution::level, Execution::dag}) {
        for (const std::size_t workers : {0, 1, 3, 1000}) {
          const StreamPlan plan = plan_streams(schedule, costs, workers, execution);
          EXPECT_LE(plan.streams, std::max<std::size_t>(1, workers));
          std::vector<std::size_t> position(costs.size());
          for (std::size_t i = 0; i < plan.order.size(); ++i) position[plan.order[i]] = i;
          std::vector<std::uint32_t> sorted = plan.order;
          std::sort(sorted.begin(), sorted.end());
          for (std::uint32_t id = 0; id < costs.size(); ++id) {
            EXPECT_EQ(sorted[id], id);
            EXPECT_LT(plan.stream[id], plan.streams);
            for (const ValueId operand : {schedule.combines[id].earlier, schedule.combines[id].later}) {
              if (operand < schedule.length) continue;
              EXPECT_LT(position[operand - schedule.length], position[id]);
            }
          }
        }
      }
    }
  }
}

TEST(StreamPlan, ALevelGoesRoundTheStreamsFromTheMostExpensive) {
  const Schedule schedule = blelloch_schedule(8);  // its first level has combines 0 to 3
  std::vector<std::uint64_t> costs(schedule.combines.size(), 1);
  costs[2] = 7;
  const StreamPlan plan = plan_streams(schedule, costs, 3, Execution::level);
  EXPECT_EQ(std::vector<std::uint32_t>(plan.order.begin(), plan.order.begin() + 4),
            (std::vector<std::uint32_t>{2, 0, 1, 3}));
  EXPECT_EQ(plan.stream[2], 0U);
  EXPECT_EQ(plan.stream[0], 1U);
  EXPECT_EQ(plan.stream[1], 2U);
  EXPECT_EQ(plan.stream[3], 0U);
}

TEST_F(KernelPlans, HostStructuresAreCountedAsPatternsAre) {
  const Pattern x = random_pattern(30, 40, 0.2);
  const Pattern y = random_pattern(40, 20, 0.2);
  HostStructure host = host_structure(x);
  EXPECT_EQ(digest_of(host), structure_digest(x));
  EXPECT_EQ(products_of(host, host_structure(y)),
            testing::multiply_dense(testing::to_dense(x), testing::to_dense(y)).products);
  for (std::size_t r = 0; r + 1 < host.offsets.size(); ++r) {
    std::reverse(host.indices.begin() + host.offsets[r], host.indices.begin() + host.offsets[r + 1]);
  }
  EXPECT_EQ(digest_of(host), structure_digest(x)) << "columns in another order";
}

}  // namespace
}  // namespace upsweep::kernels

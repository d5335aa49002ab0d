#include "upsweep/search/crossover.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random.hpp"

namespace upsweep::crossover_test {
namespace {

using Crossover = testing::SeededTest;

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

TEST_F(Crossover, OvertakingIsWhereALookAtEveryNumberFindsIt) {
  for (int trial = 0; trial < 300; ++trial) {
    const std::uint64_t inputs = between(1, 4);
    const auto random_work = [&] {
      std::vector<std::pair<std::uint64_t, std::uint64_t>> levels;
      for (std::uint64_t i = between(1, 5); i > 0; --i) levels.emplace_back(between(0, 60), between(1, 9));
      for (auto& level : levels) level.second = level.first == 0 ? 0 : level.second;
      return work_of(levels, inputs);
    };
    const std::vector<SharedWork> plain = {random_work()};
    const std::vector<SharedWork> scans = {random_work(), random_work()};
    const std::uint64_t batch = between(1, 3);
    const auto wins = [&](std::uint64_t workers) {
      return std::ranges::any_of(scans, [&](const SharedWork& scan) {
        return shared_makespan(scan, workers, batch) < shared_makespan(plain.front(), workers, batch);
      });
    };
    std::optional<std::uint64_t> first;
    std::uint64_t last_loss = 0;
    for (std::uint64_t workers = 1; workers <= 400; ++workers) {  // past it nothing changes
      if (wins(workers) && !first) first = workers;
      if (!wins(workers)) last_loss = workers;
    }
    const OvertakingWorkers found = shared_overtaking(plain, scans, batch);
    ASSERT_TRUE(found.is_known);
    EXPECT_EQ(found.from, first);
    const bool wins_in_the_end = first && last_loss < 400;
    EXPECT_EQ(found.always_from, wins_in_the_end ? std::optional(std::max(*first, last_loss + 1)) : std::nullopt);
    if (HasFailure()) return;
  }
}

TEST(CrossoverOf, AScanWithAllOfTheLevelsOfPlainBackPropagationNeverOvertakes) {
  const SharedWork plain = work_of({{1'000'000'000, 3}, {999, 2}});
  SharedWork scan = plain;
  scan.levels.push_back({1, 10, 1});
  const SharedWork other = work_of({{1'000'000'001, 3}, {1000, 2}});
  const OvertakingWorkers found = shared_overtaking(std::vector{plain}, std::vector{scan, other});
  EXPECT_TRUE(found.is_known);
  EXPECT_FALSE(found.from);
  EXPECT_FALSE(shared_overtaking(std::vector{plain}, {}).from) << "without a scan";
}

TEST(CrossoverOf, LookingIsGivenUpRatherThanWrong) {
  const std::vector<MakespanOfWorkers> plain = {[](std::uint64_t p) { return (std::uint64_t{1} << 50) / p; }};
  const OvertakingWorkers found = overtaking_workers(plain, plain, {}, kMostWorkers, 1000);
  EXPECT_FALSE(found.is_known);
  EXPECT_FALSE(found.from);
}

}  // namespace
}  // namespace upsweep::crossover_test

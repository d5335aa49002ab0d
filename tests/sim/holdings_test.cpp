#include "upsweep/sim/holdings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "support/random.hpp"
#include "support/workload.hpp"

namespace upsweep {
namespace {

using testing::delay_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::make_workload;

/// Tasks one after the other on one server: task i over [starts[i], starts[i + 1]).
Workload chain(const std::vector<std::uint64_t>& durations) {
  return make_workload(durations, std::vector<std::uint32_t>(durations.size(), 0), {{}});
}

Holding holding(std::uint32_t acquired_by, std::uint32_t released_by, std::uint32_t kind = 0) {
  return {0, kind, 1, {acquired_by, kNoTask}, true, {released_by, kNoTask}};
}

std::vector<PeakUse> peaks(const Workload& workload, const std::vector<Holding>& holdings, std::size_t pools = 1,
                           std::size_t kinds = 2) {
  return peak_use(workload, simulate_tasks(workload), holdings, pools, kinds);
}

TEST(Holdings, WhatIsReleasedMakesRoomForWhatIsAcquiredAtThatInstant) {
  const Workload workload = chain({3, 2, 4});
  EXPECT_EQ(peaks(workload, {holding(0, 0), holding(1, 1), holding(2, 2)})[0].together, 1U);
  EXPECT_EQ(peaks(workload, {holding(0, 1), holding(1, 1), holding(2, 2)})[0].together, 2U);
}

TEST(Holdings, KindsPeakApartAndTogether) {
  // Kind 0 is held over [0, 5) and [0, 3), kind 1 over [3, 9) three times: both peaks at one instant would be 5.
  const Workload workload = chain({3, 2, 4});
  const std::vector<PeakUse> found =
      peaks(workload, {holding(0, 1), holding(0, 0), holding(1, 2, 1), holding(1, 2, 1), holding(1, 2, 1)});
  EXPECT_THAT(found[0].by_kind, ElementsAre(2, 3));
  EXPECT_EQ(found[0].together, 4U);
}

TEST(Holdings, LastFromTheEarlierAcquisitionToTheLaterRelease) {
  const Workload workload = chain({3, 2, 4});
  Holding both{0, 0, 1, {2, 1}, true, {1, 2}};
  EXPECT_EQ(peaks(workload, {both, holding(1, 1)})[0].together, 2U) << "task 1 is in [3, 9)";
  EXPECT_EQ(peaks(workload, {both, holding(2, 2)})[0].together, 2U) << "and task 2";
  EXPECT_EQ(peaks(workload, {both, holding(0, 0)})[0].together, 1U) << "but not task 0";
}

TEST(Holdings, TheFullestPoolOverTimeIsThatOfEveryInstantOrOfEqualParts) {
  const Workload workload = make_workload({3, 2, 4}, {0, 1, 0}, {{}, {}});  // [0, 3), [0, 2), [3, 7)
  const std::vector<Holding> holdings = {holding(0, 0), {1, 0, 5, {1, kNoTask}, true, {1, kNoTask}}, holding(2, 2, 1)};
  const Simulation simulation = simulate_tasks(workload);
  const std::vector<std::uint64_t> always = {2, 1};
  EXPECT_THAT(fullest_pool(workload, simulation, holdings, always, 10),
              ElementsAre(FullestPool{0, 6}, FullestPool{2, 3}, FullestPool{3, 3}, FullestPool{7, 2}))
      << "6 = 1 + 5 on pool 1, 3 = 2 + 1 on pool 0";
  EXPECT_THAT(fullest_pool(workload, simulation, holdings, always, 2),
              ElementsAre(FullestPool{0, 6}, FullestPool{3, 3}))
      << "7 / 2 is 3";
}

TEST(Holdings, BeginAtTheArrivalWhereTheyDoNotBeginAtTheStart) {
  Workload workload = chain({3, 2, 4});
  workload.delays = {1, 0, 0};  // task 0 arrives at 4
  Holding arriving{0, 0, 1, {0, kNoTask}, false, {2, kNoTask}};
  EXPECT_EQ(peaks(workload, {arriving, holding(0, 0)})[0].together, 1U) << "task 0 ends at 3";
  EXPECT_EQ(peaks(workload, {arriving, holding(1, 1)})[0].together, 2U) << "task 1 ends at 5";
}

TEST(Holdings, TakeNothingWithoutATaskAtEitherEndOrWhereTheyEndBeforeTheyBegin) {
  const Workload workload = chain({3, 2, 4});
  EXPECT_EQ(peaks(workload, {holding(kNoTask, 1), holding(1, kNoTask), holding(2, 0)})[0].together, 0U);
}

TEST(Holdings, CountAmountsInEveryPoolOnItsOwn) {
  const Workload workload = chain({3, 2});
  Holding large = holding(0, 1);
  large.amount = 40;
  Holding elsewhere = holding(0, 0, 1);
  elsewhere.pool = 1;
  elsewhere.amount = 7;
  const std::vector<PeakUse> found = peaks(workload, {large, elsewhere, holding(1, 1)}, 3);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_THAT(found[0].by_kind, ElementsAre(41, 0));
  EXPECT_THAT(found[1].by_kind, ElementsAre(0, 7));
  EXPECT_EQ(found[2].together, 0U);
}

TEST(Holdings, RefuseWhatDoesNotExist) {
  const Workload workload = chain({3, 2});
  Holding pool = holding(0, 1);
  pool.pool = 1;
  for (const Holding& bad : {pool, holding(0, 1, 2), holding(2, 1), holding(0, 2)})
    EXPECT_THROW(static_cast<void>(peaks(workload, {bad})), std::invalid_argument);
  Holding huge = holding(0, 1);
  huge.amount = ~std::uint64_t{0};
  EXPECT_ANY_THROW(static_cast<void>(peaks(workload, {huge, holding(0, 1)}))) << "64 bits are not enough";
}

class HoldingsTest : public testing::SeededTest {};

TEST_F(HoldingsTest, PeakIsTheMostOfAllInstants) {
  for (int round = 0; round < 100; ++round) {
    std::vector<std::uint64_t> durations(8);
    for (std::uint64_t& duration : durations) duration = between(0, 4);
    Workload workload = chain(durations);
    for (std::size_t id = 0; id < durations.size(); ++id) workload.delays.push_back(between(0, 3));
    const auto task = [&] { return chance(0.2) ? kNoTask : static_cast<std::uint32_t>(between(0, 7)); };
    std::vector<Holding> holdings(between(0, 12));
    for (Holding& one : holdings) {
      one = {static_cast<std::uint32_t>(between(0, 1)),
             static_cast<std::uint32_t>(between(0, 1)),
             between(1, 3),
             {task(), task()},
             chance(0.5),
             {task(), task()}};
    }
    const Simulation simulation = simulate_tasks(workload);
    std::vector<PeakUse> want(2, {{0, 0}, 0});
    for (std::uint64_t now = 0; now <= simulation.makespan; ++now) {
      std::vector<std::vector<std::uint64_t>> held(2, {0, 0});
      for (const Holding& one : holdings) {
        std::uint64_t from = ~std::uint64_t{0}, until = 0;
        for (const std::uint32_t id : one.acquired_by) {
          if (id == kNoTask) continue;
          from = std::min(from, one.at_start ? simulation.start[id] : simulation.end[id] + delay_of(workload, id));
        }
        for (const std::uint32_t id : one.released_by) {
          if (id != kNoTask) until = std::max(until, simulation.end[id]);
        }
        if (from <= now && now < until) held[one.pool][one.kind] += one.amount;
      }
      for (std::size_t pool = 0; pool < 2; ++pool) {
        for (std::size_t kind = 0; kind < 2; ++kind)
          want[pool].by_kind[kind] = std::max(want[pool].by_kind[kind], held[pool][kind]);
        want[pool].together = std::max(want[pool].together, held[pool][0] + held[pool][1]);
      }
    }
    const std::vector<PeakUse> got = peak_use(workload, simulation, holdings, 2, 2);
    for (std::size_t pool = 0; pool < 2; ++pool) {
      EXPECT_EQ(got[pool].by_kind, want[pool].by_kind) << "round " << round;
      EXPECT_EQ(got[pool].together, want[pool].together) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace upsweep

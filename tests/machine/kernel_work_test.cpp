#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>

#include "upsweep/machine/machine.hpp"

namespace upsweep {
namespace {

constexpr TeamRoom kRoom{227 * 1024, 132};

/// `teams` teams of four rows with 100 columns each; each walks ten rows of Y of 40 entries.
OpWork walked(std::uint64_t teams) {
  OpWork work;
  work.steps.teams = teams;
  work.steps.passes = 10 * teams;
  work.steps.team_steps = 400 * teams;
  work.steps.team_sums = 100 * teams;
  work.sizes = {4 * teams, 1000, 1000, 40 * teams, 40'000, 1600 * teams, 400 * teams};
  work.moved_bytes = 5000;
  return work;
}

double unit(const KernelVector& counts, std::string_view name) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (kKernelWorkNames[i] == name) return counts[i];
  }
  ADD_FAILURE() << "no unit " << name;
  return 0;
}

TEST(KernelWork, WaitsAreThoseOfATeamAndWorkThatOfAllRows) {
  const KernelVector counts = kernel_work(walked(50), kRoom, 4, 0);
  EXPECT_EQ(unit(counts, "kernel"), 1);
  EXPECT_EQ(unit(counts, "team_walk"), 10);
  EXPECT_DOUBLE_EQ(unit(counts, "wave_sum"), 400. / 32) << "fewer teams than places: each has one";
  EXPECT_EQ(unit(counts, "walk"), 500);
  EXPECT_EQ(unit(counts, "step"), 2 * 500) << "40 entries are two steps of 32 threads";
  EXPECT_EQ(unit(counts, "member_step"), 4 * 2 * 500) << "of all four rows of a team";
  EXPECT_EQ(unit(counts, "near_byte"), 5000);
  EXPECT_EQ(unit(counts, "far_byte"), 0);
}

TEST(KernelWork, MoreTeamsThanPlacesWaitInTurns) {
  const std::uint64_t places = resident_teams({32, 4}, 1600 + 250 + 640, kRoom);
  const KernelVector counts = kernel_work(walked(3 * places), kRoom, 4, 0);
  EXPECT_DOUBLE_EQ(unit(counts, "wave_sum"), 3 * 400. / 32);
  EXPECT_DOUBLE_EQ(unit(kernel_work(walked(6 * places), kRoom, 4, 0), "wave_sum"), 6 * 400. / 32);
  EXPECT_EQ(unit(counts, "team_walk"), 10) << "the others meanwhile hide what a team waits for";
}

TEST(KernelWork, RowsThatNeedMuchSharedMemoryLeaveRoomForFew) {
  EXPECT_EQ(resident_teams({128, 1}, 64 * 1024, kRoom), 132U * 3);
  EXPECT_EQ(resident_teams({128, 1}, 1, kRoom), 132U * 8) << "then registers bind";
  EXPECT_EQ(resident_teams({32, 4}, 1, kRoom), 132U * 8 * 4);
  EXPECT_EQ(resident_teams({128, 1}, 1 << 30, kRoom), 132U) << "sums are then in device memory";
}

TEST(KernelWork, BytesComeFromMemoryAsFarAsTheCacheIsLeft) {
  const KernelVector counts = kernel_work(walked(50), kRoom, 4, 0.25);
  EXPECT_EQ(unit(counts, "near_byte"), 3750);
  EXPECT_EQ(unit(counts, "far_byte"), 1250);
}

TEST(KernelWork, OfAProductWithAVectorIsRowsAndEntries) {
  OpWork work;
  work.is_mv = true;
  work.sizes = {30, 20, 1, 200, 20, 200, 30};
  const KernelVector counts = kernel_work(work, kRoom, 4, 0);
  EXPECT_EQ(unit(counts, "row"), 30);
  EXPECT_EQ(unit(counts, "entry"), 200);
  EXPECT_EQ(unit(counts, "team_walk"), 0);
}

TEST(KernelWork, FewLongRowsAreScaledStepByStep) {
  OpWork work;
  work.steps.teams = 512;
  work.steps.scaled_columns = 512 * 4096;
  work.sizes = {512, 4096, 4096, 512 * 4096, 4096, 512 * 4096, 512 * 4096};
  EXPECT_EQ(unit(kernel_work(work, kRoom, 4, 0), "row_step"), 128);
  work.sizes.rows = 512 * 4096;
  EXPECT_EQ(unit(kernel_work(work, kRoom, 4, 0), "row_step"), 1);
}

TEST(KernelWork, OthersShareTheDeviceWithTheWorkOfAnOpAndWaitInStreamsOfTheirOwn) {
  Machine gpu;
  gpu.kind = MachineKind::gpu;
  gpu.team_room = kRoom;
  Rates& rates = gpu.rates.emplace_back();
  rates.op_latency_s = 3;
  KernelVector& costs = rates.fp32.mm.kernel_costs.unit_s;
  const OpWork work = walked(50);
  const KernelVector counts = kernel_work(work, kRoom, 4, 1);
  double all = 0;
  double shared = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    costs[i] = static_cast<double>(i + 1);
    all += costs[i] * counts[i];
    if (i >= kWaits) shared += costs[i] * counts[i];
  }
  const OpTime time = op_time(gpu, work, {1000, 1000, 4, 0});
  EXPECT_DOUBLE_EQ(time.alone_s, 3 + all);
  EXPECT_DOUBLE_EQ(time.machine_s, shared);
  EXPECT_DOUBLE_EQ(op_time(gpu, work, {1, 1, 4, 0}).machine_s, all) << "one stream has nothing to do meanwhile";
}

TEST(LaunchCosts, JoiningALevelTakesMoreTheMoreOfItsOpsRunAtATime) {
  Machine gpu;
  gpu.kind = MachineKind::gpu;
  Rates& rates = gpu.rates.emplace_back();
  rates.workers = 8;
  rates.level_latency_s = 5;
  rates.stream_latency_s = 1;
  const LaunchCosts costs = launch_costs(gpu, rates);
  EXPECT_EQ(costs.joining_s(2), 5);
  EXPECT_EQ(costs.joining_s(5), 8);
  EXPECT_EQ(costs.joining_s(8), 11);
  EXPECT_EQ(costs.joining_s(1000), 11) << "no more streams than workers";
}

}  // namespace
}  // namespace upsweep

#include "upsweep/machine/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "../../src/backend/product_kernels.hpp"
#include "support/battery.hpp"
#include "upsweep/backend/schedule_plan.hpp"
#include "upsweep/machine/cache_traffic.hpp"
#include "upsweep/machine/op_parts.hpp"
#include "upsweep/machine/walking.hpp"

namespace upsweep {
namespace {

KindRates datasheet(double flops, double bytes, double cached) {
  KindRates made;
  made.flops_per_s = flops;
  made.bytes_per_s = bytes;
  made.cached_bytes_per_s = cached;
  return made;
}

/// 10 FLOP/s, 5 B/s and 50 B/s in the cache for products of matrices; 20, 2 and 4 for those with a vector; fp64 at half
/// of everything. An op takes 2 s to start.
Machine machine_of(MachineKind kind, std::size_t workers) {
  Machine machine;
  machine.name = "by hand";
  machine.kind = kind;
  Rates rates;
  rates.workers = workers;
  rates.op_latency_s = 2;
  rates.level_latency_s = 100;
  rates.fp32 = {datasheet(20, 2, 4), datasheet(10, 5, 50), 0};
  rates.fp64 = {datasheet(10, 1, 2), datasheet(5, 2.5, 25), 0};
  machine.rates = {rates};
  return machine;
}

OpWork work_of(std::uint64_t flops, std::uint64_t bytes) {
  OpWork work;
  work.flops = flops;
  work.bytes = bytes;
  work.steps.teams = 1;
  return work;
}

TEST(OpTime, OnAPramIsLatencyPlusTheLargerOfArithmeticAndMemory) {
  const Machine pram = machine_of(MachineKind::pram, 8);
  EXPECT_DOUBLE_EQ(op_time(pram, work_of(100, 20), {1, 1, 4, 0}).alone_s, 2 + 10);  // 10 s and 4 s
  const OpTime bound_by_memory = op_time(pram, work_of(100, 60), {4, 4, 4, 0});     // 10 s and 12 s
  EXPECT_DOUBLE_EQ(bound_by_memory.alone_s, 2 + 12);
  EXPECT_DOUBLE_EQ(bound_by_memory.machine_s, 14.0 / 4);
}

TEST(OpTime, UsesTheRatesOfItsKindAndNumberType) {
  const Machine pram = machine_of(MachineKind::pram, 8);
  OpWork work = work_of(100, 0);
  EXPECT_DOUBLE_EQ(op_time(pram, work, {1, 1, 8, 0}).alone_s, 2 + 20);
  work.is_mv = true;
  EXPECT_DOUBLE_EQ(op_time(pram, work, {1, 1, 4, 0}).alone_s, 2 + 5);
  EXPECT_DOUBLE_EQ(op_time(pram, work, {1, 1, 8, 0}).alone_s, 2 + 10);
}

TEST(OpTime, OnACpuIsThatOfTheWorkersThatHaveAPart) {
  const Machine cpu = machine_of(MachineKind::cpu, 4);
  const OpTime small = op_time(cpu, work_of(100, 20), {4, 4, 4, 0});
  EXPECT_DOUBLE_EQ(small.alone_s, 2 + 10 * 4) << "one part: a quarter of the arithmetic";
  EXPECT_DOUBLE_EQ(small.machine_s, 10);
  EXPECT_DOUBLE_EQ(op_time(cpu, work_of(100, 300), {4, 4, 4, 0}).alone_s, 2 + 60)
      << "what waits on memory is not slowed down by standing alone";
  OpWork work = work_of(100, 20);
  work.steps.single_steps = 2 * kPartCost;
  EXPECT_DOUBLE_EQ(op_time(cpu, work, {4, 4, 4, 0}).alone_s, 2 + 10 * 2) << "two parts";
  work.steps.single_steps = 100 * kPartCost;
  EXPECT_DOUBLE_EQ(op_time(cpu, work, {4, 4, 4, 0}).alone_s, 2 + 10) << "more parts than workers";
}

TEST(OpTime, OnAGpuIsThatOfTheShareThatItsTeamsFill) {
  Machine gpu = machine_of(MachineKind::gpu, 1);
  gpu.fill_teams = 100;
  OpWork work = work_of(100, 20);
  work.steps.teams = 25;
  const OpTime quarter = op_time(gpu, work, {1, 1, 4, 0});
  EXPECT_DOUBLE_EQ(quarter.alone_s, 2 + 10 * 4);
  EXPECT_DOUBLE_EQ(quarter.machine_s, 10);
  work.steps.teams = 100;
  EXPECT_DOUBLE_EQ(op_time(gpu, work, {1, 1, 4, 0}).alone_s, 2 + 10);
  work.steps.teams = 1000;
  EXPECT_DOUBLE_EQ(op_time(gpu, work, {1, 1, 4, 0}).alone_s, 2 + 10);
  work.steps.teams = 0;
  EXPECT_DOUBLE_EQ(op_time(gpu, work, {1, 1, 4, 0}).alone_s, 2 + 10 * 100) << "as with one team";
}

TEST(OpTime, AddsTheMeasuredCostsOfItsStepsUpAndSharesThemAmongTheWorkers) {
  Machine cpu = machine_of(MachineKind::cpu, 2);
  KindRates& rates = cpu.rates[0].fp32.mm;
  rates = {};
  for (std::size_t i = 0; i < kWorkNames.size(); ++i) {
    rates.costs.unit_s[i] = static_cast<double>(i + 1);
    rates.memory_costs.unit_s[i] = 3 * static_cast<double>(i + 1);
  }
  rates.costs.knows = rates.memory_costs.knows = {true, true, true, true};
  cpu.cache_bytes = 100;
  OpWork work;
  std::uint64_t next = 7;
  double wanted = 0;
  for (std::size_t i = 0; i < kStepCounts.size(); ++i) {
    work.steps.*kStepCounts[i] = next;
    wanted += static_cast<double>(next * (i + 1));
    next += 4;
  }
  // Those at runs are steps besides.
  work.steps.single_steps += work.steps.single_run_steps;
  work.steps.team_steps += work.steps.team_run_steps;
  work.moved_bytes = 11;
  work.picked_bytes = 1000;  // Y leaves the cache, too
  wanted += 11.0 * static_cast<double>(kWorkNames.size());
  // Nothing is far away; one part for two workers. In the cache memory takes no time, out of it three times as long.
  EXPECT_DOUBLE_EQ(op_time(cpu, work, {2, 2, 4, 0}).alone_s, 2 + wanted);
  EXPECT_DOUBLE_EQ(op_time(cpu, work, {2, 2, 4, 0}).machine_s, wanted / 2);
  EXPECT_DOUBLE_EQ(op_time(cpu, work, {2, 2, 4, 1000}).machine_s, 3 * wanted / 2);
}

TEST(UncachedShare, GoesFromNothingToAllBetweenWhatWasMeasuredOrFromHalfOfTheCacheToAllOfIt) {
  Machine machine;
  machine.kind = MachineKind::cpu;
  machine.cache_bytes = 1000;
  const auto shares = [&] {
    std::vector<double> all;
    for (const std::uint64_t bytes : {500, 750, 1000, 2000, 3000, 4000}) all.push_back(uncached_share(machine, bytes));
    return all;
  };
  EXPECT_EQ(shares(), (std::vector<double>{0, 0.5, 1, 1, 1, 1}));
  machine.from_memory_bytes = 3000;
  EXPECT_EQ(shares(), (std::vector<double>{0, 0, 0, 0.5, 1, 1}));
}

TEST(CacheTraffic, IsTheWorkingSetWhereTheCacheIsTheMachinesOwn) {
  Machine machine;
  machine.cache_bytes = 1000;
  const auto never = [](std::uint64_t) -> double { throw std::logic_error("nothing depends on the time"); };
  EXPECT_EQ(cache_traffic(machine, 700, never), 700U);
}

TEST(CacheTraffic, AddsWhatOthersBringInWhileAnIterationTakesLongerForIt) {
  Machine machine;
  machine.cache_bytes = 1000;
  machine.from_memory_bytes = 3000;
  machine.churn_bytes_per_s = 100;
  // 4 s in the cache, 12 s in memory: 600 + 100 t bytes are (600 + 100 t - 1000) / 2000 out of it, so that t is
  // 4 + 8 (t - 4) / 20 = 4, and the 1000 bytes are still inside.
  const auto seconds = [&](std::uint64_t bytes) { return 4 + 8 * uncached_share(machine, bytes); };
  EXPECT_EQ(cache_traffic(machine, 600, seconds), 1000U);
  // From 1200 bytes t = 4 + 8 (2 + t) / 20 is 8, of which 800 bytes come.
  EXPECT_NEAR(static_cast<double>(cache_traffic(machine, 1200, seconds)), 2000, 2000.0 / 64);
  machine.churn_bytes_per_s = 1e30;
  EXPECT_EQ(uncached_share(machine, cache_traffic(machine, 600, seconds)), 1) << "no overflow";
}

TEST(OpTime, BringsMemoryInAsTheWorkingSetLeavesTheCache) {
  Machine pram = machine_of(MachineKind::pram, 1);
  pram.cache_bytes = 1000;
  // 100 B: 2 s in the cache, 20 s out of it.
  const auto seconds = [&](std::uint64_t working_set) {
    return op_time(pram, work_of(0, 100), {1, 1, 4, working_set}).alone_s - 2;
  };
  EXPECT_DOUBLE_EQ(seconds(0), 2);
  EXPECT_DOUBLE_EQ(seconds(500), 2);
  EXPECT_DOUBLE_EQ(seconds(750), 11);
  EXPECT_DOUBLE_EQ(seconds(1000), 20);
  EXPECT_DOUBLE_EQ(seconds(100'000), 20);
  pram.cache_bytes = 0;
  EXPECT_DOUBLE_EQ(seconds(0), 20) << "without a known cache everything comes from memory";
}

TEST(OpTime, TakesLongerInProportionToWhatComesFromMemoryEvenWhereArithmeticTakesMost) {
  Machine cpu = machine_of(MachineKind::cpu, 1);
  cpu.cache_bytes = 1000;
  // 10 s of arithmetic, 20 s where all comes from memory.
  const auto time = [&](std::uint64_t working_set) { return op_time(cpu, work_of(100, 100), {1, 1, 4, working_set}); };
  const double inside = time(0).alone_s;
  const double outside = time(1000).alone_s;
  ASSERT_GT(outside, inside);
  EXPECT_DOUBLE_EQ(time(750).alone_s, (inside + outside) / 2);
}

TEST(OpTime, WaitsForAColdMemoryAsFarAsTheWorkingSetHasLeftTheCache) {
  Machine cpu = machine_of(MachineKind::cpu, 2);
  cpu.cache_bytes = 1000;
  cpu.rates[0].far_latency_s = 8;
  const auto time = [&](std::uint64_t working_set) { return op_time(cpu, work_of(0, 100), {2, 2, 4, working_set}); };
  EXPECT_DOUBLE_EQ(time(500).alone_s, 2 + 2);
  EXPECT_DOUBLE_EQ(time(750).alone_s, 2 + 11 + 4);
  EXPECT_DOUBLE_EQ(time(1000).alone_s, 2 + 20 + 8);
  EXPECT_DOUBLE_EQ(time(1000).machine_s, 20 + 8 / 2) << "the other worker has something else to do";
}

TEST(OpTime, WaitsForTheCacheThatAllShareWhereTheWorkingSetHasLeftTheNearOnes) {
  Machine cpu = machine_of(MachineKind::cpu, 2);
  cpu.near_cache_bytes = 100;
  cpu.cache_bytes = 10'000;
  cpu.rates[0].near_latency_s = 8;
  const auto time = [&](std::uint64_t working_set) { return op_time(cpu, work_of(0, 100), {2, 2, 4, working_set}); };
  EXPECT_DOUBLE_EQ(time(100).alone_s, 2 + 2) << "half of both";
  EXPECT_DOUBLE_EQ(time(200).alone_s, 2 + 2 + 4);
  EXPECT_DOUBLE_EQ(time(400).alone_s, 2 + 2 + 8);
  EXPECT_DOUBLE_EQ(time(400).machine_s, 2 + 8 / 2);
}

TEST(FarShares, RampFromHalfToTwiceTheCacheByItsLogarithm) {
  Machine machine = machine_of(MachineKind::cpu, 1);
  machine.near_cache_bytes = 1024;
  machine.first_cache_bytes = 64;
  OpWork walk;
  walk.steps.passes = 5;
  const auto share = [&](OpWork work, std::uint64_t picked) {
    work.picked_bytes = picked;
    return far_shares(machine, work, 4).y;
  };
  for (const auto& [bytes, wanted] : std::vector<std::pair<std::uint64_t, double>>{
           {0, 0}, {1, 0}, {512, 0}, {724, 0.25}, {1024, 0.5}, {2048, 1}, {1 << 20, 1}}) {
    EXPECT_NEAR(share(walk, bytes), wanted, 1e-3) << bytes;
  }
  OpWork vector;
  vector.is_mv = true;
  OpWork diagonal;
  diagonal.steps.scaled_columns = 3;
  for (const OpWork& numbers : {vector, diagonal}) {
    EXPECT_DOUBLE_EQ(share(numbers, 32), 0);
    EXPECT_DOUBLE_EQ(share(numbers, 64), 0.5) << "numbers are picked from the first cache";
    EXPECT_DOUBLE_EQ(share(numbers, 128), 1);
  }
  machine.near_cache_bytes = machine.first_cache_bytes = 0;
  EXPECT_EQ(share(walk, 1 << 30), 0) << "no cache is known";
  EXPECT_EQ(share(vector, 1 << 30), 0);
}

TEST(WorkCounts, AddThoseThatReadFromAFarCacheAndTheBytes) {
  OpWork work;
  work.steps.scaled_columns = 10;
  work.steps.single_steps = 20;
  work.steps.team_steps = 40;
  work.moved_bytes = 7;
  const WorkVector counts = work_counts(work, {0.25});
  for (std::size_t i = 0; i < kStepCounts.size(); ++i) {
    EXPECT_EQ(counts[i], static_cast<double>(work.steps.*kStepCounts[i])) << kWorkNames[i];
  }
  const auto named = [&](const std::string& name) {
    return counts[static_cast<std::size_t>(std::find(kWorkNames.begin(), kWorkNames.end(), name) - kWorkNames.begin())];
  };
  EXPECT_EQ(named("scaled_column"), 10);
  EXPECT_EQ(named("far_scaled_column"), 2.5);
  EXPECT_EQ(named("far_single_step"), 5);
  EXPECT_EQ(named("far_team_step"), 10);
  EXPECT_EQ(named("moved_byte"), 7);
}

/// A product whose rows of C have `sums` entries each, of `cols` columns.
OpWork rows_of_sums(std::uint64_t sums, std::uint64_t cols) {
  OpWork work;
  work.steps.passes = 1;
  work.sizes.rows = 10;
  work.sizes.cols = cols;
  work.sizes.nnz = 10 * sums;
  return work;
}

TEST(FarShares, OfSumsGoByTheLinesOfTheFirstCacheThatARowTouches) {
  Machine machine = machine_of(MachineKind::cpu, 1);
  machine.first_cache_bytes = 32768;
  const auto single = [&](std::uint64_t sums, std::uint64_t cols, unsigned value_bytes = 4) {
    return far_shares(machine, rows_of_sums(sums, cols), value_bytes).single_sums;
  };
  EXPECT_EQ(single(2048, 2048), 0) << "8 KiB, half of the half that sums have";
  EXPECT_NEAR(single(4096 * 8, 4096), 0.5, 1e-3) << "16 KiB";
  EXPECT_NEAR(single(8192 * 8, 8192), 1, 1e-3);
  EXPECT_NEAR(single(4096 * 8, 4096, 8), 1, 1e-3) << "numbers twice as large";
  EXPECT_NEAR(far_shares(machine, rows_of_sums(1024 * 8, 1024), 4).team_sums, 0.5, 1e-3) << "four rows together";
  EXPECT_GT(single(512, 65536), 0.9) << "as many lines as sums, nearly";
  EXPECT_EQ(single(100, 65536), 0) << "and few of them";
  OpWork vector = rows_of_sums(8192, 8192);
  vector.is_mv = true;
  EXPECT_EQ(far_shares(machine, vector, 4).single_sums, 0) << "it adds up in a register";
  machine.first_cache_bytes = 0;
  EXPECT_EQ(single(8192, 8192), 0) << "a cache that nobody knows";
}

TEST(WorkCounts, CountStepsAndSumsOfWideRowsBesides) {
  OpWork work;
  work.steps = {
      .passes = 9, .single_steps = 20, .team_steps = 40, .single_sums = 6, .team_sums = 8, .single_run_steps = 12};
  const WorkVector counts = work_counts(work, {0, 0.5, 0.25});
  EXPECT_EQ(counts[work_unit("single_step")], 8);
  EXPECT_EQ(counts[work_unit("wide_single_step")], 4) << "runs are added up in the order of their columns";
  EXPECT_EQ(counts[work_unit("wide_team_step")], 10);
  EXPECT_EQ(counts[work_unit("single_sum")], 6);
  EXPECT_EQ(counts[work_unit("wide_single_sum")], 3);
  EXPECT_EQ(counts[work_unit("wide_team_sum")], 2);
}

TEST(WorkCounts, CountRowsOfYThatAreFarBesides) {
  OpWork work;
  work.steps = {.passes = 8, .single_steps = 20};
  EXPECT_EQ(work_counts(work, {0.25})[work_unit("pass")], 8);
  EXPECT_EQ(work_counts(work, {0.25})[work_unit("far_pass")], 2);
  EXPECT_EQ(work_counts(work, {0})[work_unit("far_pass")], 0);
  EXPECT_EQ(work_counts(work, {0.25}, {})[work_unit("far_pass")], 0) << "files from before there was one";
  EXPECT_TRUE(is_walking("far_pass")) << "where Y fits the cache it comes from there";
}

TEST(WorkCounts, CountStepsAtRunsApartWhereTheyHaveATime) {
  OpWork work;
  work.steps = {.passes = 9, .single_steps = 20, .team_steps = 40, .single_run_steps = 12, .team_run_steps = 40};
  const WorkVector counts = work_counts(work, {0.5});
  EXPECT_EQ(counts[work_unit("single_step")], 8);
  EXPECT_EQ(counts[work_unit("far_single_step")], 4);
  EXPECT_EQ(counts[work_unit("team_step")], 0);
  EXPECT_EQ(counts[work_unit("single_run")], 12);
  EXPECT_EQ(counts[work_unit("far_single_run")], 6);
  EXPECT_EQ(counts[work_unit("team_run")], 40);
  EXPECT_EQ(counts[work_unit("far_team_run")], 20);
  OpWork plain = work;
  plain.steps.single_run_steps = plain.steps.team_run_steps = 0;
  EXPECT_EQ(work_counts(work, {0.5}, {}), work_counts(plain, {0.5}, {})) << "files from before there were any";
}

TEST(OpTime, CostsStepsAtRunsAsAnyWhereAMachineFileKnowsNoTimeOfThem) {
  Machine machine;
  machine.kind = MachineKind::cpu;
  KindRates& mm = machine.rates.emplace_back().fp32.mm;
  mm.costs.unit_s[work_unit("single_step")] = 2;
  OpWork work;
  work.steps = {.passes = 1, .single_steps = 20, .single_run_steps = 12};
  const auto seconds = [&] { return op_time(machine, work, {1, 1, 4, 0}).alone_s; };
  EXPECT_EQ(seconds(), 40);
  mm.costs.unit_s[work_unit("single_run")] = 0.5;
  mm.costs.knows.runs = true;
  EXPECT_EQ(seconds(), 8 * 2 + 12 * 0.5);
}

/// A matrix of ten rows times a vector, where each row has one entry: six alone, and a team of four.
OpWork picking() {
  OpWork work;
  work.is_mv = true;
  work.flops = 20;
  work.steps = {.teams = 7, .single_steps = 6, .team_steps = 1};
  work.moved_bytes = 7;
  return work;
}

TEST(PickedEntries, AreThoseOfVectorsWhoseMatrixHasOneEntryInEachRow) {
  EXPECT_EQ(picked_entries(picking()), 10U);
  OpWork longer = picking();
  longer.steps.single_steps = 7;
  EXPECT_EQ(picked_entries(longer), 0U) << "a row has two entries";
  OpWork product = picking();
  product.is_mv = false;
  EXPECT_EQ(picked_entries(product), 0U);
  OpWork nothing;
  nothing.is_mv = true;
  EXPECT_EQ(picked_entries(nothing), 0U);
}

TEST(PickedEntries, AreCountedInsteadOfAllElseButBytes) {
  WorkVector wanted{};
  wanted[work_unit("picked")] = 10;
  wanted.back() = 7;
  EXPECT_EQ(work_counts(picking(), {0.5, 1, 1}), wanted);
}

TEST(PickedEntries, CostStepsWhereAMachineFileWasCalibratedBeforeThem) {
  Machine machine;
  machine.kind = MachineKind::cpu;
  Rates& rates = machine.rates.emplace_back();
  rates.fp32.mv.costs.unit_s[0] = 1;  // a team
  const auto seconds = [&] { return op_time(machine, picking(), {1, 1, 4, 0}).alone_s; };
  EXPECT_EQ(seconds(), 7);
  rates.fp32.mv.costs.unit_s[work_unit("picked")] = 0.5;
  rates.fp32.mv.costs.knows.picked = true;
  EXPECT_EQ(seconds(), 5);
  rates.fp32.mv.memory_costs.unit_s[0] = 1;
  EXPECT_EQ(seconds(), 7) << "out of the cache nothing is known of them";
  rates.fp32.mv.memory_costs.knows.picked = true;
  EXPECT_EQ(seconds(), 5);
}

/// Ten rows of Y, of 100 bytes, are walked.
OpWork walk_of(std::uint64_t y_bytes) {
  OpWork work;
  work.steps = {.teams = 1, .passes = 10, .single_steps = 50};
  work.picked_bytes = y_bytes;
  work.moved_bytes = 3;
  return work;
}

TEST(Walks, ComeFromTheCacheWhereYFitsWhateverElseMoves) {
  Machine machine;
  machine.kind = MachineKind::cpu;
  machine.cache_bytes = 100;
  KindRates& mm = machine.rates.emplace_back().fp32.mm;
  const auto unit = [](WorkCosts& costs, std::string_view name) -> double& {
    return costs.unit_s[static_cast<std::size_t>(std::ranges::find(kWorkNames, name) - kWorkNames.begin())];
  };
  unit(mm.costs, "single_step") = 1;
  unit(mm.memory_costs, "single_step") = 3;
  unit(mm.memory_costs, "moved_byte") = 7;
  const auto seconds = [&](const OpWork& work) { return op_time(machine, work, {1, 1, 4, 1000}).alone_s; };
  EXPECT_EQ(walked_share(machine, walk_of(50)), 0);
  EXPECT_EQ(seconds(walk_of(50)), 50 * 1 + 3 * 7);
  EXPECT_EQ(seconds(walk_of(75)), 50 * (0.5 * 1 + 0.5 * 3) + 3 * 7) << "half of Y is read from memory each time";
  EXPECT_EQ(seconds(walk_of(100)), 50 * 3 + 3 * 7);
  OpWork vector = walk_of(50);
  vector.is_mv = true;
  EXPECT_EQ(walked_share(machine, vector), 1) << "operands are read once";
}

TEST(MovedBytes, OfHandCountedProducts) {
  OpWork general;
  general.steps = {.teams = 3, .passes = 7, .single_steps = 3, .team_steps = 6, .single_sums = 2, .team_sums = 4};
  EXPECT_EQ(moved_bytes(general, 3, 13, 12, 4), 4U * (3 + 13 + 2 * 12) + 4 * (7 + 2 + 4));
  EXPECT_EQ(moved_bytes(general, 3, 13, 12, 8), 8U * (3 + 13 + 2 * 12) + 4 * (7 + 2 + 4));
  OpWork vector;
  vector.is_mv = true;
  vector.steps = {.teams = 3, .single_steps = 5, .team_steps = 6};
  EXPECT_EQ(moved_bytes(vector, 9, 29, 10, 4), 4U * (9 + 29 + 2 * 10) + 4 * (5 + 6));
  OpWork scaled;
  scaled.steps = {.teams = 3, .scaled_columns = 20};
  EXPECT_EQ(moved_bytes(scaled, 9, 20, 20, 4), 4U * (9 + 20 + 2 * 20) + 4 * 20);
  scaled.steps = {.teams = 3, .scaled_rows = 20};
  EXPECT_EQ(moved_bytes(scaled, 9, 3, 20, 4), 4U * (9 + 3 + 2 * 20)) << "rows of Y are copied: no column is read";
}

TEST(Machine, HasTheRatesOfTheLargestEntryThatIsNoLarger) {
  Machine machine;
  for (const std::size_t workers : {2, 4, 16}) machine.rates.emplace_back().workers = workers;
  EXPECT_EQ(machine.workers(), 16U);
  for (const auto& [active, wanted] : std::vector<std::pair<std::size_t, std::size_t>>{
           {1, 2}, {2, 2}, {3, 2}, {4, 4}, {15, 4}, {16, 16}, {1000, 16}}) {
    EXPECT_EQ(machine.at(active).workers, wanted) << active;
  }
}

TEST(OpParts, AreAtLeastAsLargeAsWorthAndAtMostEightPerWorker) {
  EXPECT_EQ(op_parts(~std::uint64_t{0}, 1), 1U);
  EXPECT_EQ(op_parts(0, 4), 1U);
  EXPECT_EQ(op_parts(2 * kPartCost - 1, 4), 1U);
  EXPECT_EQ(op_parts(2 * kPartCost, 4), 2U);
  EXPECT_EQ(op_parts(1000 * kPartCost, 4), 32U);
}

/// The cost of X·Y by the plan of the cpu backend and by the counts of the machine model.
void expect_one_cost(const std::shared_ptr<const Pattern>& x, const std::shared_ptr<const Pattern>& y) {
  Schedule schedule;
  schedule.length = 3;
  schedule.levels = 1;
  schedule.combines = {{Phase::up, 0, 1, 2, 2, 1, 2}};
  schedule.results = {kIdentity, 0, 0};
  const SchedulePlan plan = plan_schedule(schedule, {y->cols(), {y, x}});
  ProductTask<float> task;
  task.form = plan.ops[0].form;
  task.x = plan.layouts[2].get();
  task.y = plan.layouts[1].get();
  task.c = plan.layouts[3].get();
  OpWork work;
  work.steps = multiply(x, y, Keep::counts).steps;
  EXPECT_EQ(task.unit_costs().back(), op_cost(work));
}

/// The same of X times a vector.
void expect_one_vector_cost(const Pattern& x) {
  LayoutMaker layouts;
  const std::shared_ptr<const Layout> layout = layouts.make(x);
  ProductTask<float> task;
  task.x = layout.get();
  OpWork work;
  work.is_mv = true;
  work.flops = 2 * x.nnz();
  work.steps = steps_with_dense_vector(x);
  EXPECT_EQ(task.unit_costs().back(), op_cost(work));
}

/// Patterns of the battery without empty rows: the backend counts a little for those, the model nothing.
std::vector<testing::NamedPattern> full_rows() {
  std::vector<testing::NamedPattern> patterns;
  for (const testing::NamedPattern& one : testing::battery(45)) {
    bool has_empty_row = false;
    for (Index r = 0; r < one.pattern.rows(); ++r) has_empty_row = has_empty_row || one.pattern.row(r).nnz() == 0;
    if (!has_empty_row) patterns.push_back(one);
  }
  return patterns;
}

TEST(OpCost, IsTheCostByWhichTheCpuBackendCutsAnOp) {
  for (const auto& x : full_rows()) {
    std::vector<Index> numbers;
    for (Index r = 0; r < 200; ++r) numbers.push_back(x.pattern.row_number(r * r % 45));
    const auto left = std::make_shared<const Pattern>(x.pattern);
    const auto teams = std::make_shared<const Pattern>(200, 45, numbers, x.pattern.store());
    for (const auto& y : full_rows()) {
      SCOPED_TRACE(x.name + " times " + y.name);
      const auto right = std::make_shared<const Pattern>(y.pattern);
      expect_one_cost(left, right);
      expect_one_cost(teams, right);
    }
    expect_one_vector_cost(*left);
    expect_one_vector_cost(*teams);
  }
}

TEST(ErrorFigures, AreThoseOfAHandComputedSample) {
  const ErrorFigures even = error_figures({1.25, 0.5, 3, 1}, {1, 1, 2, 4});  // 0.25, 0.5, 0.5, 0.75
  EXPECT_EQ(even, (ErrorFigures{4, 0.5, 0.5, 0.75, 0.75}));
  const ErrorFigures uneven = error_figures({1.25, 1.5, 3}, {1, 1, 1});  // 0.25, 0.5, 2
  EXPECT_EQ(uneven, (ErrorFigures{3, 2.75 / 3, 0.5, 2, 2}));
  const ErrorFigures median = error_figures({1.5, 1, 2, 1.25}, {1, 1, 1, 1});  // 0, 0.25, 0.5, 1
  EXPECT_EQ(median.median, 0.375) << "the mean of the two in the middle";
}

TEST(ErrorFigures, HaveNineTenthsOfThePointsWithinTheirP90) {
  for (std::size_t count = 1; count <= 100; ++count) {
    std::vector<double> predicted;
    for (std::size_t i = count; i > 0; --i) predicted.push_back(1 + static_cast<double>(i));
    const ErrorFigures figures = error_figures(predicted, std::vector<double>(count, 1));
    // The errors are 1, 2, ... count.
    EXPECT_EQ(figures.p90, static_cast<double>((9 * count + 9) / 10)) << count;
    EXPECT_EQ(figures.max, static_cast<double>(count));
    EXPECT_DOUBLE_EQ(figures.mean, (static_cast<double>(count) + 1) / 2);
  }
}

TEST(ErrorFigures, AreZeroWithoutPointsAndRefuseWhatIsNoMeasurement) {
  EXPECT_EQ(error_figures({}, {}), ErrorFigures());
  EXPECT_THROW(static_cast<void>(error_figures({1}, {})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(error_figures({1}, {0})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(error_figures({1, 1}, {1, -1})), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep

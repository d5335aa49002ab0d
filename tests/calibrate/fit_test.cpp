#include "upsweep/calibrate/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

#include "calibrate/memory_rates.hpp"
#include "support/random.hpp"
#include "upsweep/calibrate/calibrate.hpp"
#include "upsweep/calibrate/synthetic.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

class FitTest : public testing::SeededTest {
 protected:
  double unit() { return static_cast<double>(between(0, 1'000'000)) * 1e-6; }

  /// Costs of a few nanoseconds, some of them 0.
  WorkCosts random_costs() {
    WorkCosts costs;
    for (double& cost : costs.unit_s) cost = chance(0.3) ? 0 : (0.1 + unit()) * 1e-9;
    return costs;
  }

  WorkVector random_counts() {
    WorkVector counts{};
    for (double& count : counts) count = chance(0.5) ? 0 : unit() * 1e6;
    counts[between(0, counts.size() - 1)] += 1;
    return counts;
  }

  std::vector<CostPoint> points_of(const WorkCosts& costs, std::size_t count, double noise) {
    std::vector<CostPoint> points;
    while (points.size() < count) {
      CostPoint point{random_counts(), 0};
      point.worker_seconds = costs.seconds(point.counts) * std::exp(noise * normal());
      if (point.worker_seconds > 0) points.push_back(point);
    }
    return points;
  }
};

double squared_errors(const WorkCosts& costs, const std::vector<CostPoint>& points) {
  double sum = 0;
  for (const CostPoint& point : points) sum += std::pow(costs.seconds(point.counts) / point.worker_seconds - 1, 2);
  return sum;
}

TEST_F(FitTest, RecoversCostsFromPointsWithoutNoise) {
  for (int round = 0; round < 20; ++round) {
    const WorkCosts wanted = random_costs();
    const std::vector<CostPoint> points = points_of(wanted, 200, 0);
    const WorkCosts found = fit_costs(points);
    for (std::size_t i = 0; i < kWorkNames.size(); ++i) {
      EXPECT_NEAR(found.unit_s[i], wanted.unit_s[i], 1e-14) << kWorkNames[i];
    }
    EXPECT_LT(squared_errors(found, points), 1e-9);
  }
}

TEST_F(FitTest, IsNeverNegativeAndNoWorseThanTheTrueCostsWithNoise) {
  for (int round = 0; round < 20; ++round) {
    const WorkCosts truth = random_costs();
    const std::vector<CostPoint> points = points_of(truth, between(1, 60), 0.5);
    const WorkCosts found = fit_costs(points);
    for (std::size_t i = 0; i < kWorkNames.size(); ++i) EXPECT_GE(found.unit_s[i], 0) << kWorkNames[i];
    EXPECT_LE(squared_errors(found, points), squared_errors(truth, points) * (1 + 1e-6) + 1e-9);
  }
}

TEST_F(FitTest, IsALeastSquaresSolutionThatNoSmallStepImproves) {
  const std::vector<CostPoint> points = points_of(random_costs(), 80, 0.3);
  const WorkCosts found = fit_costs(points);
  const double least = squared_errors(found, points);
  for (std::size_t i = 0; i < kWorkNames.size(); ++i) {
    for (const double step : {-1e-12, 1e-12}) {
      WorkCosts other = found;
      other.unit_s[i] = std::max(0.0, other.unit_s[i] + step);
      EXPECT_GE(squared_errors(other, points), least * (1 - 1e-9)) << kWorkNames[i];
    }
  }
}

TEST_F(FitTest, KeepsTheCostOfWhatNoPointHasAtZero) {
  WorkCosts costs;
  costs.unit_s[0] = 2e-9;
  std::vector<CostPoint> points;
  for (int i = 1; i < 10; ++i) {
    CostPoint& point = points.emplace_back();
    point.counts[0] = i * 100.0;
    point.worker_seconds = costs.seconds(point.counts);
  }
  const WorkCosts found = fit_costs(points);
  EXPECT_NEAR(found.unit_s[0], 2e-9, 1e-18);
  for (std::size_t i = 1; i < kWorkNames.size(); ++i) EXPECT_EQ(found.unit_s[i], 0);
}

TEST(FitCosts, RefusesNoPointsAndTimesThatAreNotPositive) {
  EXPECT_THROW(static_cast<void>(fit_costs({})), std::invalid_argument);
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    CostPoint good;
    good.counts[0] = 1;
    good.worker_seconds = 1;
    CostPoint bad = good;
    bad.worker_seconds = seconds;
    EXPECT_THROW(static_cast<void>(fit_costs({good, bad})), std::invalid_argument) << seconds;
  }
}

/// Unique names, and every family in and out of a cache of this size.
void expect_complete_set(std::uint64_t cache, unsigned value_bytes) {
  SCOPED_TRACE(std::to_string(cache) + " bytes of cache, " + std::to_string(value_bytes) + " bytes a value");
  std::set<std::string> names;
  std::map<std::pair<Family, bool>, int> families;
  std::string repeated;
  for (const SyntheticProduct& product : synthetic_products(cache, value_bytes)) {
    if (!names.insert(product.name).second) repeated += "\n  " + product.name;
    ++families[{product.family, product.in_cache}];
  }
  EXPECT_EQ(repeated, "") << "measured twice";
  for (const Family family : {Family::vector, Family::scale_columns, Family::scale_rows, Family::single_columns,
                              Family::general, Family::runs}) {
    for (const bool in_cache : {true, false}) {
      EXPECT_GT((families[{family, in_cache}]), 0)
          << "family " << static_cast<int>(family) << (in_cache ? " in" : " out of") << " the cache";
    }
  }
}

// Sides of powers of two once left none out of a cache of 112 MB: picked vectors then cost nothing there.
TEST(SyntheticProducts, PickVectorsInAndOutOfCachesOfEverySize) {
  for (double cache = 1 << 20; cache < 1.0 * (1 << 30); cache *= 1.03) {
    for (const unsigned value_bytes : {4U, 8U}) {
      const auto bytes = static_cast<std::uint64_t>(cache);
      SCOPED_TRACE(std::to_string(bytes) + " bytes of cache, " + std::to_string(value_bytes) + " bytes a value");
      std::size_t inside = 0;
      std::size_t outside = 0;
      for (const SyntheticProduct& product : synthetic_products(bytes, value_bytes)) {
        if (product.family != Family::vector || product.channels != 1 || product.reach != 0) continue;
        ++(product.in_cache ? inside : outside);
        const std::uint64_t rows = static_cast<std::uint64_t>(product.side) * product.side;
        const auto live = static_cast<double>(csr_bytes(rows, rows, value_bytes) + 2 * value_bytes * rows);
        if (product.in_cache) {
          EXPECT_LE(live, 0.4 * cache);
          continue;
        }
        EXPECT_EQ(rows % kTeamRows, 0U);
        EXPECT_NEAR(live, 4 * cache, 0.1 * cache);
      }
      EXPECT_EQ(inside, 2U);  // with teams and without
      // 2^24 distinct rows are made at most, of 20 or 32 bytes; four of a team are one.
      const double row = value_bytes == 4 ? 20 : 32;
      const double fits = 4 * cache / row / (1 << 24);
      EXPECT_EQ(outside, fits <= 1 ? 2U : fits <= 4 ? 1U : 0U);
    }
  }
}

// With a measured cache of 380 MB, diagonals of 100 million rows were made, and a calibration took a quarter of an
// hour.
TEST(SyntheticProducts, HaveNoMoreDistinctRowsThanAreSoonMade) {
  for (double cache = 1 << 20; cache < 4.0 * (1 << 30); cache *= 1.3) {
    for (const unsigned value_bytes : {4U, 8U}) {
      for (const SyntheticProduct& product : synthetic_products(static_cast<std::uint64_t>(cache), value_bytes)) {
        const std::uint64_t rows = static_cast<std::uint64_t>(product.channels) * product.side * product.side;
        EXPECT_LE(rows / (product.teams ? kTeamRows : 1), std::uint64_t{17} << 20) << product.name;
      }
    }
  }
}

TEST(SyntheticProducts, GrowNoMoreInCachesOfMoreThan128MiB) {
  const auto names = [](std::uint64_t cache) {
    std::vector<std::string> found;
    for (const SyntheticProduct& product : synthetic_products(cache, 4))
      if (product.in_cache) found.push_back(product.name);
    return found;
  };
  const std::uint64_t most = std::uint64_t{1} << 27;
  EXPECT_EQ(names(4 * most), names(most));
  EXPECT_NE(names(most / 4), names(most)) << "smaller ones are filled";
}

TEST(TakeUnmeasured, HasWhatNoSampleTellsOfMemoryCostWhatItDoesInTheCache) {
  WorkCosts cache;
  cache.unit_s.fill(2e-10);
  cache.knows = {.picked = true};
  WorkCosts memory;
  memory.unit_s[work_unit("moved_byte")] = 5e-10;
  CostPoint point;
  point.counts[work_unit("moved_byte")] = 100;
  point.counts[work_unit("team")] = 3;  // measured, and found to cost nothing
  take_unmeasured(memory, cache, {point});
  EXPECT_EQ(memory.unit_s[work_unit("moved_byte")], 5e-10);
  EXPECT_EQ(memory.unit_s[work_unit("team")], 0);
  EXPECT_EQ(memory.unit_s[work_unit("picked")], 2e-10);
  EXPECT_EQ(memory.knows, cache.knows);
}

// A quick calibration has every third product: of picked vectors it may have one in memory and none in the cache.
TEST(TakeUnmeasured, KnowsNothingOfMemoryThatItDoesNotKnowOfTheCache) {
  const WorkCosts cache;
  WorkCosts memory;
  memory.unit_s[work_unit("picked")] = 5e-10;
  CostPoint point;
  point.counts[work_unit("picked")] = 100;
  take_unmeasured(memory, cache, {point});
  EXPECT_EQ(memory, cache);
}

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// Times of working sets from 8 MiB to 2 GiB on a machine with such an edge, and of 8 MiB after pauses up to 100 ms.
std::vector<ReadTime> read_times(const CacheEdge& edge, double far = 2) {
  Machine machine;
  machine.cache_bytes = edge.inside;
  machine.from_memory_bytes = edge.outside;
  const auto time = [&](std::uint64_t bytes, double pause) {
    const double iteration = pause + static_cast<double>(bytes) * 3e-11;
    const auto moved = bytes + static_cast<std::uint64_t>(edge.churn_bytes_per_s * iteration);
    return ReadTime{bytes, iteration, 1e-11 * (1 + (far - 1) * uncached_share(machine, moved))};
  };
  std::vector<ReadTime> times;
  for (const double pause : {0.1, 0.03, 0.01, 0.003}) times.push_back(time(8 * kMiB, pause));
  for (double bytes = 8 * kMiB; bytes <= 2048 * kMiB; bytes *= 1.25)
    times.push_back(time(static_cast<std::uint64_t>(bytes), 0));
  return times;
}

void expect_near(const CacheEdge& found, const CacheEdge& wanted, double churn_off = 0.15) {
  EXPECT_NEAR(static_cast<double>(found.inside) / static_cast<double>(wanted.inside), 1, 0.15);
  EXPECT_NEAR(static_cast<double>(found.outside) / static_cast<double>(wanted.outside), 1, 0.15);
  EXPECT_NEAR(found.churn_bytes_per_s, wanted.churn_bytes_per_s, churn_off * wanted.churn_bytes_per_s);
}

TEST(CacheEdge, IsFoundWithWhatOthersBringIntoTheCache) {
  expect_near(cache_edge(read_times({60 * kMiB, 150 * kMiB, 8e9})), {60 * kMiB, 150 * kMiB, 8e9});
  const CacheEdge found = cache_edge(read_times({30 * kMiB, 45 * kMiB, 0}));
  expect_near(found, {30 * kMiB, 45 * kMiB, 0});
  EXPECT_FALSE((Calibration{.cache_error = found.error}).is_disturbed());
}

// They leave room for less churn, see cache_edge().
TEST(CacheEdge, IsNotMovedByAFewTimesThatSomethingDisturbed) {
  std::vector<ReadTime> times = read_times({60 * kMiB, 150 * kMiB, 8e9});
  times[6].byte_s *= 3;
  times[times.size() - 6].byte_s *= 2;
  times.back().byte_s *= 1.5;
  expect_near(cache_edge(times), {60 * kMiB, 150 * kMiB, 8e9}, 0.5);
}

// Measured on 2 cores of a Xeon that said to have 480 MiB, of which 76 to 112 MB were found on quiet days, while two
// other processes ran (2026-11-28). The least sum is that of 420 MB and 96 GB/s.
TEST(CacheEdge, TakesNoLargeCacheFullOfChurnForASmallOne) {
  const std::vector<ReadTime> times = {
      {16777216, 0.007717, 4.67e-11},  {16777216, 0.01543, 5.21e-11},   {16777216, 0.02639, 4.9e-11},
      {16777216, 0.05369, 5.02e-11},   {16777216, 0.1062, 4.97e-11},    {16777216, 0.2093, 9.36e-11},
      {18874368, 0.0004772, 2.51e-11}, {25165824, 0.0006456, 2.53e-11}, {33554432, 0.001575, 4.59e-11},
      {41943040, 0.001436, 2.71e-11},  {52428800, 0.002406, 3.87e-11},  {67108864, 0.005745, 3.73e-11},
      {83886080, 0.007711, 5.01e-11},  {106954752, 0.01301, 4.55e-11},  {134217728, 0.01142, 4.32e-11},
      {169869312, 0.02042, 5.59e-11},  {213909504, 0.03543, 6.22e-11},  {268435456, 0.02464, 6.21e-11},
      {335544320, 0.03306, 5.77e-11},  {419430400, 0.0464, 5.84e-11},   {524288000, 0.07107, 6.62e-11},
      {656408576, 0.07295, 6.28e-11},  {822083584, 0.1001, 5.76e-11},   {1029701632, 0.129, 7.03e-11},
      {1287651328, 0.1596, 6.91e-11},  {1610612736, 0.2049, 6.94e-11},  {2013265920, 0.2702, 6.71e-11}};
  const CacheEdge found = cache_edge(times);
  EXPECT_GT(found.inside, 30'000'000U);
  EXPECT_LT(found.inside, 120'000'000U);
  EXPECT_GT(found.outside, found.inside);
  EXPECT_GT(found.churn_bytes_per_s, 2e9);
  EXPECT_LT(found.churn_bytes_per_s, 20e9);
  EXPECT_TRUE((Calibration{.cache_error = found.error}).is_disturbed());
}

TEST(CacheEdge, IsNotSeenWhereMemoryIsNoSlower) {
  EXPECT_EQ(cache_edge(read_times({60 * kMiB, 150 * kMiB, 8e9}, 1.1)).outside, 0U);
  EXPECT_EQ(cache_edge({}).outside, 0U);
}

TEST(StreamChain, IsReadByPlainBPAfterItsFactorsWereMultiplied) {
  const NumericChain<float> chain = make_stream_chain(3);
  const Schedule schedule = stream_schedule(3, 2);
  EXPECT_EQ(level_sizes(schedule), std::vector<std::size_t>(5, 1));
  const Measurement found = make_backend("cpu")->run(schedule, chain, {});
  ASSERT_EQ(found.ops.size(), 5U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_GT(found.ops[i].products, 4U * kStreamRows * kStreamRows);
  std::set<const void*> stores;
  for (std::size_t i = 2; i < 5; ++i) {
    EXPECT_EQ(found.ops[i].products, kStreamRows * kStreamRows);
    stores.insert(chain.structure.jacobians[i]->store().get());
  }
  EXPECT_EQ(stores.size(), 3U);
}

TEST(SyntheticProducts, HaveUniqueNamesAndEveryFamilyInAndOutOfTheCache) {
  for (std::uint64_t cache = kMiB; cache <= 128 * kMiB; cache += cache / 4) {
    for (const unsigned value_bytes : {4U, 8U}) expect_complete_set(cache, value_bytes);
  }
}

TEST(SyntheticProducts, HaveEveryFamilyInAndOutOfTheLargestCachesToo) {
  for (const std::uint64_t cache : {256 * kMiB, 384 * kMiB}) {
    for (const unsigned value_bytes : {4U, 8U}) expect_complete_set(cache, value_bytes);
  }
}

/// Whether the counts of a product show the form that its family is there to measure.
bool shows_family(Family family, const ProductSteps& steps) {
  switch (family) {
    case Family::scale_columns:
      return steps.scaled_columns > 0;
    case Family::scale_rows:
      return steps.scaled_rows > 0;
    case Family::single_columns:
      return steps.single_hops + steps.team_hops > 0;
    case Family::runs:
      return steps.single_run_steps + steps.team_run_steps == steps.single_steps + steps.team_steps;
    default:
      return steps.passes > 0;
  }
}

template <class T>
void expect_chains_that_run() {
  const std::unique_ptr<Backend> reference = make_backend("reference");
  std::set<Family> made;
  for (const SyntheticProduct& product : synthetic_products(1 << 20, sizeof(T))) {
    if (!product.in_cache) continue;
    SCOPED_TRACE(product.name);
    const SyntheticRun<T> run = make_synthetic<T>(product);
    made.insert(product.family);
    EXPECT_NO_THROW(check_chain(run.chain.structure));
    for (std::size_t i = 0; i < run.chain.values.size(); ++i) {
      EXPECT_EQ(run.chain.values[i].size(), run.chain.structure.jacobians[i]->nnz());
    }
    const Measurement found = reference->run(run.schedule, run.chain, {});
    ASSERT_LT(run.op, found.ops.size());
    EXPECT_EQ(run.schedule.combines[run.op].level + std::size_t{1}, run.schedule.levels);
    const Pattern& x = *run.chain.structure.jacobians.back();
    if (product.family == Family::vector) {
      EXPECT_EQ(found.ops[run.op].products, x.nnz());
      EXPECT_EQ(steps_with_dense_vector(x).team_steps > 0, product.teams);
      continue;
    }
    const ProductCounts counts = count_products(x, *run.chain.structure.jacobians.front());
    EXPECT_EQ(found.ops[run.op].products, counts.products);
    EXPECT_TRUE(shows_family(product.family, counts.steps));
  }
  EXPECT_EQ(made.size(), 6U) << "every family";
}

// Near caches are of 2 MiB: what of Y is walked over in the last one is far from them, and what leaves it leaves it
// alone.
TEST(SyntheticProducts, WalkOverRowsHereAndThereInTheLastCacheAndInMemory) {
  for (const std::uint64_t cache : {70 * kMiB, 100 * kMiB}) {
    int far = 0;
    int from_memory = 0;
    for (const SyntheticProduct& product : synthetic_products(cache, 4)) {
      if (product.entries == 0) continue;
      const std::uint64_t rows = std::uint64_t{product.channels} * product.side * product.side;
      const std::uint64_t bytes = rows * product.entries * 8;
      EXPECT_TRUE(product.in_cache ? bytes < cache / 2 : bytes > 2 * cache) << product.name;
      far += product.in_cache && bytes > 4 * kMiB ? 1 : 0;
      from_memory += product.in_cache ? 0 : 1;
    }
    EXPECT_GE(far, 6);
    EXPECT_EQ(from_memory, 4);
  }
}

TEST(MakeSynthetic, ScattersAboutAsManyEntriesAsWereAskedFor) {
  const SyntheticProduct product{"", Family::general, 32, 8, 0, 0.5, false, true, 400, 40};
  const SyntheticRun<float> run = make_synthetic<float>(product);
  const Pattern& y = *run.chain.structure.jacobians.front();
  EXPECT_EQ(y.rows(), 32U * 8 * 8);
  EXPECT_EQ(y.cols(), 400U);
  EXPECT_NEAR(static_cast<double>(y.nnz()) / static_cast<double>(y.rows()), 40, 2);
  const ProductSteps steps = count_products(*run.chain.structure.jacobians.back(), y).steps;
  EXPECT_EQ(steps.single_run_steps, 0U);
}

TEST(MakeSynthetic, MakesChainsThatShowTheirFamilyAndRunInFp32) { expect_chains_that_run<float>(); }

TEST(MakeSynthetic, MakesChainsThatShowTheirFamilyAndRunInFp64) { expect_chains_that_run<double>(); }

TEST(MakeLatencyRun, HasAsManyEmptyOpsAsItSays) {
  const SyntheticRun<float> run = make_latency_run<float>(7, 3);
  EXPECT_EQ(run.schedule.levels, 7U);
  EXPECT_EQ(level_sizes(run.schedule), std::vector<std::size_t>(7, 3));
  const Measurement found = make_backend("reference")->run(run.schedule, run.chain, {});
  for (const OpMeasurement& op : found.ops) EXPECT_EQ(op.products, 1U);
}

TEST(MakeColdRun, TakesSmallDiagonalsThatHaveNothingInCommonBetweenFullMatricesOfTheBytesThatItIsGiven) {
  constexpr std::uint64_t kFull = std::uint64_t{kColdRows} * kColdRows * sizeof(double);
  const SyntheticRun<double> run = make_cold_run<double>(3 * kFull - 1);
  EXPECT_EQ(level_sizes(run.schedule), std::vector<std::size_t>(5, 1)) << "nobody needs the last product";
  std::set<const void*> stores;
  for (std::size_t i = 0; i < 6; ++i) {
    const Pattern& pattern = *run.chain.structure.jacobians[i];
    EXPECT_EQ(pattern.nnz(), i % 2 == 0 ? kColdRows : kFull / sizeof(double));
    if (i % 2 == 0) stores.insert(pattern.store().get());
  }
  EXPECT_EQ(stores.size(), 3U);
  const Measurement found = make_backend("cpu")->run(run.schedule, run.chain, {});
  ASSERT_EQ(found.ops.size(), 5U);
  EXPECT_EQ(found.ops[run.op].products, kColdRows);
  EXPECT_EQ(found.level_seconds.size(), 5U);
}

// calibrate() itself takes minutes, since the sizes of its products come from the cache of this machine: it
// is exercised by hand and by "upsweep calibrate".

}  // namespace
}  // namespace upsweep

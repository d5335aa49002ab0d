#include "upsweep/recurrent/predict_pass.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "support/random.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/recurrent/block_bounds.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep::predict_pass_test {
namespace {

UnitCost same(double seconds) { return {{seconds, seconds}, {seconds, seconds}}; }

/// Costs of one worker that are told apart by their digits, whatever the cache.
PassRates plain_rates(std::size_t batch) {
  PassRates rates;
  rates.backend = "by hand";
  rates.cell = {CellKind::rnn, Nonlinearity::tanh, 1, 4, 2};
  rates.batch = batch;
  rates.cache_bytes = std::uint64_t{1} << 60;
  rates.sequential_start_s = 5;
  rates.sequential_step = same(2);
  rates.forward_step = same(3);
  rates.parameter_step = same(7);
  rates.parameter_start_s = 11;
  rates.levels.emplace();
  rates.levels->jacobian = same(1e3);
  rates.levels->product = same(1e5);
  rates.levels->vector_product = same(1e4);
  rates.levels->fold_step = same(50);
  rates.levels->level_latency_s = 0.25;
  rates.blocks.emplace();
  rates.blocks->vector_step = same(13);
  rates.blocks->product_start = same(30);
  rates.blocks->matrix_step = same(100);
  rates.blocks->samples_per_item = 2;
  rates.stored = rates.blocks;
  rates.stored->vector_step = same(17);
  return rates;
}

PassShape shape_of(const PassRates& rates, std::size_t steps) { return {rates.cell, steps, rates.batch, true}; }

BackwardMethod levels(std::uint32_t depth) { return {BackwardKind::levels, depth, {}}; }
BackwardMethod blocked(std::size_t blocks, double first) { return {BackwardKind::blocked, 0, {blocks, first, false}}; }

std::vector<BackwardMethod> all_methods() {
  std::vector<BackwardMethod> methods{{}};
  for (const std::uint32_t depth : {0U, 1U, 3U, BackwardMethod::kFullDepth}) methods.push_back(levels(depth));
  for (const std::size_t blocks : {1, 2, 3, 16}) {
    methods.push_back(blocked(blocks, 1));
    methods.push_back(blocked(blocks, 4));
  }
  methods.push_back({BackwardKind::blocked, 0, {5, 2, true}});
  return methods;
}

/// When the last of these items ends, each taken by the worker that is free first.
double greedy(const std::vector<double>& items, std::size_t workers) {
  std::vector<double> free(workers);
  for (const double item : items) *std::ranges::min_element(free) += item;
  return *std::ranges::max_element(free);
}

void expect_times(const ScanTimes& found, const ScanTimes& wanted) {
  EXPECT_NEAR(found.jacobians, wanted.jacobians, 1e-9 * wanted.jacobians);
  EXPECT_NEAR(found.up, wanted.up, 1e-9 * wanted.up);
  EXPECT_NEAR(found.middle, wanted.middle, 1e-9 * wanted.middle);
  EXPECT_NEAR(found.down, wanted.down, 1e-9 * wanted.down);
}

/// The levels of the schedule itself, combine by combine.
ScanTimes explicit_levels(const PassRates& rates, std::size_t steps, std::uint32_t depth, std::size_t workers) {
  const Schedule schedule = hybrid_schedule(steps + 1, depth);
  const std::vector<bool> dead = dead_combines(schedule);
  const std::vector<ValueRange> ranges = value_ranges(schedule);
  const LevelRates& costs = *rates.levels;
  ScanTimes times;
  times.jacobians = greedy(std::vector<double>((steps - 1) * rates.batch, costs.jacobian.alone.near_s), workers);
  bool folded = false;
  for (std::size_t id = 0; id < schedule.combines.size();) {
    const Combine& head = schedule.combines[id];
    std::vector<double> products;
    std::vector<double> vectors;
    for (; id < schedule.combines.size() && schedule.combines[id].level == head.level; ++id) {
      if (dead[id]) continue;
      const bool is_vector = ranges[schedule.value_of(id)].first == 0;
      const UnitCost& cost = is_vector ? costs.vector_product : costs.product;
      (is_vector ? vectors : products).resize((is_vector ? vectors : products).size() + rates.batch, cost.alone.near_s);
    }
    if (head.phase == Phase::middle) {
      times.middle += costs.fold_step.alone.near_s + (folded ? 0 : costs.level_latency_s);
      folded = true;
      continue;
    }
    if (products.empty() && vectors.empty()) continue;
    products.insert(products.end(), vectors.begin(), vectors.end());
    (head.phase == Phase::up ? times.up : times.down) += costs.level_latency_s + greedy(products, workers);
  }
  times.down += rates.sequential_step.alone.near_s;
  return times;
}

/// Costs of `workers` workers that keep out of each other's way.
void share(UnitCost& cost, std::size_t workers) {
  cost.together.near_s = cost.alone.near_s / static_cast<double>(workers);
  cost.together.far_s = cost.alone.far_s / static_cast<double>(workers);
}

PassRates shared_rates(std::size_t batch, std::size_t workers) {
  PassRates rates = plain_rates(batch);
  rates.workers = workers;
  for (UnitCost* cost : {&rates.levels->jacobian, &rates.levels->product, &rates.levels->vector_product}) {
    share(*cost, workers);
  }
  for (auto* blocks : {&rates.blocks, &rates.stored}) {
    share((*blocks)->vector_step, workers);
    share((*blocks)->product_start, workers);
    share((*blocks)->matrix_step, workers);
  }
  return rates;
}

TEST(PredictPass, AddsUpTheLevelsOfTheSchedule) {
  for (std::size_t steps = 1; steps <= 60; ++steps) {
    for (std::uint32_t depth = 0; depth <= max_depth(steps + 1); ++depth) {
      for (const std::size_t workers : {1, 2, 3}) {
        const PassRates rates = shared_rates(1 + steps % 3, workers);
        SCOPED_TRACE(::testing::Message() << steps << " steps, depth " << depth << ", workers " << workers);
        const PassPrediction found = predict_pass(rates, levels(depth), shape_of(rates, steps), workers);
        expect_times(found.times, explicit_levels(rates, steps, depth, workers));
        EXPECT_EQ(found.total_s, found.times.total());
      }
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(PredictPass, AddsUpTheBlocks) {
  // Of equal inner blocks, so that their mean is all of them.
  for (const std::size_t blocks : {1, 2, 3, 4, 6}) {
    for (const std::size_t workers : {1, 2, 3, 5}) {
      for (const std::size_t batch : {1, 2, 5}) {
        const PassRates rates = shared_rates(batch, workers);
        const BlockOptions options{blocks, 1, false};
        const std::size_t steps = 7 * blocks;
        const std::size_t groups = (batch + 1) / 2;
        const std::size_t inner = blocks > 2 ? blocks - 2 : 0;
        std::vector<double> up(groups, 7 * 13);
        up.resize(groups + inner * batch, 30 + 6 * 100);
        const auto steps_down = static_cast<double>(7 * (blocks - 1) - inner);
        const double item = blocks > 1 ? 13 * steps_down / static_cast<double>(blocks - 1) : 0;
        const ScanTimes wanted{0, greedy(up, workers), 50 * static_cast<double>(inner),
                               greedy(std::vector<double>((blocks - 1) * groups, item), workers)};
        SCOPED_TRACE(::testing::Message() << blocks << " blocks, workers " << workers << ", batch " << batch);
        expect_times(predict_pass(rates, {BackwardKind::blocked, 0, options}, shape_of(rates, steps), workers).times,
                     wanted);
      }
    }
  }
}

TEST(PredictPass, KnowsTheFirstOfTwoBlocksAndWhatIsStored) {
  const PassRates rates = plain_rates(2);
  const ScanTimes times = predict_pass(rates, blocked(2, 3), shape_of(rates, 40), 1).times;
  expect_times(times, {0, 30 * 13, 0, 10 * 13});
  const BackwardMethod stored{BackwardKind::blocked, 0, {3, 2, true}};
  // Blocks of 20, 10 and 10 steps; the last gradient of the inner one comes from the middle.
  expect_times(predict_pass(rates, stored, shape_of(rates, 40), 1).times,
               {40 * 2 * 1e3, 20 * 17 + 2 * (30 + 9 * 100), 50, 19 * 17});
}

TEST(PredictPass, PredictsTheRestOfAnIteration) {
  const PassRates rates = plain_rates(3);
  const PassPrediction found = predict_pass(rates, {}, shape_of(rates, 100), 1);
  expect_times(found.times, {0, 0, 0, 205});
  EXPECT_EQ(found.forward_s, 300);
  EXPECT_EQ(found.parameters_s, 711);
  EXPECT_EQ(found.bounds.down, TimeBound::arithmetic);
  EXPECT_EQ(found.bounds.up, TimeBound::nothing);
}

class RandomRates : public testing::SeededTest {
 protected:
  /// Random costs, some of which say that more workers are slower.
  PassRates random_rates(std::size_t batch) {
    PassRates rates = plain_rates(batch);
    rates.workers = between(1, 4);
    rates.cache_bytes = std::uint64_t{1} << between(8, 16);
    const auto seconds = [&] { return static_cast<double>(between(1, 1000)); };
    std::vector<UnitCost*> costs{&rates.sequential_step, &rates.levels->jacobian, &rates.levels->product,
                                 &rates.levels->vector_product, &rates.levels->fold_step};
    for (auto* blocks : {&rates.blocks, &rates.stored}) {
      costs.push_back(&(*blocks)->vector_step);
      costs.push_back(&(*blocks)->product_start);
      costs.push_back(&(*blocks)->matrix_step);
    }
    for (UnitCost* cost : costs) *cost = {{seconds(), seconds()}, {seconds(), seconds()}};
    return rates;
  }
};

TEST_F(RandomRates, MoreWorkersNeverTakeLonger) {
  for (int repetition = 0; repetition < 30; ++repetition) {
    const PassRates rates = random_rates(between(1, 5));
    const std::size_t steps = between(1, 200);
    for (const BackwardMethod& method : all_methods()) {
      double before = predict_pass(rates, method, shape_of(rates, steps), 1).total_s;
      for (std::size_t workers = 2; workers <= 9; ++workers) {
        const double now = predict_pass(rates, method, shape_of(rates, steps), workers).total_s;
        ASSERT_LE(now, before * (1 + 1e-12)) << to_string(method) << ", " << steps << " steps, " << workers;
        before = now;
      }
    }
  }
}

TEST_F(RandomRates, MoreStepsNeverTakeShorter) {
  for (int repetition = 0; repetition < 30; ++repetition) {
    const PassRates rates = random_rates(between(1, 5));
    for (const BackwardMethod& method : all_methods()) {
      double before = 0;
      for (std::size_t steps = 32; steps <= 4096; steps *= 2) {
        const double now = predict_pass(rates, method, shape_of(rates, steps), 2).total_s;
        ASSERT_GE(now, before) << to_string(method) << ", " << steps << " steps";
        before = now;
      }
    }
  }
}

TEST(PredictPass, ChargesMemoryOnceOperandsLeaveTheCache) {
  PassRates rates = plain_rates(1);
  rates.sequential_step = {{2, 32}, {2, 32}};
  rates.sequential_start_s = 0;
  rates.cache_bytes = 32000;  // a step has 32 bytes: gradients and states of 4 elements
  const auto per_step = [&](std::size_t steps) {
    return predict_pass(rates, {}, shape_of(rates, steps), 1).total_s / static_cast<double>(steps);
  };
  EXPECT_EQ(per_step(500), 2);
  EXPECT_NEAR(per_step(707), 17, 0.05);
  EXPECT_EQ(per_step(1000), 32);
  EXPECT_EQ(per_step(1000000), 32);
  EXPECT_EQ(predict_pass(rates, {}, shape_of(rates, 1000), 1).bounds.down, TimeBound::memory);
  rates.cache_bytes = 0;
  EXPECT_EQ(per_step(1), 32);
}

TEST(PredictPass, MemoryThatIsSharedGainsNothingFromWorkers) {
  PassRates rates = plain_rates(2);
  rates.workers = 2;
  rates.cache_bytes = 1;
  rates.levels->level_latency_s = 0;
  for (UnitCost* cost : {&rates.levels->jacobian, &rates.levels->product, &rates.levels->vector_product}) {
    *cost = {{1, 8}, {0.5, 8}};
  }
  const PassPrediction one = predict_pass(rates, levels(3), shape_of(rates, 64), 1);
  EXPECT_EQ(predict_pass(rates, levels(3), shape_of(rates, 64), 2).total_s, one.total_s);
  EXPECT_EQ(predict_pass(rates, levels(3), shape_of(rates, 64), 7).total_s, one.total_s);
  EXPECT_EQ(one.bounds.up, TimeBound::memory);
}

TEST(PredictPass, LatencyAloneCountsLevelsAndDispatches) {
  PassRates rates = plain_rates(1);
  for (UnitCost* cost : {&rates.sequential_step, &rates.levels->jacobian, &rates.levels->product,
                         &rates.levels->vector_product, &rates.levels->fold_step, &rates.blocks->vector_step,
                         &rates.blocks->product_start, &rates.blocks->matrix_step}) {
    *cost = same(0);
  }
  // A level of dead combines alone is none.
  const Schedule schedule = blelloch_schedule(256);
  const std::vector<bool> dead = dead_combines(schedule);
  std::vector<bool> alive(schedule.levels);
  for (std::size_t id = 0; id < dead.size(); ++id) {
    if (!dead[id]) alive[schedule.combines[id].level] = true;
  }
  const PassPrediction found = predict_pass(rates, levels(BackwardMethod::kFullDepth), shape_of(rates, 255), 1);
  EXPECT_EQ(found.total_s, 0.25 * static_cast<double>(std::ranges::count(alive, true)));
  EXPECT_EQ(found.bounds.up, TimeBound::latency);
  rates.dispatch_s = 3;
  rates.workers = 2;
  EXPECT_EQ(predict_pass(rates, blocked(4, 1), shape_of(rates, 100), 2).total_s, 6);
  // Levels without work stay with one worker.
  EXPECT_EQ(predict_pass(rates, levels(BackwardMethod::kFullDepth), shape_of(rates, 255), 2).total_s, found.total_s);
}

TEST(PredictPass, TakesAHundredMillionSteps) {
  const PassRates rates = plain_rates(16);
  constexpr std::size_t kSteps = 100000000;
  for (const BackwardMethod& method : all_methods()) {
    const double total = predict_pass(rates, method, shape_of(rates, kSteps), 3).total_s;
    EXPECT_TRUE(std::isfinite(total)) << to_string(method);
    EXPECT_GE(total, 2.0 * kSteps) << to_string(method);
  }
  // A combine for every step but the last up, one for every step but the first and the last down, per sample.
  const ScanTimes times = predict_pass(rates, levels(BackwardMethod::kFullDepth), shape_of(rates, kSteps), 1).times;
  EXPECT_NEAR(times.up / (1e5 * 16 * kSteps), 1, 1e-5);
  EXPECT_NEAR(times.down / (1e4 * 16 * kSteps), 1, 1e-5);
}

TEST(PredictPass, RejectsWhatTheRatesAreNotOf) {
  PassRates rates = plain_rates(2);
  const PassShape shape = shape_of(rates, 10);
  EXPECT_THROW(static_cast<void>(predict_pass(rates, {}, shape, 0)), std::invalid_argument);
  PassShape other = shape;
  other.steps = 0;
  EXPECT_THROW(static_cast<void>(predict_pass(rates, {}, other, 1)), std::invalid_argument);
  other = shape;
  other.batch = 3;
  EXPECT_THROW(static_cast<void>(predict_pass(rates, {}, other, 1)), std::invalid_argument);
  other = shape;
  other.cell.hidden = 5;
  EXPECT_THROW(static_cast<void>(predict_pass(rates, {}, other, 1)), std::invalid_argument);
  other = shape;
  other.is_fused = false;
  EXPECT_THROW(static_cast<void>(predict_pass(rates, levels(1), other, 1)), std::invalid_argument);
  rates.levels.reset();
  EXPECT_THROW(static_cast<void>(predict_pass(rates, levels(1), shape, 1)), std::invalid_argument);
  rates.blocks.reset();
  EXPECT_THROW(static_cast<void>(predict_pass(rates, blocked(2, 1), shape, 1)), std::invalid_argument);
  EXPECT_NO_THROW(static_cast<void>(predict_pass(rates, {}, shape, 1)));
}

TEST(PredictPass, HasRatesSaysWhatItTakes) {
  PassRates rates = plain_rates(2);
  const PassShape shape = shape_of(rates, 10);
  const BackwardMethod stored{BackwardKind::blocked, 0, {3, 1, true}};
  for (const BackwardMethod& method : all_methods()) EXPECT_TRUE(has_rates(rates, method, shape)) << to_string(method);
  PassShape other = shape;
  other.batch = 3;
  EXPECT_FALSE(has_rates(rates, {}, other));
  other = shape;
  other.is_fused = false;
  EXPECT_TRUE(has_rates(rates, {}, other));
  EXPECT_FALSE(has_rates(rates, levels(1), other));
  EXPECT_FALSE(has_rates(rates, blocked(2, 1), other));
  rates.levels.reset();
  EXPECT_FALSE(has_rates(rates, levels(1), shape));
  EXPECT_TRUE(has_rates(rates, blocked(2, 1), shape));
  EXPECT_FALSE(has_rates(rates, stored, shape)) << "what Jacobians cost stands in the levels";
  rates.blocks.reset();
  EXPECT_FALSE(has_rates(rates, blocked(2, 1), shape));
  EXPECT_TRUE(has_rates(rates, {}, shape));
  // Folds of blocks take steps of the sequential pass where no levels say more.
  const PassRates all = plain_rates(2);
  PassRates few = all;
  few.levels.reset();
  EXPECT_EQ(predict_pass(all, blocked(4, 1), shape, 1).times.middle, 2 * 50);
  EXPECT_EQ(predict_pass(few, blocked(4, 1), shape, 1).times.middle, 2 * 2);
}

void expect_positive(const UnitCost& cost, const char* what) {
  for (const double seconds : {cost.alone.near_s, cost.alone.far_s, cost.together.near_s, cost.together.far_s}) {
    EXPECT_TRUE(std::isfinite(seconds) && seconds > 0) << what << ": " << seconds;
  }
}

RateOptions tiny_caches(std::size_t repetitions, std::uint64_t cache_bytes) {
  RateOptions options;
  options.repetitions = repetitions;
  options.min_seconds = 0;
  options.cache_bytes = cache_bytes;
  return options;
}

TEST(MeasurePassRates, GivesEveryPassOfTheProcessorACost) {
  const PassShape shape{{CellKind::gru, Nonlinearity::tanh, 1, 2, 2}, 1000000, 2, true};
  const PassRates rates = measure_pass_rates<float>(recurrent_backend("cpu"), shape, 2, tiny_caches(2, 8192));
  ASSERT_TRUE(rates.levels && rates.blocks && rates.stored);
  expect_positive(rates.sequential_step, "sequential");
  expect_positive(rates.forward_step, "forward");
  expect_positive(rates.parameter_step, "parameters");
  expect_positive(rates.levels->jacobian, "Jacobian");
  expect_positive(rates.levels->product, "product");
  expect_positive(rates.levels->vector_product, "vector product");
  expect_positive(rates.levels->fold_step, "fold");
  expect_positive(rates.blocks->vector_step, "vectors");
  expect_positive(rates.blocks->product_start, "starts of products");
  expect_positive(rates.blocks->matrix_step, "matrices");
  expect_positive(rates.stored->vector_step, "stored vectors");
  expect_positive(rates.stored->product_start, "stored starts of products");
  expect_positive(rates.stored->matrix_step, "stored matrices");
  EXPECT_GT(rates.measuring_s, 0);
  EXPECT_LT(rates.longest_steps, shape.steps);
  for (const BackwardMethod& method : all_methods()) {
    EXPECT_GT(predict_pass(rates, method, shape, 2).total_s, 0) << to_string(method);
  }
}

TEST(MeasurePassRates, LeavesOutWhatABackendHasNot) {
  const PassShape shape{{CellKind::rnn, Nonlinearity::relu, 1, 2, 2}, 1, 1, true};
  const PassRates rates = measure_pass_rates<double>(recurrent_backend("reference"), shape, 1, tiny_caches(1, 4096));
  expect_positive(rates.sequential_step, "sequential");
  EXPECT_FALSE(rates.levels || rates.blocks || rates.stored);
  EXPECT_EQ(rates.value_bytes, 8);
}

TEST(MeasurePassRates, MeasuresWhatIsAskedFor) {
  const PassShape shape{{CellKind::rnn, Nonlinearity::tanh, 1, 3, 2}, 1, 2, true};
  const BackwardMethod stored{BackwardKind::blocked, 0, {3, 1, true}};
  EXPECT_EQ(rate_kinds({{}}), (RateKinds{false, false, false}));
  EXPECT_EQ(rate_kinds({levels(0), {}}), (RateKinds{true, false, false}));
  EXPECT_EQ(rate_kinds({blocked(3, 1)}), (RateKinds{false, true, false}));
  EXPECT_EQ(rate_kinds({stored}), (RateKinds{true, false, true}));
  for (const auto& methods : std::vector<std::vector<BackwardMethod>>{{}, {levels(2)}, {blocked(3, 1)}, {stored}}) {
    RateOptions options = tiny_caches(1, 4096);
    options.kinds = rate_kinds(methods);
    const PassRates rates = measure_pass_rates<float>(recurrent_backend("cpu"), shape, 2, options);
    EXPECT_EQ(rates.levels.has_value(), options.kinds.levels);
    EXPECT_EQ(rates.blocks.has_value(), options.kinds.blocks);
    EXPECT_EQ(rates.stored.has_value(), options.kinds.stored);
    EXPECT_TRUE(has_rates(rates, {}, shape));
    for (const BackwardMethod& method : methods) EXPECT_TRUE(has_rates(rates, method, shape)) << to_string(method);
  }
}

TEST(MeasurePassRates, GivesEveryPassACostEvenWithoutTime) {
  const PassShape shape{{CellKind::rnn, Nonlinearity::relu, 1, 3, 2}, 1, 2, true};
  RateOptions options = tiny_caches(1000000, 4096);
  options.most_seconds = 0;
  const PassRates rates = measure_pass_rates<double>(recurrent_backend("cpu"), shape, 2, options);
  ASSERT_TRUE(rates.levels && rates.blocks && rates.stored);
  expect_positive(rates.sequential_step, "sequential");
  for (const UnitCost& cost : {rates.levels->product, rates.blocks->matrix_step, rates.stored->vector_step}) {
    expect_positive(cost, "of blocks and levels");
    EXPECT_EQ(cost.alone.far_s, cost.alone.near_s);
    EXPECT_EQ(cost.together.far_s, cost.together.near_s);
  }
}

TEST(MeasurePassRates, GivesEveryBlockSteps) {
  const PassShape shape{{CellKind::rnn, Nonlinearity::tanh, 1, 2, 2}, 1, 1, true};
  RateOptions options = tiny_caches(1, 1024);
  options.kinds = {false, true, false};
  EXPECT_GE(measure_pass_rates<float>(recurrent_backend("cpu"), shape, 24, options).longest_steps, 16U * 26);
  options.kinds = {false, false, false};
  EXPECT_EQ(measure_pass_rates<float>(recurrent_backend("cpu"), shape, 24, options).longest_steps, 48U);
}

TEST(MeasurePassRates, RejectsNothingToMeasureWith) {
  const PassShape shape{{CellKind::rnn, Nonlinearity::relu, 1, 2, 2}, 1, 1, true};
  EXPECT_THROW(static_cast<void>(measure_pass_rates<float>(recurrent_backend("cpu"), shape, 0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(measure_pass_rates<float>(recurrent_backend("cpu"), shape, 1, tiny_caches(0, 0))),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(measure_pass_rates<float>(recurrent_backend("pencil"), shape, 1)),
               std::invalid_argument);
  RateOptions backwards;
  backwards.most_seconds = -1;
  EXPECT_THROW(static_cast<void>(measure_pass_rates<float>(recurrent_backend("cpu"), shape, 1, backwards)),
               std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::predict_pass_test

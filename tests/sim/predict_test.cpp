#include "upsweep/sim/predict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "support/random.hpp"
#include "support/random_machine.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sim/pram_simulation.hpp"

namespace upsweep::predict_test {
namespace {

class PredictTest : public testing::SeededTest {
 protected:
  /// A schedule over a random chain, counted.
  ScheduleProfile random_profile(std::size_t most_links) {
    JacobianChain chain;
    auto cols = static_cast<Index>(between(1, 60));
    chain.gradient_length = cols;
    const std::size_t links = between(1, most_links);
    for (std::size_t i = 0; i < links; ++i) {
      const Index rows = chance(0.4) ? cols : static_cast<Index>(between(1, 60));
      chain.jacobians.push_back(std::make_shared<const Pattern>(
          rows == cols && chance(0.5) ? Pattern::diagonal(rows) : random_pattern(rows, cols, 0.2)));
      cols = rows;
    }
    const auto depth = static_cast<std::uint32_t>(between(0, 6));
    return profile_schedules({hybrid_schedule(chain.length(), depth)}, chain, 4).front();
  }

  double number() { return static_cast<double>(between(1, 1000)) / 1000; }

  Machine random_machine(MachineKind kind) {
    return testing::random_machine([this](std::size_t low, std::size_t high) { return between(low, high); }, kind);
  }
};

Machine unit_machine() {
  return load_machine(read_yaml(std::string(UPSWEEP_SOURCE_DIR) + "/configs/machines/pram-unit.yaml"));
}

/// Arithmetic alone, one FLOP per nanosecond.
Machine flops_machine() {
  Machine machine = unit_machine();
  Rates& rates = machine.rates[0];
  rates.op_latency_s = 0;
  for (KindRates* kind : {&rates.fp32.mv, &rates.fp32.mm}) kind->flops_per_s = 1e9;
  return machine;
}

TEST_F(PredictTest, OnTheUnitPramIsExactlyTheUnitMakespan) {
  const Machine machine = unit_machine();
  for (int round = 0; round < 30; ++round) {
    const ScheduleProfile profile = random_profile(40);
    for (const std::size_t workers : {1, 2, 3, 7, 16, 1000}) {
      const PramProfile pram = pram_profile(profile, workers);
      EXPECT_EQ(predict_time(profile, machine, workers, Execution::level, 4).seconds,
                static_cast<double>(pram.level.unit));
      EXPECT_EQ(predict_time(profile, machine, workers, Execution::dag, 8).seconds,
                static_cast<double>(pram.dag->unit));
    }
  }
}

TEST_F(PredictTest, OnAPramOfFlopsIsExactlyTheMakespanInFlops) {
  const Machine machine = flops_machine();
  for (int round = 0; round < 20; ++round) {
    const ScheduleProfile profile = random_profile(30);
    for (const std::size_t workers : {1, 2, 5, 100}) {
      for (const Scope scope : {Scope::all, Scope::live}) {
        const PramProfile pram = pram_profile(profile, workers, scope);
        for (const Execution execution : {Execution::level, Execution::dag}) {
          EXPECT_NEAR(predict_time(profile, machine, workers, execution, 4, scope).seconds,
                      static_cast<double>(pram.makespan(execution)->flops) * 1e-9, 1e-15);
        }
      }
    }
  }
}

TEST_F(PredictTest, NeverTakesLongerWithMoreWorkersOnAPram) {
  for (int round = 0; round < 20; ++round) {
    const ScheduleProfile profile = random_profile(40);
    for (const Machine& machine : {unit_machine(), flops_machine()}) {
      double before = predict_time(profile, machine, 1, Execution::level, 4).seconds;
      for (std::size_t workers = 2; workers < 24; ++workers) {
        const double seconds = predict_time(profile, machine, workers, Execution::level, 4).seconds;
        EXPECT_LE(seconds, before) << workers << " workers";
        before = seconds;
      }
    }
    double before = predict_time(profile, unit_machine(), 1, Execution::dag, 4).seconds;
    for (std::size_t workers = 2; workers < 24; ++workers) {
      const double seconds = predict_time(profile, unit_machine(), workers, Execution::dag, 4).seconds;
      EXPECT_LE(seconds, before) << workers << " workers, dag";
      before = seconds;
    }
  }
}

TEST_F(PredictTest, TakesTheSumOfItsLevels) {
  for (int round = 0; round < 30; ++round) {
    const ScheduleProfile profile = random_profile(30);
    for (const MachineKind kind : {MachineKind::pram, MachineKind::cpu, MachineKind::gpu}) {
      const Machine machine = random_machine(kind);
      for (const std::size_t workers : {1, 2, 5, 8}) {
        const Prediction level = predict_time(profile, machine, workers, Execution::level, 4);
        ASSERT_EQ(level.level_seconds.size(), profile.schedule.levels);
        ASSERT_EQ(level.ops.size(), profile.ops.size());
        EXPECT_NEAR(std::accumulate(level.level_seconds.begin(), level.level_seconds.end(), 0.0), level.seconds, 1e-11);
        const Prediction dag = predict_time(profile, machine, workers, Execution::dag, 4);
        EXPECT_TRUE(dag.level_seconds.empty());
        double longest = 0;
        for (const OpTime& op : dag.ops) longest = std::max(longest, op.alone_s);
        EXPECT_GE(dag.seconds, longest - 1e-11);
      }
    }
  }
}

TEST_F(PredictTest, AddsASynchronisationToEveryLevelOfAPramUnderBarriersOnly) {
  Machine machine = unit_machine();
  machine.rates[0].level_latency_s = 7;
  for (int round = 0; round < 10; ++round) {
    const ScheduleProfile profile = random_profile(30);
    const PramProfile pram = pram_profile(profile, 3);
    EXPECT_EQ(predict_time(profile, machine, 3, Execution::level, 4).seconds,
              static_cast<double>(pram.level.unit + 7 * profile.schedule.levels));
    EXPECT_EQ(predict_time(profile, machine, 3, Execution::dag, 4).seconds, static_cast<double>(pram.dag->unit));
  }
}

TEST_F(PredictTest, OfALevelIsItsSynchronisationAndTheLargerOfAllOpsTogetherAndTheLongest) {
  for (int round = 0; round < 60; ++round) {
    const ScheduleProfile profile = random_profile(30);
    const bool is_gpu = round % 2 == 0;
    const Machine machine = random_machine(is_gpu ? MachineKind::gpu : MachineKind::cpu);
    const Prediction prediction = predict_time(profile, machine, 1, Execution::level, 4);
    const Rates& rates = machine.rates[0];
    std::vector<double> together(profile.schedule.levels, 0);
    std::vector<double> longest(profile.schedule.levels, 0);
    std::vector<std::size_t> widths(profile.schedule.levels, 0);
    for (std::size_t id = 0; id < prediction.ops.size(); ++id) {
      const std::uint32_t level = profile.schedule.combines[id].level;
      together[level] += rates.op_latency_s + prediction.ops[id].machine_s;
      longest[level] = std::max(longest[level], prediction.ops[id].alone_s);
      ++widths[level];
    }
    for (std::size_t level = 0; level < together.size(); ++level) {
      EXPECT_DOUBLE_EQ(prediction.level_seconds[level], (is_gpu && widths[level] == 1 ? 0 : rates.level_latency_s) +
                                                            std::max(together[level], longest[level]))
          << "one kernel after the other needs no barrier";
    }
  }
}

TEST_F(PredictTest, ByLaunchModeIsThatOfTheLatenciesThatTheModeHas) {
  for (int round = 0; round < 30; ++round) {
    const ScheduleProfile profile = random_profile(30);
    Machine machine = random_machine(MachineKind::gpu);
    machine.rates.resize(1);
    machine.rates[0].host_launch_s = number() * 1e-5;
    for (const std::size_t workers : {1, 3}) {
      const Rates& rates = machine.rates[0];
      // The same with other figures in a graph.
      const auto with = [&](double op_s, double level_s) {
        Machine other = machine;
        other.rates[0].op_latency_s = op_s;
        other.rates[0].level_latency_s = level_s;
        return predict_time(profile, other, workers, Execution::level, 4);
      };
      const double stream_s = std::max(rates.op_latency_s, rates.level_latency_s);
      const double device = with(stream_s, rates.level_latency_s).seconds;
      const double host = static_cast<double>(profile.ops.size()) * *rates.host_launch_s;
      const Machine eager = launched(machine, LaunchMode::eager);
      const Prediction issued = predict_time(profile, eager, workers, Execution::level, 4);
      EXPECT_NEAR(issued.seconds, std::max(device, host), 1e-12) << "the host works ahead of the device";
      EXPECT_NEAR(std::accumulate(issued.level_seconds.begin(), issued.level_seconds.end(), 0.0), issued.seconds,
                  1e-11);
      EXPECT_GE(predict_time(profile, eager, workers, Execution::dag, 4).seconds, host);

      const Prediction bare = with(0, 0);
      const Machine fused = launched(machine, LaunchMode::fused);
      const Prediction by_levels = predict_time(profile, fused, workers, Execution::level, 4);
      for (std::size_t level = 0; level < bare.level_seconds.size(); ++level) {
        const double start = bare.level_seconds[level] > 0 ? rates.op_latency_s : 0;
        EXPECT_NEAR(by_levels.level_seconds[level], bare.level_seconds[level] + start, 1e-12) << "one kernel";
      }
      EXPECT_THROW(static_cast<void>(predict_time(profile, fused, workers, Execution::dag, 4)), std::invalid_argument);
    }
  }
  EXPECT_EQ(launched(random_machine(MachineKind::gpu), LaunchMode::graph).launch, LaunchMode::graph);
  EXPECT_THROW(static_cast<void>(launched(random_machine(MachineKind::cpu), LaunchMode::graph)), std::invalid_argument);
  try {
    static_cast<void>(launched(random_machine(MachineKind::gpu), LaunchMode::eager));
    FAIL() << "no figure of the host";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("host_launch_us is missing"));
  }
}

TEST_F(PredictTest, LeavesOutOfScopeOpsOut) {
  ScheduleProfile profile = random_profile(40);
  while (profile.ops.empty()) profile = random_profile(40);
  profile.ops.front().dead = true;
  Machine machine = random_machine(MachineKind::cpu);
  machine.rates.resize(1);  // made-up rates of fewer workers need not be slower
  const Prediction live = predict_time(profile, machine, 2, Execution::level, 4, Scope::live);
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    EXPECT_EQ(live.ops[id].alone_s > 0, !profile.ops[id].dead) << id;
    if (profile.ops[id].dead) {
      EXPECT_EQ(live.ops[id].machine_s, 0) << id;
    }
  }
  EXPECT_LE(live.seconds, predict_time(profile, machine, 2, Execution::level, 4).seconds);
}

TEST_F(PredictTest, RefusesNoWorkers) {
  EXPECT_THROW(static_cast<void>(predict_time(random_profile(4), unit_machine(), 0, Execution::dag, 4)),
               std::invalid_argument);
}

TEST(OpWork, IsTheRoundedMeanOverTheInputs) {
  OpProfile op;
  op.k = 10;
  op.flops = 301;
  op.left_nnz = 5;
  op.right_nnz = 7;
  op.nnz = 9;
  op.bytes = 11;
  op.left_bytes = 21;
  op.right_bytes = 41;
  op.steps.teams = 7;
  op.steps.passes = 4;
  const OpWork work = op_work(op, 2, 4);
  EXPECT_EQ(work.flops, 151U);
  EXPECT_EQ(work.steps.teams, 4U);
  EXPECT_EQ(work.steps.passes, 2U);
  EXPECT_EQ(work.bytes, 6U + 11 + 21);
  EXPECT_EQ(work.picked_bytes, 11U) << "rows to walk: all of Y";
  EXPECT_EQ(work.moved_bytes, 4U * (3 + 4 + 2 * 5) + 4 * 2);
  op.n = 9;
  op.steps.single_steps = 40;
  op.steps.single_run_steps = 20;
  EXPECT_EQ(op_work(op, 2, 4).picked_bytes, 12U) << "rows that are runs: the numbers of Y";
  op.steps.single_run_steps = 18;
  EXPECT_EQ(op_work(op, 2, 4).picked_bytes, 11U) << "less than half of the steps";
  op.is_mv = true;
  EXPECT_EQ(op_work(op, 2, 8).picked_bytes, 80U) << "the numbers of a vector";
  op.is_mv = false;
  op.steps.scaled_columns = 6;
  EXPECT_EQ(op_work(op, 2, 4).picked_bytes, 40U) << "the numbers of a diagonal";
}

TEST(PredictBuildSeconds, CountValuesRowsAndWeightsOfOneInputButOfTheFirstLink) {
  const Network network({2}, {{"first", Linear{3}, {}}, {"relu", Relu{}, {}}, {"last", Linear{5}, {}}});
  NetworkProfile profile;
  profile.inputs = 4;
  profile.links.resize(3);
  profile.links[0].nnz = 1000;
  profile.links[0].formation.steps.resize(1);  // nor is the block of the first link formed
  profile.links[1].rows = 3;
  profile.links[1].nnz = 4 * 3;
  profile.links[2].rows = 3;
  profile.links[2].nnz = 4 * 7;
  Machine machine = unit_machine();
  const auto seconds = [&](unsigned value_bytes) {
    return predict_build_seconds(network, profile, machine, 1, value_bytes);
  };
  EXPECT_FALSE(seconds(8).has_value()) << "no rate";
  BuildRates& rates = machine.rates[0].fp64.build;
  rates.value_s = 0.5;
  EXPECT_FALSE(seconds(4).has_value()) << "no rate of this type";
  EXPECT_DOUBLE_EQ(seconds(8).value(), 0.5 * (3 + 7));
  rates.row_s = 2;
  EXPECT_DOUBLE_EQ(seconds(8).value(), 0.5 * (3 + 7) + 2 * (3 + 3));
  rates.weight_s = 0.25;
  EXPECT_DOUBLE_EQ(seconds(8).value(), 0.5 * (3 + 7) + 2 * (3 + 3) + 0.25 * 15) << "pruned ones as well";
  rates.other_value_s = 10;
  EXPECT_DOUBLE_EQ(seconds(8).value(), 10 * 3 + 0.5 * 7 + 2 * 3 + 0.25 * 15);
  rates.linear_weight_s = 3;
  EXPECT_DOUBLE_EQ(seconds(8).value(), 10 * 3 + 0.5 * 7 + 2 * 3 + 0.25 * 15) << "half of what linear operators need";
  rates.linear_value_s = 4;
  EXPECT_DOUBLE_EQ(seconds(8).value(), 10 * 3 + 4 * 7 + 3 * 15);
  rates.linear_cached_value_s = 2;
  rates.linear_cached_weight_s = 1;
  machine.cache_bytes = 8 * (15 + 3 + 7);
  EXPECT_DOUBLE_EQ(seconds(8).value(), 10 * 3 + 4 * 7 + 3 * 15) << "it does not fit the cache";
  machine.cache_bytes = 1000;
  EXPECT_DOUBLE_EQ(seconds(8).value(), 10 * 3 + 2 * 7 + 1 * 15);
  machine.cache_bytes = 8 * (15 + 3 + 7) - 50;
  machine.from_memory_bytes = 8 * (15 + 3 + 7) + 50;
  EXPECT_DOUBLE_EQ(seconds(8).value(), 10 * 3 + 3 * 7 + 2 * 15) << "half of it comes from memory";
  // No rate says what forming a block costs, be it of copies alone.
  profile.links[1].formation.steps.resize(1);
  EXPECT_FALSE(seconds(8).has_value());
}

TEST(PredictBuildSeconds, CountWhatARowOfAPrunedConvolutionGoesOver) {
  // Along each axis two positions go over three weights each, of which one reaches off the image.
  const Network network({1, 2, 2}, {{"first", Relu{}, {}}, {"conv", Conv2d{4, {3, 3}, {1, 1}, {1, 1}}, {}}});
  NetworkProfile profile;
  profile.inputs = 1;
  profile.links.resize(2);
  profile.links[1].rows = 4;
  profile.links[1].nnz = 4 * 4 * 4;
  Machine machine = unit_machine();
  BuildRates& rates = machine.rates[0].fp64.build;
  rates.value_s = 0.5;
  rates.miss_s = 100;
  rates.kept_s = 10;
  const auto seconds = [&] { return predict_build_seconds(network, profile, machine, 1, 8).value(); };
  EXPECT_DOUBLE_EQ(seconds(), 0.5 * 64) << "all of them are kept";
  profile.links[1].nnz /= 2;
  EXPECT_DOUBLE_EQ(seconds(), 0.5 * 32) << "those for pruned ones are not there";
  rates.pruned_value_s = 0.25;
  EXPECT_DOUBLE_EQ(seconds(), 0.25 * 32 + 10 * 18 + 100 * (4 * 4 * 9 - 64) / 2);
  rates.pruned_row_s = 7;
  rates.pruned_weight_s = 3;
  EXPECT_DOUBLE_EQ(seconds(), 0.25 * 32 + 7 * 4 + 3 * 36 + 10 * 18 + 100 * (4 * 4 * 9 - 64) / 2);
}

TEST(PredictBuildSeconds, CountInputsAndValuesOfAPooling) {
  const Network network({1, 4, 4}, {{"first", Relu{}, {}}, {"pool", MaxPool2d{{3, 3}, {2, 2}}, {}}});
  NetworkProfile profile;
  profile.inputs = 1;
  profile.links.resize(2);
  profile.links[1].rows = 16;
  profile.links[1].nnz = 9;
  Machine machine = unit_machine();
  BuildRates& rates = machine.rates[0].fp64.build;
  rates.value_s = 0.5;
  rates.other_value_s = 2;
  const auto seconds = [&] { return predict_build_seconds(network, profile, machine, 1, 8).value(); };
  rates.pooling_row_s = 3;
  EXPECT_DOUBLE_EQ(seconds(), 2 * 9) << "half of what poolings need";
  rates.pooling_value_s = 5;
  EXPECT_DOUBLE_EQ(seconds(), 3 * 16 + 5 * 9);
}

}  // namespace
}  // namespace upsweep::predict_test

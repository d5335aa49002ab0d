#include "upsweep/sim/batched.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <stdexcept>
#include <vector>

#include "support/random.hpp"
#include "support/random_machine.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sim/pram_simulation.hpp"
#include "upsweep/sim/predict.hpp"

namespace upsweep::batched_test {
namespace {

constexpr Scope kScopes[] = {Scope::all, Scope::live};
constexpr MachineKind kKinds[] = {MachineKind::pram, MachineKind::cpu, MachineKind::gpu};

/// The same schedule with every element, combine and result `batch` times, copies of one beside each other.
ScheduleProfile copied(const ScheduleProfile& profile, std::uint32_t batch) {
  ScheduleProfile copies;
  copies.inputs = profile.inputs;
  Schedule& schedule = copies.schedule;
  schedule = profile.schedule;
  schedule.length *= batch;
  schedule.combines.clear();
  schedule.results.clear();
  for (std::uint32_t copy = 0; copy < batch; ++copy) {
    // Values stand one after the other, too.
    for (const ValueId result : profile.schedule.results)
      schedule.results.push_back(result == kIdentity ? kIdentity : result * batch + copy);
  }
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    for (std::uint32_t copy = 0; copy < batch; ++copy) {
      Combine combine = profile.schedule.combines[id];
      combine.earlier = combine.earlier * batch + copy;
      combine.later = combine.later * batch + copy;
      schedule.combines.push_back(combine);
      copies.ops.push_back(profile.ops[id]);
    }
  }
  for (const std::uint64_t bytes : profile.value_bytes)
    copies.value_bytes.insert(copies.value_bytes.end(), batch, bytes);
  return copies;
}

std::vector<std::uint64_t> costs(const ScheduleProfile& profile, CostUnit unit) {
  return unit == CostUnit::flops ? profile.flops() : std::vector<std::uint64_t>(profile.ops.size(), 1);
}

class BatchedTest : public testing::SeededTest {
 protected:
  /// A schedule over random chains of equal shapes, counted; a few entries, so that combines without work are there.
  ScheduleProfile random_profile(std::size_t inputs) {
    std::vector<Index> sizes;
    const std::size_t links = between(1, 25);
    for (std::size_t i = 0; i <= links; ++i) sizes.push_back(static_cast<Index>(between(1, 40)));
    std::vector<JacobianChain> chains(inputs);
    for (JacobianChain& chain : chains) {
      chain.gradient_length = sizes[0];
      for (std::size_t i = 0; i < links; ++i) {
        const double density = chance(0.1) ? 0 : 0.2;
        chain.jacobians.push_back(std::make_shared<const Pattern>(random_pattern(sizes[i + 1], sizes[i], density)));
      }
    }
    const std::size_t length = links + 1;
    Schedule schedule =
        chance(0.3) ? sklansky_schedule(length) : hybrid_schedule(length, static_cast<std::uint32_t>(between(0, 5)));
    const auto chain_at = [&](std::size_t i) { return chains[i]; };
    return profile_schedules({std::move(schedule)}, inputs, chain_at, 4).front();
  }

  Machine random_machine(MachineKind kind) {
    const auto any = [this](std::size_t low, std::size_t high) { return between(low, high); };
    Machine machine = testing::random_machine(any, kind, 40'000);
    if (chance(0.3))  // ops without work then take no time
      for (Rates& rates : machine.rates) rates.op_latency_s = 0;
    return machine;
  }
};

/// Levels with one combine in scope, of which copies take time as predicted.
double lone_levels(const ScheduleProfile& profile, Scope scope, const Prediction& prediction) {
  std::vector<std::size_t> widths(profile.schedule.levels);
  for (std::size_t id = 0; id < profile.ops.size(); ++id)
    widths[profile.schedule.combines[id].level] += scope == Scope::all || !profile.ops[id].dead ? 1 : 0;
  double lone = 0;
  for (std::size_t level = 0; level < widths.size(); ++level)
    lone += widths[level] == 1 && prediction.level_seconds[level] > 0 ? 1 : 0;
  return lone;
}

TEST_F(BatchedTest, SecondsOfABatchOfOneArePredictedSecondsToTheLastDigit) {
  for (int round = 0; round < 15; ++round) {
    const ScheduleProfile profile = random_profile(between(1, 3));
    for (const MachineKind kind : kKinds) {
      const Machine machine = random_machine(kind);
      for (const Scope scope : kScopes) {
        for (const std::size_t workers : {1, 2, 3, 8, 100}) {
          EXPECT_EQ(batched_seconds(profile, machine, workers, 4, scope, 1),
                    predict_time(profile, machine, workers, Execution::level, 4, scope).seconds)
              << to_string(kind) << ", " << workers << " workers";
        }
      }
    }
  }
}

TEST_F(BatchedTest, SecondsOfABatchAreThoseOfEveryCombineSoManyTimes) {
  for (int round = 0; round < 12; ++round) {
    const ScheduleProfile profile = random_profile(between(1, 2));
    const auto batch = static_cast<std::uint32_t>(between(2, 9));
    const ScheduleProfile copies = copied(profile, batch);
    for (const MachineKind kind : kKinds) {
      const Machine machine = random_machine(kind);
      for (const Scope scope : kScopes) {
        for (const std::size_t workers : {1, 2, 5, 8, 50}) {
          const Prediction prediction = predict_time(copies, machine, workers, Execution::level, 8, scope);
          double want = prediction.seconds;
          // Copies of one op are not joined by a barrier: each input goes on by itself.
          if (kind == MachineKind::gpu) {
            want -=
                lone_levels(profile, scope, prediction) * launch_costs(machine, machine.at(workers)).joining_s(batch);
          }
          EXPECT_NEAR(batched_seconds(profile, machine, workers, 8, scope, batch), want, 1e-12 * want)
              << to_string(kind) << ", " << workers << " workers, batch " << batch;
        }
      }
    }
  }
}

TEST_F(BatchedTest, MakespansAreSimulatedOnes) {
  for (int round = 0; round < 20; ++round) {
    const ScheduleProfile profile = random_profile(1);
    const auto batch = static_cast<std::uint32_t>(round < 5 ? 1 : between(2, 12));
    const ScheduleProfile copies = copied(profile, batch);
    for (const Scope scope : kScopes) {
      for (const std::size_t workers : {1, 2, 3, 7, 64}) {
        for (const CostUnit unit : {CostUnit::unit, CostUnit::flops}) {
          EXPECT_EQ(batched_level_makespan(profile, workers, scope, batch, unit),
                    simulate(copies.schedule, costs(copies, unit), in_scope(copies, scope), workers, Execution::level)
                        .makespan)
              << workers << " workers, batch " << batch;
        }
      }
    }
  }
}

/// Two levels: two combines of 6 FLOPs and one of 10, then one of none.
ScheduleProfile two_levels() {
  ScheduleProfile profile;
  profile.schedule.length = 4;
  profile.schedule.levels = 2;
  profile.schedule.results = {kIdentity, 0, 4, 7};
  for (const std::uint32_t level : {0U, 0U, 0U, 1U}) {
    Combine combine{};
    combine.level = level;
    combine.later = 1;
    profile.schedule.combines.push_back(combine);
  }
  for (const std::uint64_t flops : {6, 6, 10, 0}) {
    OpProfile op;
    op.flops = flops;
    profile.ops.push_back(op);
  }
  profile.value_bytes.assign(8, 0);
  return profile;
}

TEST(Batched, HandsCopiesOutInOrder) {
  const ScheduleProfile profile = two_levels();
  // Three workers take 6 6 6, then 6 10 10: 16. Two of four are free for 10 10 after 6 6 6 6.
  EXPECT_EQ(batched_level_makespan(profile, 3, Scope::all, 2, CostUnit::flops), 16U);
  EXPECT_EQ(batched_level_makespan(profile, 4, Scope::all, 2, CostUnit::flops), 16U);
  EXPECT_EQ(batched_level_makespan(profile, 5, Scope::all, 2, CostUnit::flops), 16U);
  EXPECT_EQ(batched_level_makespan(profile, 6, Scope::all, 2, CostUnit::flops), 10U);
  EXPECT_EQ(batched_level_makespan(profile, 1, Scope::all, 2, CostUnit::flops), 44U);
  EXPECT_EQ(batched_level_makespan(profile, 4, Scope::all, 2, CostUnit::unit), 2U + 1U);
}

/// One level of combines that take so many FLOPs.
ScheduleProfile one_level(const std::vector<std::uint64_t>& flops) {
  ScheduleProfile profile;
  profile.schedule.length = flops.size() + 1;
  profile.schedule.levels = 1;
  for (const std::uint64_t each : flops) {
    Combine combine{};
    combine.later = 1;
    profile.schedule.combines.push_back(combine);
    OpProfile op;
    op.flops = each;
    profile.ops.push_back(op);
  }
  profile.schedule.results.assign(profile.schedule.length, kIdentity);
  profile.value_bytes.assign(profile.schedule.values(), 0);
  return profile;
}

/// Workers far apart that many small combines bring together again, or do not.
TEST_F(BatchedTest, MakespansOfCombinesThatAreNotAlikeAreSimulatedOnes) {
  const std::uint64_t sizes[] = {0, 1, 2, 3, 5, 20, 97, 1000, 50'000};
  for (int round = 0; round < 150; ++round) {
    std::vector<std::uint64_t> flops(between(1, 8));
    for (std::uint64_t& each : flops) each = sizes[between(0, std::size(sizes) - 1)];
    const ScheduleProfile profile = one_level(flops);
    const auto batch = static_cast<std::uint32_t>(between(1, 60));
    const ScheduleProfile copies = copied(profile, batch);
    const std::size_t workers = between(1, 12);
    EXPECT_EQ(
        batched_level_makespan(profile, workers, Scope::all, batch, CostUnit::flops),
        simulate(copies.schedule, copies.flops(), in_scope(copies, Scope::all), workers, Execution::level).makespan)
        << workers << " workers, batch " << batch << ", " << ::testing::PrintToString(flops);
  }
}

/// By hand: 2 workers are 10^10 behind the other 5, who take all of the small ones and end 333,333,334 and less apart;
/// then each takes as many of the large ones as the others, and the 2 that are left go to those who are free first.
TEST(Batched, AMillionTimesTheBatchTakesNoLonger) {
  constexpr std::uint64_t kBatch = 1'000'000'003;
  constexpr std::uint64_t kLarge = 10'000'000'000;
  const ScheduleProfile profile = one_level({kLarge, 3, 2, kLarge});
  EXPECT_EQ(batched_level_makespan(profile, 7, Scope::all, kBatch, CostUnit::flops),
            2 * (kBatch / 7) * kLarge + kLarge + 3 * (kBatch / 5) + 2 * 200'000'001 + 1);
}

TEST(Batched, ALevelThatTakesNoTimeHasNoLatency) {
  Machine machine;
  machine.rates = {Rates{}};
  machine.rates[0].workers = 8;
  machine.rates[0].level_latency_s = 100;
  machine.rates[0].fp32.mm.flops_per_s = 1;
  EXPECT_EQ(batched_seconds(two_levels(), machine, 3, 4, Scope::all, 2), 16 + 100);
  machine.kind = MachineKind::gpu;
  EXPECT_EQ(batched_seconds(two_levels(), machine, 3, 4, Scope::all, 2), 44 + 100) << "all of the machine for each";
}

TEST(Batched, RefusesNoWorkersAndNoInputs) {
  Machine machine;
  machine.rates = {Rates{}};
  const ScheduleProfile profile = two_levels();
  EXPECT_THROW(static_cast<void>(batched_seconds(profile, machine, 0, 4, Scope::all, 1)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(batched_seconds(profile, machine, 1, 4, Scope::all, 0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(batched_level_makespan(profile, 0, Scope::all, 1, CostUnit::flops)),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(batched_level_makespan(profile, 1, Scope::all, 0, CostUnit::flops)),
               std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::batched_test

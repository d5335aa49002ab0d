#include "upsweep/sim/homogeneous_time.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "support/random.hpp"
#include "support/random_machine.hpp"
#include "upsweep/profile/homogeneous_schedule.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sim/batched.hpp"
#include "upsweep/sim/predict.hpp"

namespace upsweep::homogeneous_time_test {
namespace {

constexpr Scope kScopes[] = {Scope::all, Scope::live};
constexpr MachineKind kKinds[] = {MachineKind::pram, MachineKind::cpu, MachineKind::gpu};

class HomogeneousTimeTest : public testing::SeededTest {
 protected:
  HomogeneousChain random_chain(std::uint64_t most_elements) {
    HomogeneousChain chain{between(1, 40), between(1, most_elements), {ElementKind::dense}};
    switch (between(0, 4)) {
      case 0:
        chain.kinds = {ElementKind::diagonal};
        break;
      case 1:
        chain.kinds = {ElementKind::diagonal, ElementKind::dense};
        break;
      case 2:
        chain.kinds = {ElementKind::banded};
        chain.half_bandwidth = between(0, chain.size - 1);
        break;
      case 3:
        chain.kinds = {ElementKind::uniform};
        chain.density = number();
        break;
      default:
        break;
    }
    return chain;
  }

  double number() { return static_cast<double>(between(1, 1000)) / 1000; }

  Machine random_machine(MachineKind kind) {
    const auto any = [this](std::size_t low, std::size_t high) { return between(low, high); };
    return testing::random_machine(any, kind, 100'000);
  }
};

TEST_F(HomogeneousTimeTest, IsThePredictedTimeOfTheExplicitSchedule) {
  for (int round = 0; round < 40; ++round) {
    const HomogeneousChain chain = random_chain(70);
    const auto depth = static_cast<std::uint32_t>(between(0, max_depth(chain.length())));
    const unsigned value_bytes = chance(0.5) ? 4 : 8;
    const HomogeneousProfile profile = profile_homogeneous(chain, depth, value_bytes);
    const ScheduleProfile listed =
        profile_homogeneous_schedule(hybrid_schedule(chain.length(), depth), chain, value_bytes);
    for (const MachineKind kind : kKinds) {
      const Machine machine = random_machine(kind);
      for (const Scope scope : kScopes) {
        for (const std::size_t workers : {1, 2, 5, 16, 100}) {
          const double want = predict_time(listed, machine, workers, Execution::level, value_bytes, scope).seconds;
          EXPECT_NEAR(homogeneous_seconds(profile, machine, workers, scope), want, 1e-12 * want)
              << to_string(kind) << ", size " << chain.size << ", n " << chain.elements << ", depth " << depth
              << ", kind " << static_cast<int>(chain.kinds.front()) << ", " << workers << " workers";
        }
      }
    }
  }
}

TEST_F(HomogeneousTimeTest, WithoutBarriersIsThePredictedTimeOfTheExplicitSchedule) {
  std::size_t prams = 0;
  for (int round = 0; round < 40; ++round) {
    const HomogeneousChain chain = random_chain(70);
    const auto depth = static_cast<std::uint32_t>(between(0, max_depth(chain.length())));
    const unsigned value_bytes = chance(0.5) ? 4 : 8;
    const HomogeneousProfile profile = profile_homogeneous(chain, depth, value_bytes);
    const ScheduleProfile listed =
        profile_homogeneous_schedule(hybrid_schedule(chain.length(), depth), chain, value_bytes);
    for (const MachineKind kind : kKinds) {
      Machine machine = random_machine(kind);
      if (kind == MachineKind::gpu && chance(0.5)) {
        for (Rates& rates : machine.rates) rates.host_launch_s = number() * 1e-6;
        machine.launch = LaunchMode::eager;
      }
      for (const Scope scope : kScopes) {
        for (const std::size_t workers : {1, 2, 5, 16, 100}) {
          const std::optional<double> seconds = homogeneous_dag_seconds(profile, machine, workers, scope);
          if (kind == MachineKind::pram && !seconds) continue;
          prams += kind == MachineKind::pram ? 1 : 0;
          ASSERT_TRUE(seconds.has_value());
          const double want = predict_time(listed, machine, workers, Execution::dag, value_bytes, scope).seconds;
          EXPECT_NEAR(*seconds, want, 1e-12 * want)
              << to_string(kind) << ", size " << chain.size << ", n " << chain.elements << ", depth " << depth
              << ", kind " << static_cast<int>(chain.kinds.front()) << ", " << workers << " workers";
        }
      }
    }
  }
  EXPECT_GT(prams, 100U) << "prams were hardly ever known";
}

TEST_F(HomogeneousTimeTest, WithoutBarriersIsUnknownWhereKernelsAreFusedByLevels) {
  Machine machine = random_machine(MachineKind::gpu);
  machine.launch = LaunchMode::fused;
  const HomogeneousProfile profile = profile_homogeneous({3, 40, {ElementKind::dense}}, 2, 4);
  EXPECT_FALSE(homogeneous_dag_seconds(profile, machine, 4, Scope::all).has_value());
}

TEST_F(HomogeneousTimeTest, OfABatchIsThatOfTheExplicitSchedule) {
  for (int round = 0; round < 30; ++round) {
    const HomogeneousChain chain = random_chain(50);
    const auto depth = static_cast<std::uint32_t>(between(0, max_depth(chain.length())));
    const HomogeneousProfile profile = profile_homogeneous(chain, depth, 4);
    const ScheduleProfile listed = profile_homogeneous_schedule(hybrid_schedule(chain.length(), depth), chain, 4);
    const std::uint64_t batch = between(1, 20);
    const std::uint64_t workers = between(1, 60);
    for (const Scope scope : kScopes) {
      for (const CostUnit unit : {CostUnit::unit, CostUnit::flops}) {
        EXPECT_EQ(batched_level_makespan(profile, workers, scope, batch, unit),
                  batched_level_makespan(listed, workers, scope, batch, unit));
      }
      for (const MachineKind kind : kKinds) {
        const Machine machine = random_machine(kind);
        const double want = batched_seconds(listed, machine, workers, 4, scope, batch);
        EXPECT_NEAR(homogeneous_seconds(profile, machine, workers, scope, batch), want, 1e-12 * want)
            << to_string(kind) << ", " << workers << " workers, batch " << batch;
      }
    }
  }
}

/// Densities that grow from level to level: the down levels come back to combines of the up levels, one by one.
TEST_F(HomogeneousTimeTest, OfUniformChainsIsThatOfTheExplicitScheduleHoweverManyCombinesDiffer) {
  const Machine machine = random_machine(MachineKind::cpu);
  for (const auto& [elements, depth] : {std::pair{4032U, 11U}, {4032U, 3U}, {1000U, 9U}, {1023U, 5U}}) {
    for (const double density : {0.9, 0.4}) {
      const HomogeneousChain chain{2, elements, {ElementKind::uniform}, 0, density};
      const HomogeneousProfile profile = profile_homogeneous(chain, depth, 8);
      const ScheduleProfile listed = profile_homogeneous_schedule(hybrid_schedule(chain.length(), depth), chain, 8);
      for (const Scope scope : kScopes) {
        const double want = predict_time(listed, machine, 5, Execution::level, 8, scope).seconds;
        EXPECT_NEAR(homogeneous_seconds(profile, machine, 5, scope), want, 1e-12 * want)
            << elements << " elements, depth " << depth << ", density " << density;
      }
    }
  }
}

/// One FLOP takes a nanosecond, a level 10 more.
Machine flops_machine() {
  Machine machine;
  machine.rates = {Rates{}};
  machine.rates[0].workers = 1'000'000'000;
  machine.rates[0].level_latency_s = 10e-9;
  for (KindRates* kind : {&machine.rates[0].fp32.mv, &machine.rates[0].fp32.mm}) kind->flops_per_s = 1e9;
  return machine;
}

TEST(HomogeneousTime, OfABillionElementsIsASumByHand) {
  constexpr std::uint64_t kElements = 1'000'000'000;
  const HomogeneousChain chain = fused_chain(20, kElements);
  const HomogeneousProfile plain = profile_homogeneous(chain, 0, 4);
  const double levels = kElements - 1;
  EXPECT_NEAR(homogeneous_seconds(plain, flops_machine(), 1, Scope::all), levels * 810e-9, 1e-6);
  EXPECT_NEAR(homogeneous_seconds(plain, flops_machine(), 4, Scope::all, 9), levels * (3 * 800 + 10) * 1e-9, 1e-6);
  // Cut at depth 1 with workers for everything: a level of products of matrices, half the fold, a level of vectors.
  const HomogeneousProfile cut = profile_homogeneous(chain, 1, 4);
  EXPECT_NEAR(homogeneous_seconds(cut, flops_machine(), kElements, Scope::all),
              16'010e-9 + (kElements / 2 - 1) * 810e-9 + 810e-9, 1e-6);
}

TEST(HomogeneousTime, OfUniformChainsGrowsWithTheDensity) {
  double before = 0;
  for (const double density : {0.01, 0.1, 0.5, 1.0}) {
    const HomogeneousChain chain{100, 1'000'000, {ElementKind::uniform}, 0, density};
    const double seconds = homogeneous_seconds(profile_homogeneous(chain, 5, 4), flops_machine(), 1000, Scope::all);
    EXPECT_GT(seconds, before) << density;
    before = seconds;
  }
  const double dense =
      homogeneous_seconds(profile_homogeneous(fused_chain(100, 1'000'000), 5, 4), flops_machine(), 1000, Scope::all);
  EXPECT_NEAR(before, dense, 1e-12 * dense);
}

TEST(HomogeneousTime, RefusesNoWorkersAndNoInputs) {
  const HomogeneousProfile profile = profile_homogeneous(fused_chain(3, 9), 1, 4);
  EXPECT_THROW(static_cast<void>(homogeneous_seconds(profile, flops_machine(), 0, Scope::all)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(homogeneous_seconds(profile, flops_machine(), 1, Scope::all, 0)),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(batched_level_makespan(profile, 0, Scope::all, 1, CostUnit::flops)),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(batched_level_makespan(profile, 1, Scope::all, 0, CostUnit::flops)),
               std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::homogeneous_time_test

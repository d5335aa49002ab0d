#include "upsweep/scaling/step_models.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sim/homogeneous.hpp"
#include "upsweep/sim/simulate.hpp"

namespace upsweep {
namespace {

/// blelloch over n Jacobians; the closed form ends at the deepest level.
HomogeneousProfile blelloch_over(std::uint64_t n) { return profile_homogeneous(fused_chain(1, n), 64, 4); }

std::uint64_t simulated_steps(const HomogeneousProfile& profile, std::uint64_t workers) {
  return homogeneous_level_makespan(profile, CostUnit::unit, workers, Scope::all);
}

std::vector<std::uint64_t> lengths() {
  std::vector<std::uint64_t> lengths;
  for (std::uint64_t n = 1; n <= 40; ++n) lengths.push_back(n);
  lengths.insert(lengths.end(), {100, 1000});
  return lengths;
}

TEST(ScanStepsFormula, EqualsHandComputedCases) {
  EXPECT_EQ(scan_steps_formula(1024, 1), 1024);
  EXPECT_EQ(scan_steps_formula(1024, 4), 256 + 2);
  EXPECT_EQ(scan_steps_formula(1024, 1024), 1 + 10);
  EXPECT_EQ(scan_steps_formula(1024, 5000), 1 + 10) << "workers beyond n have nothing to do";
  EXPECT_EQ(scan_steps_formula(1, 1), 1);
  EXPECT_THROW(static_cast<void>(scan_steps_formula(0, 1)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(scan_steps_formula(1, 0)), std::invalid_argument);
}

TEST(ScanStepsFormula, IsWithinConstantFactorsOfTheSimulatorForEveryNumberOfWorkers) {
  for (const std::uint64_t n : lengths()) {
    if (n < 2) continue;  // one Jacobian: nothing is combined
    const HomogeneousProfile profile = blelloch_over(n);
    for (std::uint64_t p = 1; p <= n + 1; ++p) {
      const double ratio = static_cast<double>(simulated_steps(profile, p)) / scan_steps_formula(n, p);
      EXPECT_GE(ratio, 0.5) << n << " Jacobians on " << p << " workers";
      EXPECT_LE(ratio, 2.25) << n << " Jacobians on " << p << " workers";
    }
  }
}

TEST(ScanStepsFormula, HasTheOrderOfGrowthOfLongScansToo) {
  for (const std::uint64_t n : {std::uint64_t{1} << 20, std::uint64_t{1'000'000'000}, std::uint64_t{1} << 40}) {
    const HomogeneousProfile profile = blelloch_over(n);
    for (std::uint64_t p = 1; p <= 2 * n; p *= 3) {
      const double ratio = static_cast<double>(simulated_steps(profile, p)) / scan_steps_formula(n, p);
      EXPECT_GE(ratio, 1.5) << n << " Jacobians on " << p << " workers";
      EXPECT_LE(ratio, 2.25) << n << " Jacobians on " << p << " workers";
    }
  }
}

TEST(ScanStepBounds, HoldTheSimulatedStepsForEveryNumberOfWorkers) {
  for (const std::uint64_t n : lengths()) {
    const HomogeneousProfile profile = blelloch_over(n);
    for (std::uint64_t p = 1; p <= n + 1; ++p) {
      const StepBounds bounds = scan_step_bounds(profile.all.ops, profile.levels, p);
      const auto steps = static_cast<double>(simulated_steps(profile, p));
      EXPECT_GE(steps, bounds.least) << n << " Jacobians on " << p << " workers";
      EXPECT_LE(steps, bounds.most) << n << " Jacobians on " << p << " workers";
    }
  }
}

TEST(ScanStepBounds, HoldTheStepsOfTheListedSchedule) {
  for (const std::size_t length : {2U, 3U, 9U, 22U, 65U}) {
    const Schedule schedule = blelloch_schedule(length);
    const std::vector<std::uint64_t> costs(schedule.combines.size(), 1);
    const std::vector<bool> runs(schedule.combines.size(), true);
    for (std::size_t p = 1; p <= length; ++p) {
      const auto steps = static_cast<double>(simulate(schedule, costs, runs, p, Execution::level).makespan);
      const StepBounds bounds = scan_step_bounds(costs.size(), schedule.levels, p);
      EXPECT_GE(steps, bounds.least) << length << " elements on " << p << " workers";
      EXPECT_LE(steps, bounds.most) << length << " elements on " << p << " workers";
    }
  }
}

TEST(ScanStepBounds, AreTightAtBothEnds) {
  const StepBounds alone = scan_step_bounds(34, 9, 1);
  EXPECT_EQ(alone.least, 34);
  EXPECT_EQ(alone.most, 34);
  const StepBounds few = scan_step_bounds(34, 9, 4);
  EXPECT_EQ(few.least, 9);       // 34 / 4 = 8.5 is below the levels
  EXPECT_EQ(few.most, 61 / 4.);  // (34 + 3 · 9) / 4
  EXPECT_THROW(static_cast<void>(scan_step_bounds(34, 9, 0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(scan_step_bounds(8, 9, 1)), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sim/homogeneous.hpp"
#include "upsweep/sim/pram_simulation.hpp"

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

/// Steps of `ops` combines in `levels` levels on `workers` workers, whatever the schedule. Source: Brent, "The Parallel
/// Evaluation of General Arithmetic Expressions", J. ACM 21, 1974, Lemma 2.
struct StepBounds {
  StepBounds(std::uint64_t ops, std::uint64_t levels, std::uint64_t workers)
      : least(std::max(static_cast<double>(ops) / static_cast<double>(workers), static_cast<double>(levels))),
        most(static_cast<double>(ops + (workers - 1) * levels) / static_cast<double>(workers)) {}
  double least;
  double most;
};

TEST(ScanStepBounds, HoldTheSimulatedStepsForEveryNumberOfWorkers) {
  for (const std::uint64_t n : lengths()) {
    const HomogeneousProfile profile = blelloch_over(n);
    for (std::uint64_t p = 1; p <= n + 1; ++p) {
      const StepBounds bounds(profile.all.ops, profile.levels, p);
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
      const StepBounds bounds(costs.size(), schedule.levels, p);
      EXPECT_GE(steps, bounds.least) << length << " elements on " << p << " workers";
      EXPECT_LE(steps, bounds.most) << length << " elements on " << p << " workers";
    }
  }
}

}  // namespace
}  // namespace upsweep

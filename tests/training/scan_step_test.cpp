#include "upsweep/training/scan_step.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "support/random.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep::scan_step_test {
namespace {

double sum(const std::vector<double>& numbers) { return std::accumulate(numbers.begin(), numbers.end(), 0.0); }

/// A step of unit costs without weights.
ScanStep unit_step(const Schedule& schedule) {
  ScanStep step;
  step.schedule = &schedule;
  step.forward.assign(schedule.length - 1, 1);
  step.weight_gradient.assign(schedule.length - 1, 0);
  step.combine.assign(schedule.combines.size(), 1);
  return step;
}

class ScanStepTest : public testing::SeededTest {
 protected:
  std::vector<double> numbers(std::size_t count, std::uint64_t least) {
    std::vector<double> list(count);
    for (double& number : list) number = static_cast<double>(between(least, 8)) / 4;
    return list;
  }
  ScanStep random_step(const Schedule& schedule) {
    ScanStep step = unit_step(schedule);
    step.forward = numbers(step.forward.size(), 1);
    step.weight_gradient = numbers(step.weight_gradient.size(), 0);
    step.combine = numbers(step.combine.size(), 0);
    return step;
  }
  Schedule random_schedule() { return hybrid_schedule(between(2, 20), static_cast<std::uint32_t>(between(0, 5))); }
};

/// The longest chain of operations of one micro-batch: no number of devices is faster.
double longest_chain(const ScanStep& step) {
  const Schedule& schedule = *step.schedule;
  const std::size_t links = schedule.length - 1;
  std::vector<double> there(schedule.values(), 0);  // when a value is
  double now = 0;
  for (std::size_t link = 0; link < links; ++link) there[links - link] = now += step.forward[link];
  there[0] = now;
  double last = now;
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    const double end = std::max(there[combine.earlier], there[combine.later]) + step.combine[id];
    there[schedule.value_of(id)] = end;
    last = std::max(last, end);
  }
  for (std::size_t link = 0; link < links; ++link)
    last = std::max(last, there[schedule.results[links - link]] + step.weight_gradient[link]);
  return last;
}

TEST_F(ScanStepTest, TakesTheSumOfAllCostsOnOneDevice) {
  for (int round = 0; round < 50; ++round) {
    const Schedule schedule = random_schedule();
    ScanStep step = random_step(schedule);
    step.micro_batches = between(1, 3);
    const auto count = static_cast<double>(step.micro_batches);
    const ScanStepRun run = simulate_scan_step(step);
    EXPECT_EQ(run.makespan, count * (sum(step.forward) + sum(step.combine) + sum(step.weight_gradient)));
    EXPECT_EQ(run.forward_end, count * sum(step.forward)) << "forward goes first";
    const double gradients_end = count * (sum(step.forward) + sum(step.combine));
    EXPECT_EQ(run.gradients_end, schedule.combines.empty() ? 0 : gradients_end);
    EXPECT_EQ(run.busy, std::vector<double>{run.makespan});
    EXPECT_EQ(run.bubble_fraction, 0);
    EXPECT_EQ(run.schedule, schedule.name);
  }
}

TEST_F(ScanStepTest, TakesTheLongestChainOnManyDevices) {
  for (int round = 0; round < 50; ++round) {
    const Schedule schedule = random_schedule();
    ScanStep step = random_step(schedule);
    step.devices = 64;
    EXPECT_EQ(simulate_scan_step(step).makespan, longest_chain(step)) << schedule.name << " of " << schedule.length;
  }
}

TEST_F(ScanStepTest, KeepsBetweenTheBoundsOfListScheduling) {
  for (int round = 0; round < 50; ++round) {
    const Schedule schedule = random_schedule();
    ScanStep step = random_step(schedule);
    step.devices = between(1, 5);
    step.micro_batches = between(1, 3);
    const ScanStepRun run = simulate_scan_step(step);
    const double work =
        static_cast<double>(step.micro_batches) * (sum(step.forward) + sum(step.combine) + sum(step.weight_gradient));
    const auto devices = static_cast<double>(step.devices);
    const double chain = longest_chain(step);
    EXPECT_EQ(sum(run.busy), work);
    EXPECT_GE(run.makespan, std::max(chain, work / devices));
    EXPECT_LE(run.makespan, work / devices + chain * (1 - 1 / devices) + 1e-9) << "Graham";
    EXPECT_NEAR(run.bubble_fraction, 1 - work / devices / run.makespan, 1e-12);
  }
}

TEST(ScanStep, LinearIsOneChain) {
  const Schedule schedule = linear_schedule(9);
  ScanStep step = unit_step(schedule);
  for (const std::size_t devices : {1U, 2U, 100U}) {
    step.devices = devices;
    EXPECT_EQ(simulate_scan_step(step).makespan, 8 + static_cast<double>(schedule.combines.size())) << devices;
  }
}

TEST(ScanStep, BlellochIsShorterThanLinearOnManyDevicesOnly) {
  const Schedule linear = linear_schedule(65);
  const Schedule blelloch = blelloch_schedule(65);
  ScanStep one = unit_step(linear);
  ScanStep other = unit_step(blelloch);
  EXPECT_LT(simulate_scan_step(one).makespan, simulate_scan_step(other).makespan);
  one.devices = other.devices = 32;
  EXPECT_GT(simulate_scan_step(one).makespan, simulate_scan_step(other).makespan);
}

TEST(ScanStep, AWeightGradientWaitsForTheGradientOfItsOutput) {
  // Forward 4; the linear scan combines from the last operator to the first.
  const Schedule schedule = linear_schedule(5);
  const auto combines = static_cast<double>(schedule.combines.size());
  ASSERT_EQ(combines, 3);
  for (std::size_t link = 0; link < 4; ++link) {
    ScanStep step = unit_step(schedule);
    step.devices = 2;
    step.weight_gradient[link] = 10;
    EXPECT_EQ(simulate_scan_step(step).makespan, 4 + static_cast<double>(3 - link) + 10)
        << "W of operator " << link + 1 << " after as many combines";
    EXPECT_EQ(simulate_scan_step(step).gradients_end, 7);
  }
}

TEST(ScanStep, ForwardGoesBeforeCombinesOfOtherMicroBatches) {
  const Schedule schedule = linear_schedule(4);
  ScanStep step = unit_step(schedule);
  step.micro_batches = 5;
  EXPECT_EQ(simulate_scan_step(step).forward_end, 15);
  EXPECT_EQ(simulate_scan_step(step).tasks, 5 * (3 + schedule.combines.size()));
}

TEST(ScanStep, RefusesListsThatDoNotFit) {
  const Schedule schedule = linear_schedule(4);
  const ScanStep good = unit_step(schedule);
  const auto refuses = [](const ScanStep& step) {
    EXPECT_THROW(static_cast<void>(simulate_scan_step(step)), std::invalid_argument);
  };
  ScanStep bad = good;
  bad.forward.pop_back();
  refuses(bad);
  bad = good;
  bad.combine.push_back(1);
  refuses(bad);
  bad = good;
  bad.weight_gradient.clear();
  refuses(bad);
  bad = good;
  bad.devices = 0;
  refuses(bad);
  bad = good;
  bad.micro_batches = 0;
  refuses(bad);
  for (const double time : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    bad = good;
    bad.combine[1] = time;
    refuses(bad);
  }
}

}  // namespace
}  // namespace upsweep::scan_step_test

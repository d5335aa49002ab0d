#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "support/pipelines.hpp"

// Section 4.1 of training-schedules: p equal stages, m micro-batches, no transfers, O(1) kept.

namespace upsweep {
namespace {

using testing::equal_pipeline;
using testing::equal_stages;
using testing::run_policy;
using testing::StageCosts;

constexpr std::array<std::size_t, 5> kStages = {1, 2, 3, 4, 6};
constexpr std::size_t kMostMicroBatches = 9;
constexpr std::array<double, 5> kCosts = {1, 2, 3, 5, 7};

/// What a closed form says of p stages and m micro-batches of these costs.
struct Case {
  std::size_t p;
  std::size_t m;
  StageCosts costs;

  [[nodiscard]] double stages() const { return static_cast<double>(p); }
  [[nodiscard]] double count() const { return static_cast<double>(m); }
  [[nodiscard]] double t() const { return costs.forward + costs.output + costs.weight; }
  [[nodiscard]] std::string text(const std::string& policy) const {
    return policy + ", p = " + std::to_string(p) + ", m = " + std::to_string(m) + ", costs " +
           std::to_string(costs.forward) + ' ' + std::to_string(costs.output) + ' ' + std::to_string(costs.weight);
  }
};

/// All p, m and costs of the section.
template <class Use>
void for_each_case(const Use& use) {
  for (const std::size_t p : kStages) {
    for (std::size_t m = 1; m <= kMostMicroBatches; ++m) {
      for (std::size_t triple = 0; triple < 125; ++triple) {
        use(Case{p, m, {kCosts[triple / 25], kCosts[triple / 5 % 5], kCosts[triple % 5]}});
      }
    }
  }
}

template <class Makespan, class Peak>
void expect_form(const std::string& policy, const Makespan& makespan, const Peak& peak) {
  std::size_t cases = 0;
  for_each_case([&](const Case& one) {
    if (policy == "mp" && one.m > 1) return;
    Pipeline pipeline = equal_stages(one.p, 1, one.m, one.costs);
    pipeline.skip_first_output_gradient = false;
    const PipelineRun run = run_policy(pipeline, policy);
    EXPECT_EQ(run.makespan, makespan(one)) << one.text(policy);
    for (std::size_t stage = 0; stage < one.p; ++stage)
      EXPECT_EQ(run.peaks[stage].activations, peak(one, stage)) << one.text(policy) << ", stage " << stage;
    EXPECT_NEAR(run.bubble_fraction, 1 - one.count() * one.t() / run.makespan, 1e-12) << one.text(policy);
    ++cases;
  });
  EXPECT_EQ(cases, kStages.size() * (policy == "mp" ? 1 : kMostMicroBatches) * 125);
}

TEST(ClosedForm, OfMp) {
  expect_form(
      "mp", [](const Case& c) { return c.stages() * c.t(); }, [](const Case&, std::size_t) { return 1U; });
}

TEST(ClosedForm, OfGpipe) {
  expect_form(
      "gpipe", [](const Case& c) { return (c.count() + c.stages() - 1) * c.t(); },
      [](const Case& c, std::size_t) { return c.m; });
}

TEST(ClosedForm, OfFastForwarding) {
  expect_form(
      "ff",
      [](const Case& c) {
        return (c.count() + c.stages() - 1) * c.costs.forward + (c.stages() - 1) * c.costs.output +
               c.count() * (c.costs.output + c.costs.weight);
      },
      [](const Case& c, std::size_t) { return c.m; });
}

TEST(ClosedForm, OfOneForwardOneBackward) {
  for (const std::string policy : {"1f1b", "pipedream"}) {
    expect_form(
        policy, [](const Case& c) { return (c.count() + c.stages() - 1) * c.t(); },
        [](const Case& c, std::size_t stage) { return std::min(c.p - stage, c.m); });
  }
}

TEST(ClosedForm, OfZeroBubble) {
  expect_form(
      "zb_h1",
      [](const Case& c) {
        const auto [forward, output, weight] = c.costs;
        const double slowest = std::max(output, std::min(forward, weight));
        if (c.m >= c.p) return c.count() * c.t() + (c.stages() - 1) * (slowest + std::max(forward - weight, 0.0));
        return c.stages() * (forward + output) + (c.count() - 1) * (slowest + std::max(forward, weight)) + weight;
      },
      [](const Case& c, std::size_t) { return std::min(c.p, c.m); });
}

TEST(ClosedForm, BothOfZeroBubbleHoldWhereMicroBatchesAreAsManyAsStages) {
  for (const double forward : kCosts) {
    for (const double output : kCosts) {
      for (const double weight : kCosts) {
        Pipeline pipeline = equal_stages(4, 1, 4, {forward, output, weight});
        pipeline.skip_first_output_gradient = false;
        const double slowest = std::max(output, std::min(forward, weight));
        EXPECT_EQ(run_policy(pipeline, "zb_h1").makespan,
                  4 * (forward + output) + 3 * (slowest + std::max(forward, weight)) + weight);
      }
    }
  }
}

TEST(ClosedForm, OfInterleaved) {
  for (const std::size_t p : kStages) {
    for (const std::size_t v : {2U, 3U}) {
      for (std::size_t m = p; m <= kMostMicroBatches && p > 1; m += p) {
        Pipeline pipeline = equal_pipeline(modulo_allocation(p * v, p, 1), p, m);
        pipeline.skip_first_output_gradient = false;
        const PipelineRun run = run_policy(pipeline, "interleaved");
        const double t = static_cast<double>(3 * v);  // of a device's share of a micro-batch
        EXPECT_EQ(run.makespan, static_cast<double>(m) * t + static_cast<double>((p - 1) * 3))
            << p << ' ' << v << ' ' << m;
        EXPECT_NEAR(run.bubble_fraction, static_cast<double>(p - 1) / static_cast<double>(v * m + p - 1), 1e-12);
        for (std::size_t stage = 0; stage < p; ++stage) {
          EXPECT_EQ(run.peaks[stage].activations, std::min(2 * (p - 1 - stage) + (v - 1) * p + 1, m * v))
              << p << ' ' << v << ' ' << m << ", stage " << stage;
        }
      }
    }
  }
}

TEST(ClosedForm, OfUnitLayersWithoutTheFirstOutputGradient) {
  for (const std::size_t p : kStages) {
    for (std::size_t m = 1; m <= kMostMicroBatches; ++m) {
      for (std::size_t l = 1; l <= 4; ++l) {
        const auto want = static_cast<double>(p == 1 ? 3 * m * l - m : 3 * (m + p - 1) * l - 1);
        EXPECT_EQ(run_policy(equal_stages(p, l, m), "gpipe").makespan, want) << p << ' ' << m << ' ' << l;
      }
    }
  }
}

TEST(ClosedForm, EagerOnModuloReachesTheLowerBoundOfTheLastDevice) {
  for (const std::size_t p : {2U, 3U, 4U, 6U}) {
    for (std::size_t l = 2; l <= 4; ++l) {
      for (std::size_t m = p; m <= kMostMicroBatches; ++m) {
        for (const bool skips : {true, false}) {
          Pipeline pipeline = equal_pipeline(modulo_allocation(p * l, p, 1), p, m);
          pipeline.skip_first_output_gradient = skips;
          EXPECT_EQ(run_policy(pipeline, "eager_ofw").makespan, static_cast<double>(p - 1 + 3 * m * l))
              << p << ' ' << l << ' ' << m;
        }
      }
    }
  }
}

TEST(ClosedForm, NoPolicyOnModuloBeatsThatBound) {
  for (const char* policy : {"gpipe", "ff", "eager_ofw", "eager_fow", "paired"}) {
    for (std::size_t m = 1; m <= 5; ++m) {
      const Pipeline pipeline = equal_pipeline(modulo_allocation(9, 3, 1), 3, m);
      EXPECT_GE(run_policy(pipeline, policy).makespan, static_cast<double>(2 + 9 * m)) << policy;
    }
  }
}

TEST(ClosedForm, PipedreamKeepsOneWeightVersionPerMicroBatchUnderWay) {
  Pipeline pipeline = equal_stages(3, 2, 4, {1, 2, 4});
  const PipelineRun run = run_policy(pipeline, "pipedream");
  ASSERT_TRUE(run.stashed.has_value());
  EXPECT_EQ(run.stashed->weight_versions, (std::vector<std::uint64_t>{3, 2, 1}));
  EXPECT_EQ(run.stashed->staleness, (std::vector<std::uint64_t>{2, 1, 0}));
  EXPECT_EQ(run.stashed->stage_time, (std::vector<double>{12, 14, 14})) << "stage 0 has no O(1)";
  EXPECT_EQ(run.stashed->period_lower_bound, 14);
  EXPECT_EQ(run.makespan, run_policy(pipeline, "1f1b").makespan);
  EXPECT_FALSE(run_policy(pipeline, "1f1b").stashed.has_value());
}

}  // namespace
}  // namespace upsweep

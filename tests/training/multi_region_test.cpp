#include "upsweep/training/multi_region.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "support/random.hpp"
#include "upsweep/training/study.hpp"

namespace upsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using enum StepOpKind;
using Kernels = std::vector<std::vector<std::size_t>>;

/// Three layers. Main stream: O3 [0, 3) O2 [3, 6) | W1 [6, 8) F1 [8, 10) | F2 [10, 12) F3 [12, 14).
/// W2 is available at 3 and due at 10, W3 at 0 and at 12.
MultiRegion small() {
  MultiRegion step;
  step.forward = {2, 2, 2};
  step.output_gradient = {0, 3, 3};
  step.weight_gradient = {2, 3, 4};
  step.main_stream = {{{output_gradient, 2, 0}, {output_gradient, 1, 0}},
                      {{weight_gradient, 0, 0}, {forward, 0, 0}},
                      {{forward, 1, 0}, {forward, 2, 0}}};
  step.co_run = {{}, {4, 3, 3}, {3, 4, 4}};
  step.speedup_percent = {{}, {10, 40, 5}, {20, 30, 5}};
  step.hold = {0, 5, 2};
  step.base_memory = 10;
  step.memory_limit = 100;
  return step;
}

std::string refusal(const MultiRegion& step) {
  try {
    static_cast<void>(region_times(step));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MultiRegion, TimesFollowFromTheMainStream) {
  const RegionTimes times = region_times(small());
  EXPECT_THAT(times.main, ElementsAre(6, 4, 4));
  EXPECT_THAT(times.start, ElementsAre(0, 6, 10));
  EXPECT_EQ(times.available[1], 3U);
  EXPECT_EQ(times.available[2], 0U);
  EXPECT_EQ(times.deadline[1], 10U);
  EXPECT_EQ(times.deadline[2], 12U);
  EXPECT_EQ(times.backward_regions, 2U) << "the one with W1, too";
  EXPECT_EQ(one_stream_makespan(small()), 14 + 3 + 4);
}

TEST(MultiRegion, LargestSpeedUpIsPlacedFirst) {
  // W2 fits region 2 only (6 <= 10 - 3; not available at 0), with 40. Then W3: region 1 with 20; region 2 with 30
  // stands at 9, too late for 12 - 4.
  const RegionSchedule schedule = schedule_regions(small(), 0);
  EXPECT_EQ(schedule.kernels, (Kernels{{2}, {1}, {}}));
  EXPECT_THAT(schedule.begin, ElementsAre(0, 6, 0));
  EXPECT_THAT(schedule.length, ElementsAre(0, 3, 3));
  EXPECT_THAT(schedule.now, ElementsAre(3, 3, 0));
  EXPECT_EQ(schedule.estimate, 14);
  EXPECT_THAT(schedule.overflow, IsEmpty());
  EXPECT_EQ(schedule.peak_memory, 10 + 5) << "W3 [0, 3) ends as W2 [3, 9) becomes available";
  const RegionRun run = execute_regions(small(), schedule);
  EXPECT_EQ(run.makespan, 14);
  EXPECT_EQ(run.main_end, 14);
  EXPECT_EQ(run.sub_end, 9);
}

TEST(MultiRegion, AClockMovesToTheNextKernelWhereNothingFits) {
  // W3 goes to region 2 with 50 and closes it. W2 is not available at 0: region 1 moves to 3, W2 runs to 7 and delays
  // the region by 1.
  MultiRegion step = small();
  step.speedup_percent[2][1] = 50;
  const RegionSchedule schedule = schedule_regions(step, 0);
  EXPECT_EQ(schedule.kernels, (Kernels{{1}, {2}, {}}));
  EXPECT_THAT(schedule.begin, ElementsAre(0, 3, 6));
  EXPECT_THAT(schedule.now, ElementsAre(7, 4, 0));
  EXPECT_EQ(schedule.estimate, 7 + 4 + 4);
  EXPECT_EQ(schedule.peak_memory, 10 + 5 + 2) << "W3 is kept from 0 to 10";
  const RegionRun run = execute_regions(step, schedule);
  EXPECT_EQ(run.makespan, 14) << "W3 [7, 11) is in time for F3";
  EXPECT_EQ(run.sub_end, 11);
}

TEST(MultiRegion, WhatFitsNowhereGoesBehindTheLastBackwardRegion) {
  // W3 goes to region 2 with 30 and closes it; W2 takes 20 everywhere and is due at 10.
  MultiRegion step = small();
  step.co_run[1] = {20, 20, 20};
  const RegionSchedule schedule = schedule_regions(step, 0);
  EXPECT_EQ(schedule.kernels, (Kernels{{}, {2, 1}, {}}));
  EXPECT_THAT(schedule.overflow, ElementsAre(1));
  EXPECT_THAT(schedule.begin, ElementsAre(0, 10, 6));
  EXPECT_THAT(schedule.now, ElementsAre(0, 24, 0));
  EXPECT_EQ(schedule.estimate, 6 + 24 + 4);
  EXPECT_EQ(execute_regions(step, schedule).makespan, 34) << "W2 [10, 30), F2, F3";
}

TEST(MultiRegion, TiesGoToTheSmallerRegionThenToTheLargerLayer) {
  MultiRegion step = small();
  step.speedup_percent = {{}, {7, 7, 7}, {7, 7, 7}};
  step.co_run = {{}, {1, 1, 1}, {1, 1, 1}};
  EXPECT_EQ(schedule_regions(step, 0).kernels, (Kernels{{2}, {1}, {}})) << "W2 is not available in region 1";
  step.co_run = {{}, {9, 1, 9}, {15, 1, 15}};  // only region 2 is in time
  EXPECT_EQ(schedule_regions(step, 0).kernels, (Kernels{{}, {2, 1}, {}}));
}

TEST(MultiRegion, FallsBackToEarlyKernelsUntilTheMemorySuffices) {
  MultiRegion step = small();
  step.speedup_percent[2][1] = 50;  // a peak of 17, see above
  step.memory_limit = 17.5;
  EXPECT_EQ(schedule_regions_in_memory(step).pre_regions, 0U);
  step.memory_limit = 17;
  const RegionFallback fallback = schedule_regions_in_memory(step);
  EXPECT_TRUE(fallback.fits);
  EXPECT_EQ(fallback.pre_regions, 1U);
  EXPECT_THAT(fallback.peaks, ElementsAre(17, 15));
  EXPECT_EQ(fallback.schedule.kernels, (Kernels{{2, 1}, {}, {}})) << "by availability, not by speed-up";
  EXPECT_THAT(fallback.schedule.begin, ElementsAre(0, 3, 0));
  EXPECT_EQ(fallback.schedule.estimate, 15);
  step.memory_limit = 15;
  const RegionFallback none = schedule_regions_in_memory(step);
  EXPECT_FALSE(none.fits) << "the peak has to be below";
  EXPECT_EQ(none.pre_regions, 2U) << "the last attempt";
  EXPECT_THAT(none.peaks, ElementsAre(17, 15, 15));
}

TEST(MultiRegion, SaysWhatIsWrong) {
  EXPECT_EQ(refusal(small()), "accepted");
  MultiRegion bad = small();
  std::swap(bad.main_stream[0][0], bad.main_stream[0][1]);
  EXPECT_EQ(refusal(bad), "main_stream has O2 at place 1, accepted is O3");
  bad = small();
  bad.main_stream[2].pop_back();
  EXPECT_EQ(refusal(bad), "main_stream ends before F3");
  bad = small();
  bad.main_stream[2].push_back({forward, 0, 0});
  EXPECT_EQ(refusal(bad), "main_stream has F1 at place 7, accepted is its end");
  bad = small();
  bad.main_stream.push_back({});
  bad.co_run = {{}, {4, 3, 3, 1}, {3, 4, 4, 1}};
  bad.speedup_percent = bad.co_run;
  EXPECT_EQ(refusal(bad), "main_stream has an empty region, accepted is at least one op");
  bad = small();
  bad.co_run[2] = {1, 2};
  EXPECT_EQ(refusal(bad), "T_sub of kernel 3 has 2 entries, accepted are 3");
  bad = small();
  bad.co_run.pop_back();
  EXPECT_THAT(refusal(bad), HasSubstr("T_sub"));
  bad = small();
  bad.speedup_percent[1] = {1};
  EXPECT_EQ(refusal(bad), "speedup_percent of kernel 2 has 1 entries, accepted are 3");
  bad = small();
  bad.speedup_percent.clear();
  EXPECT_THAT(refusal(bad), HasSubstr("speedup_percent"));
  bad = small();
  bad.weight_gradient[1] = 0;
  EXPECT_EQ(refusal(bad), "W has 0, accepted are finite numbers above 0");
  bad = small();
  bad.output_gradient[2] = 0;
  EXPECT_EQ(refusal(bad), "O of layer 3 is 0, accepted is a number above 0");
  bad = small();
  bad.memory_limit = 10;
  EXPECT_THAT(refusal(bad), HasSubstr("memory_limit is 10, accepted is more than base, 10"));
}

class MultiRegionTest : public testing::SeededTest {
 protected:
  double number(std::uint64_t least, std::uint64_t most) { return static_cast<double>(between(least, most)); }

  MultiRegion random_step() {
    MultiRegion step;
    const std::size_t layers = between(1, 9);
    std::vector<StepOp> stream;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      step.forward.push_back(number(1, 9));
      step.output_gradient.push_back(layer == 0 ? 0 : number(1, 9));
      step.weight_gradient.push_back(number(1, 9));
      step.hold.push_back(number(0, 5));
      if (layer > 0) stream.insert(stream.begin(), {output_gradient, layer, 0});
    }
    stream.push_back({weight_gradient, 0, 0});
    for (std::uint32_t layer = 0; layer < layers; ++layer) stream.push_back({forward, layer, 0});
    for (const StepOp& op : stream) {
      if (step.main_stream.empty() || chance(0.35)) step.main_stream.emplace_back();
      step.main_stream.back().push_back(op);
    }
    step.co_run.resize(layers);
    step.speedup_percent.resize(layers);
    for (std::size_t layer = 1; layer < layers; ++layer) {
      for (std::size_t region = 0; region < step.regions(); ++region) {
        step.co_run[layer].push_back(step.weight_gradient[layer] + number(0, 4));
        step.speedup_percent[layer].push_back(number(0, 30));
      }
    }
    step.base_memory = 10;
    step.memory_limit = number(11, 30);
    return step;
  }
};

/// What an execution on two streams takes, each operation as early as the rules let it; by operation.
std::map<std::string, double> ends_by_definition(const MultiRegion& step, const RegionSchedule& schedule) {
  std::map<std::string, double> end;  // grows until nothing changes
  for (bool changed = true; changed;) {
    changed = false;
    double main = 0, sub = 0;
    const auto set = [&](const StepOp& op, double time) {
      changed = changed || end[to_string(op)] != time;
      end[to_string(op)] = time;
    };
    for (std::size_t region = 0; region < step.regions(); ++region) {
      std::optional<double> region_start;
      for (const StepOp& op : step.main_stream[region]) {
        if (op.kind == forward && op.layer > 0) main = std::max(main, end["W" + std::to_string(op.layer + 1) + ".0"]);
        region_start = region_start.value_or(main);
        main += step.cost(op);
        set(op, main);
      }
      for (const std::size_t layer : schedule.kernels[region]) {
        const double gradient = layer + 1 == step.layers() ? 0 : end["O" + std::to_string(layer + 2) + ".0"];
        sub = std::max({sub, *region_start, gradient}) + schedule.length[layer];
        set({weight_gradient, static_cast<std::uint32_t>(layer), 0}, sub);
      }
    }
  }
  return end;
}

TEST_F(MultiRegionTest, EveryKernelIsPlacedOnceAndKeepsItsDeadlineUnlessItOverflows) {
  for (int round = 0; round < 300; ++round) {
    const MultiRegion step = random_step();
    const RegionTimes times = region_times(step);
    for (std::size_t pre_regions = 0; pre_regions <= times.backward_regions; ++pre_regions) {
      const RegionSchedule schedule = schedule_regions(step, pre_regions);
      std::vector<int> placed(step.layers(), 0);
      double estimate = 0;
      for (std::size_t region = 0; region < step.regions(); ++region) {
        auto clock = static_cast<double>(times.start[region]);
        for (const std::size_t layer : schedule.kernels[region]) {
          ++placed.at(layer);
          EXPECT_GE(schedule.begin[layer], clock) << "round " << round;
          EXPECT_EQ(schedule.length[layer], step.co_run[layer][region]);
          clock = schedule.begin[layer] + schedule.length[layer];
          if (std::ranges::find(schedule.overflow, layer) != schedule.overflow.end()) continue;
          EXPECT_GE(schedule.begin[layer], static_cast<double>(times.available[layer])) << "round " << round;
          EXPECT_LE(clock, static_cast<double>(times.deadline[layer])) << "round " << round;
        }
        estimate += std::max(static_cast<double>(times.main[region]), schedule.now[region]);
      }
      EXPECT_EQ(schedule.estimate, estimate);
      placed[0] = 1;
      EXPECT_THAT(placed, ::testing::Each(1)) << "round " << round;
      EXPECT_TRUE(std::ranges::is_sorted(schedule.overflow, std::greater<>()));
    }
  }
}

TEST_F(MultiRegionTest, ExecutionFollowsTheRulesAndIsNeverShorterThanTheMainStream) {
  for (int round = 0; round < 300; ++round) {
    const MultiRegion step = random_step();
    const RegionSchedule schedule = schedule_regions(step, 0);
    const RegionRun run = execute_regions(step, schedule);
    const std::map<std::string, double> want = ends_by_definition(step, schedule);
    ASSERT_EQ(run.timeline.size(), want.size());
    double main = 0;
    for (const StepEntry& entry : run.timeline) {
      EXPECT_EQ(entry.end, want.at(to_string(entry.op))) << to_string(entry.op) << ", round " << round;
      if (entry.device == 0) main += entry.end - entry.start;
    }
    EXPECT_GE(run.makespan, main);
    EXPECT_EQ(run.main_end, want.at("F" + std::to_string(step.layers()) + ".0"));
    EXPECT_EQ(run.makespan, std::max(run.main_end, run.sub_end));
  }
}

TEST_F(MultiRegionTest, FallbackIsTheFirstAttemptThatFits) {
  for (int round = 0; round < 200; ++round) {
    const MultiRegion step = random_step();
    const RegionFallback fallback = schedule_regions_in_memory(step);
    ASSERT_EQ(fallback.peaks.size(), fallback.pre_regions + 1);
    for (std::size_t attempt = 0; attempt <= fallback.pre_regions; ++attempt) {
      EXPECT_EQ(fallback.peaks[attempt], schedule_regions(step, attempt).peak_memory);
      EXPECT_EQ(fallback.peaks[attempt] < step.memory_limit, fallback.fits && attempt == fallback.pre_regions);
    }
    EXPECT_TRUE(fallback.fits || fallback.pre_regions == region_times(step).backward_regions);
  }
}

TEST_F(MultiRegionTest, NoScheduleBeatsTheOptimumWhereCoRunningTakesNoLonger) {
  for (int round = 0; round < 20; ++round) {
    const MultiRegionAnswers answers = evaluate(MultiRegionStudy{random_step()}, OptimumSearch{.is_wanted = true});
    ASSERT_TRUE(answers.optimum.has_value());
    EXPECT_TRUE(answers.optimum->is_proven);
    EXPECT_LE(answers.optimum->makespan, answers.algorithm1_run.makespan) << "round " << round;
    EXPECT_LE(answers.optimum->makespan, answers.with_memory_run.makespan) << "round " << round;
    EXPECT_LE(answers.optimum->makespan, answers.one_stream_makespan) << "round " << round;
  }
}

}  // namespace
}  // namespace upsweep

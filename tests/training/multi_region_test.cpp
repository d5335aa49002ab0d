#include "upsweep/training/multi_region.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "support/refusal.hpp"

namespace upsweep::multi_region_test {
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
  return testing::refusal_of<std::invalid_argument>([&] { return region_times(step); });
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
  EXPECT_EQ(refusal(bad), "W of layer 2 is 0, accepted are finite numbers above 0");
  bad = small();
  bad.output_gradient[2] = 0;
  EXPECT_EQ(refusal(bad), "O of layer 3 is 0, accepted is a number above 0");
  bad = small();
  bad.memory_limit = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refusal(bad), HasSubstr("memory_limit"));
}

}  // namespace
}  // namespace upsweep::multi_region_test

#include "upsweep/scan/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "support/random.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/scan/execute.hpp"

namespace upsweep {
namespace {

using ScheduleTest = testing::SeededTest;

/// The free monoid: words under concatenation. Two schedules that agree here agree for every associative operator.
std::string concatenate(const std::string& earlier, const std::string& later) { return earlier + later; }

std::vector<std::string> letters(std::size_t length) {
  std::vector<std::string> array;
  for (std::size_t i = 0; i < length; ++i)
    array.push_back(std::string(1, static_cast<char>('a' + i % 26)) + std::to_string(i));
  return array;
}

void expect_exclusive_scan(const Schedule& schedule) {
  const std::vector<std::string> array = letters(schedule.length);
  const auto results = execute(schedule, array, concatenate);
  ASSERT_EQ(results.size(), schedule.length);
  EXPECT_EQ(results[0], std::nullopt) << schedule.name << ", length " << schedule.length;
  std::string prefix;
  for (std::size_t k = 1; k < schedule.length; ++k) {
    prefix += array[k - 1];
    ASSERT_EQ(results[k], prefix) << schedule.name << ", length " << schedule.length << ", position " << k;
  }
}

TEST(Schedule, IsTheExclusiveScanAtEveryLengthAndDepth) {
  for (std::size_t length = 2; length <= 70; ++length) {
    for (std::uint32_t depth = 0; depth <= max_depth(length); ++depth)
      expect_exclusive_scan(hybrid_schedule(length, depth));
  }
}

TEST_F(ScheduleTest, IsTheExclusiveScanAtRandomLengthsAndDepths) {
  for (int round = 0; round < 20; ++round) {
    const std::size_t length = between(2, 1500);
    expect_exclusive_scan(hybrid_schedule(length, static_cast<std::uint32_t>(between(0, 12))));
  }
}

TEST(Schedule, UsesEveryElementOnceInEachResult) {
  const Schedule schedule = blelloch_schedule(22);
  const std::vector<ValueRange> ranges = value_ranges(schedule);
  for (std::uint32_t k = 1; k < 22; ++k) EXPECT_EQ(ranges[schedule.results[k]], (ValueRange{0, k - 1}));
}

TEST(Schedule, OfTwentyTwoElementsHasTheFiguresOfTheContract) {
  // Levels and combines for the convolutional part of VGG-11, by depth.
  const std::vector<std::pair<std::size_t, std::size_t>> want = {{20, 20}, {11, 30}, {8, 34}, {7, 36}, {7, 36}};
  for (std::uint32_t depth = 0; depth < want.size(); ++depth) {
    const Schedule schedule = hybrid_schedule(22, depth);
    EXPECT_EQ(schedule.levels, want[depth].first) << depth;
    EXPECT_EQ(schedule.combines.size(), want[depth].second) << depth;
  }
}

TEST(Schedule, WritesPositionsAsTheContractDefinesThem) {
  // Length 4, depth 1: a[1] <- a[0] o a[1]; a[3] <- a[2] o a[3]; red <- a[1] (rename); a[3] <- a[3] o a[2] after the
  // middle.
  const Schedule schedule = hybrid_schedule(4, 1);
  ASSERT_EQ(schedule.combines.size(), 3U);
  EXPECT_EQ(schedule.combines[0], (Combine{Phase::up, 0, 0, 1, 1, 0, 1}));
  EXPECT_EQ(schedule.combines[1], (Combine{Phase::up, 0, 2, 3, 3, 2, 3}));
  EXPECT_EQ(schedule.combines[2], (Combine{Phase::down, 1, 3, 2, 3, 4, 2}));
  EXPECT_EQ(dead_combines(schedule), (std::vector<bool>{false, true, false}));
  const Schedule linear = linear_schedule(4);
  ASSERT_EQ(linear.combines.size(), 2U);
  EXPECT_EQ(linear.combines[1], (Combine{Phase::middle, 1, -1, 2, -1, 4, 2}));
}

TEST(Schedule, CutsTheDepthAndNamesWhatItRuns) {
  EXPECT_EQ(hybrid_schedule(22, 9).depth, 4U);
  EXPECT_EQ(hybrid_schedule(22, 9).name, "hybrid:4");
  EXPECT_EQ(hybrid_schedule(22, 0).name, "linear");
  EXPECT_EQ(blelloch_schedule(2).name, "linear");
  EXPECT_EQ(blelloch_schedule(3).name, "hybrid:1");
  EXPECT_EQ(blelloch_schedule(22).combines, hybrid_schedule(22, 4).combines);
}

TEST(Schedule, OfTwoElementsHasNothingToDo) {
  const Schedule schedule = blelloch_schedule(2);
  EXPECT_EQ(schedule.levels, 0U);
  EXPECT_TRUE(schedule.combines.empty());
  EXPECT_EQ(schedule.results, (std::vector<ValueId>{kIdentity, 0}));
  EXPECT_EQ(widest_level(schedule), 0U);
}

TEST(Schedule, HasNoEmptyLevelAndNumbersThemInOrder) {
  for (std::size_t length = 2; length < 100; ++length) {
    for (std::uint32_t depth = 0; depth <= max_depth(length); ++depth) {
      const Schedule schedule = hybrid_schedule(length, depth);
      for (const std::size_t size : level_sizes(schedule)) EXPECT_GT(size, 0U);
      for (std::size_t id = 1; id < schedule.combines.size(); ++id)
        EXPECT_GE(schedule.combines[id].level, schedule.combines[id - 1].level);
    }
  }
}

TEST(Schedule, LinearHasNoDeadCombine) {
  for (const bool dead : dead_combines(linear_schedule(30))) EXPECT_FALSE(dead);
}

TEST(Schedule, RefusesArraysWithoutAJacobian) {
  EXPECT_THROW(static_cast<void>(linear_schedule(1)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(blelloch_schedule(0)), std::invalid_argument);
}

TEST(ValueRanges, RefuseAScheduleThatSwapsItsOperands) {
  Schedule schedule = linear_schedule(4);
  std::swap(schedule.combines[0].earlier, schedule.combines[0].later);
  EXPECT_THROW(static_cast<void>(value_ranges(schedule)), std::logic_error);
}

TEST(Execute, NoticesASwappedOperand) {
  // The check above would be worth nothing if concatenation could not tell the order.
  Schedule schedule = linear_schedule(4);
  std::swap(schedule.combines[1].earlier, schedule.combines[1].later);
  EXPECT_NE(execute(schedule, letters(4), concatenate)[3], "a0b1c2");
}

TEST(Execute, RefusesAnArrayOfAnotherLength) {
  EXPECT_THROW(static_cast<void>(execute(linear_schedule(4), letters(5), concatenate)), std::invalid_argument);
}

TEST(LivePart, GivesTheSameResultsWithoutDeadCombines) {
  for (const std::size_t length : {2U, 3U, 9U, 22U, 64U}) {
    for (std::uint32_t depth = 0; depth <= max_depth(length); ++depth) {
      const Schedule whole = hybrid_schedule(length, depth);
      const std::vector<bool> dead = dead_combines(whole);
      const Schedule live = live_part(whole);
      EXPECT_EQ(live.combines.size(), static_cast<std::size_t>(std::count(dead.begin(), dead.end(), false)));
      EXPECT_EQ(dead_combines(live), std::vector<bool>(live.combines.size(), false));
      const std::vector<ValueRange> ranges = value_ranges(live);
      ASSERT_EQ(live.results.front(), kIdentity);
      for (std::uint32_t k = 1; k < length; ++k) EXPECT_EQ(ranges[live.results[k]], (ValueRange{0, k - 1}));
      for (const std::size_t size : level_sizes(live)) EXPECT_GT(size, 0U);
    }
  }
}

TEST(DroppedValues, GoAfterTheLastCombineThatReadsThem) {
  for (const Schedule& schedule : {hybrid_schedule(4, 1), hybrid_schedule(9, 3), linear_schedule(5)}) {
    std::vector<std::size_t> dropped_after(schedule.values(), schedule.combines.size());
    const std::vector<std::vector<ValueId>> dropped = dropped_values(schedule);
    for (std::size_t id = 0; id < dropped.size(); ++id) {
      for (const ValueId value : dropped[id]) dropped_after[value] = id;
    }
    for (ValueId value = 0; value < schedule.values(); ++value) {
      std::size_t last = value < schedule.length ? schedule.combines.size() : value - schedule.length;
      for (std::size_t id = last; id < schedule.combines.size(); ++id) {
        if (schedule.combines[id].earlier == value || schedule.combines[id].later == value) last = id;
      }
      if (std::ranges::count(schedule.results, value) > 0) last = schedule.combines.size();
      EXPECT_EQ(dropped_after[value], last) << value;
    }
  }
}

}  // namespace
}  // namespace upsweep

#include "upsweep/base/measuring.hpp"

#include <gtest/gtest.h>

namespace upsweep::measuring_test {
namespace {

/// Work that takes `seconds` by a clock that only it moves; its first run takes `first`.
struct FakeWork {
  double seconds = 0;
  double first = 0;
  double clock = 0;
  std::size_t runs = 0;

  [[nodiscard]] std::size_t measured(const Repetitions& rule) {
    const auto once = [this] {
      const double taken = runs++ == 0 && first > 0 ? first : seconds;
      clock += taken;
      return taken;
    };
    return repeat(rule, once, {}, [this] { return clock; }).size();
  }
};

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoThere) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({}), 0);
}

TEST(Median, IsTakenItemByItem) {
  EXPECT_EQ(medians({{1, 10}, {2, 30}, {9, 20}}), (std::vector<double>{2, 20}));
  EXPECT_EQ(medians({{1, 10}, {2, 30}}), (std::vector<double>{1.5, 20}));
  EXPECT_TRUE(medians({}).empty());
}

TEST(Repetitions, GoOnUntilBothLimitsAreMetAfterOneThatDoesNotCount) {
  FakeWork work{0.5};
  EXPECT_EQ(work.measured({3}), 3U);
  EXPECT_EQ(work.runs, 4U);
  EXPECT_EQ(work.measured({3, 2.5}), 5U);
  EXPECT_EQ(work.measured({7, 2.5}), 7U);
  EXPECT_EQ(work.measured({0}), 1U);
  EXPECT_EQ(FakeWork{0}.measured({3, 1}), kMostRuns);
}

TEST(Repetitions, OneIsEnoughWhereARunTakesLong) {
  EXPECT_EQ(FakeWork{kLongRunSeconds}.measured({3}), 3U);
  EXPECT_EQ(FakeWork{kLongRunSeconds + 1}.measured({3}), 1U);
  EXPECT_EQ(FakeWork{kLongRunSeconds + 1}.measured({3, 20}), 4U) << "more where they are to take longer";
}

TEST(Repetitions, SettleBeforeTheyCount) {
  FakeWork work{0.25};
  EXPECT_EQ(work.measured({.runs = 2, .settle_seconds = 1}), 2U);
  EXPECT_EQ(work.runs, 6U);
}

TEST(Repetitions, StayWithinTheirTime) {
  EXPECT_EQ(FakeWork{1}.measured({.runs = 9, .most_seconds = 4}), 3U) << "beside the first, which does not count";
  FakeWork slow{3};
  EXPECT_EQ(slow.measured({.runs = 9, .most_seconds = 4}), 1U);
  EXPECT_EQ(slow.runs, 2U) << "the first does not count";
  FakeWork cold{3};
  EXPECT_EQ(cold.measured({.runs = 9, .most_seconds = 4, .counts_cold = true}), 1U);
  EXPECT_EQ(cold.runs, 1U);
  FakeWork warm{1, 1.5};
  EXPECT_EQ(warm.measured({.runs = 2, .most_seconds = 4, .counts_cold = true}), 2U);
}

}  // namespace
}  // namespace upsweep::measuring_test

#include "upsweep/sim/tick_scale.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "support/random.hpp"

namespace upsweep {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(TickScale, AddsDecimalFractionsAsOnPaper) {
  ASSERT_NE(0.1 + 0.2, 0.3) << "in doubles";
  const std::vector<Quotient> times = {{0.1}, {0.2}, {0.3}, {2}, {0.025}};
  const TickScale scale = TickScale::fit(times, 100);
  EXPECT_TRUE(scale.is_exact());
  EXPECT_EQ(scale.ticks({0.1}) + scale.ticks({0.2}), scale.ticks({0.3}));
  EXPECT_EQ(scale.units(scale.ticks({0.1}) + scale.ticks({0.2})), 0.3);
  EXPECT_EQ(scale.ticks({2}), 80 * scale.ticks({0.025}));
  EXPECT_EQ(scale.units(3 * scale.ticks({0.1})), 0.3);
}

TEST(TickScale, WholeNumbersAreTheirOwnTicks) {
  const std::vector<Quotient> times = {{3}, {0}, {17}};
  const TickScale scale = TickScale::fit(times, 1000);
  EXPECT_EQ(scale.ticks({17}), 17U);
  EXPECT_EQ(scale.ticks({0}), 0U);
  EXPECT_EQ(scale.units(12), 12);
}

TEST(TickScale, ThirdsAreExactAsQuotients) {
  const std::vector<Quotient> times = {{1, 3}, {2, 3}, {1, 7}, {0.5, 0.3}};  // the last is 5/3
  const TickScale scale = TickScale::fit(times, 10);
  EXPECT_TRUE(scale.is_exact());
  EXPECT_EQ(scale.ticks({1, 3}), 7U);
  EXPECT_EQ(scale.ticks({1, 7}), 3U);
  EXPECT_EQ(scale.ticks({0.5, 0.3}), 35U);
  EXPECT_EQ(scale.units(3 * scale.ticks({1, 3})), 1);
}

TEST(TickScale, GivesBackTheTicksOfItsOwnUnits) {
  const std::vector<Quotient> times = {{1, 3}, {0.1}};
  const TickScale scale = TickScale::fit(times, 100);
  ASSERT_TRUE(scale.is_exact());
  for (std::uint64_t ticks = 0; ticks < 500; ++ticks) EXPECT_EQ(scale.ticks({scale.units(ticks)}), ticks);
}

TEST(TickScale, RoundsWhatHasNoSmallCommonDenominatorByLessThanATick) {
  const std::vector<Quotient> times = {{std::sqrt(2.0)}, {1e-7 / 3}};
  const TickScale scale = TickScale::fit(times, 10);
  EXPECT_FALSE(scale.is_exact());
  for (const Quotient& time : times) EXPECT_NEAR(scale.units(scale.ticks(time)), time.numerator, scale.units(1));
  EXPECT_LT(scale.units(1), 2e-14) << "2^50 ticks in the horizon at most, half as many at least";
}

TEST(TickScale, RoundsAPositiveTimeToNoLessThanATick) {
  const std::vector<Quotient> times = {{1e300}, {1e-300}, {1e-300}};
  const TickScale scale = TickScale::fit(times, 1e301);
  EXPECT_FALSE(scale.is_exact());
  EXPECT_EQ(scale.ticks({1e-300}), 1U);
  EXPECT_EQ(scale.ticks({0}), 0U);
}

TEST(TickScale, KeepsVerySmallTimesApart) {
  const std::vector<Quotient> times = {{1e-300}, {3e-300}};
  const TickScale scale = TickScale::fit(times, 1e-299);
  EXPECT_NEAR(scale.units(scale.ticks({3e-300})), 3e-300, 1e-308);
  EXPECT_NEAR(scale.units(scale.ticks({1e-300}) + scale.ticks({3e-300})), 4e-300, 1e-308);
}

TEST(TickScale, KeepsTimesThatAreAsSmallAsDoublesAre) {
  const std::vector<Quotient> times = {{1e-310}, {3e-310}};
  const TickScale scale = TickScale::fit(times, 1e-309);
  EXPECT_NEAR(scale.units(scale.ticks({3e-310})), 3e-310, 1e-320);
  EXPECT_NEAR(scale.units(scale.ticks({1e-310}) + scale.ticks({3e-310})), 4e-310, 1e-320);
}

TEST(TickScale, RefusesWhatIsNoTime) {
  for (const double time : {-1.0, -1e-300, std::nan(""), kInfinity, 2e9}) {
    const std::vector<Quotient> times = {{1}, {time}};
    EXPECT_THROW(static_cast<void>(TickScale::fit(times, 1e9)), std::invalid_argument) << time;
  }
  const std::vector<Quotient> times = {{1}};
  EXPECT_THROW(static_cast<void>(TickScale::fit(times, std::nan(""))), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(TickScale::fit(times, kInfinity)), std::invalid_argument)
      << "sums would be no numbers";
}

class TickScaleTest : public testing::SeededTest {};

TEST_F(TickScaleTest, RandomTimesAreKeptWithinATickAndInTheirOrder) {
  for (int round = 0; round < 200; ++round) {
    std::vector<Quotient> times;
    double horizon = 0;
    for (int i = 0; i < 20; ++i) {
      times.push_back({std::exp(3 * normal()), chance(0.5) ? 1 : std::exp(normal())});
      horizon += times.back().numerator / times.back().denominator;
    }
    const TickScale scale = TickScale::fit(times, horizon);
    std::uint64_t sum = 0;
    for (const Quotient& time : times) {
      const double value = time.numerator / time.denominator;
      EXPECT_NEAR(scale.units(scale.ticks(time)), value, scale.units(1));
      sum += scale.ticks(time);
      for (const Quotient& other : times) {
        const bool is_smaller = other.numerator / other.denominator < value;
        EXPECT_TRUE(!is_smaller || scale.ticks(other) <= scale.ticks(time));
      }
    }
    EXPECT_NEAR(scale.units(sum), horizon, 1e-12 * horizon);
  }
}

TEST_F(TickScaleTest, RandomDecimalsAreExact) {
  for (int round = 0; round < 200; ++round) {
    std::vector<Quotient> times;
    std::vector<std::uint64_t> thousandths;
    for (int i = 0; i < 10; ++i) {
      thousandths.push_back(between(0, 5'000'000));
      times.push_back({static_cast<double>(thousandths.back()) / 1000});
    }
    times.push_back({0.001});
    const TickScale scale = TickScale::fit(times, 1e5);
    ASSERT_TRUE(scale.is_exact());
    std::uint64_t sum = 0, want = 0;
    for (std::size_t i = 0; i < thousandths.size(); ++i) {
      EXPECT_EQ(scale.ticks(times[i]), thousandths[i]);
      sum += scale.ticks(times[i]);
      want += thousandths[i];
      EXPECT_EQ(scale.units(sum), static_cast<double>(want) / 1000);
    }
  }
}

}  // namespace
}  // namespace upsweep

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "support/random.hpp"
#include "upsweep/grid/answers.hpp"

namespace upsweep {
namespace {

using BisectTest = testing::SeededTest;

/// On high's side from `threshold` on.
auto from(double threshold) {
  return [threshold](double x) { return std::optional(x >= threshold); };
}

TEST_F(BisectTest, FindsTheNeighboursAmongWholeNumbers) {
  for (int i = 0; i < 200; ++i) {
    const auto low = static_cast<double>(between(0, 1000)) - (chance(0.5) ? 500 : 0);
    const double high = low + static_cast<double>(between(1, chance(0.5) ? 20 : 1'000'000'000'000));
    const double threshold = low + static_cast<double>(between(1, static_cast<std::uint64_t>(high - low)));
    const auto side = [&](double x) {
      EXPECT_EQ(x, std::floor(x));
      EXPECT_GT(x, low);
      EXPECT_LT(x, high);
      return std::optional(x >= threshold);
    };
    const Narrowed narrowed = bisect(low, high, true, 0, side);
    EXPECT_EQ(narrowed.low, threshold - 1);
    EXPECT_EQ(narrowed.high, threshold);
    EXPECT_FALSE(narrowed.is_blocked);
  }
}

TEST_F(BisectTest, ReachesItsToleranceAroundTheChange) {
  for (int i = 0; i < 200; ++i) {
    const double low = std::exp(normal() * 5) * (chance(0.3) ? -1 : 1);
    const double high = std::abs(low) * (1 + std::exp(normal() * 3));
    const double threshold = std::min(high, low + (high - low) * static_cast<double>(between(1, 1000)) / 1000);
    const Narrowed narrowed = bisect(low, high, false, 1e-3, from(threshold));
    EXPECT_LT(narrowed.low, threshold);
    EXPECT_GE(narrowed.high, threshold);
    EXPECT_LE(narrowed.evaluations, 200U);
    if (narrowed.evaluations < 200) {
      EXPECT_LE(narrowed.high - narrowed.low, 1e-3 * std::abs(narrowed.high));
    }
  }
}

TEST(Bisect, TakesLogarithmsOfPositiveNumbers) {
  double first = 0;
  static_cast<void>(bisect(1, 1e6, false, 0.5, [&first](double x) {
    if (first == 0) first = x;
    return std::optional(x >= 10);
  }));
  EXPECT_NEAR(first, 1000, 1e-9);
  first = 0;
  static_cast<void>(bisect(-8, 24, false, 0.5, [&first](double x) {
    if (first == 0) first = x;
    return std::optional(x >= 10);
  }));
  EXPECT_EQ(first, 8);
}

TEST(Bisect, AsksNothingWhereTheEndsAreCloseEnough) {
  EXPECT_EQ(bisect(4, 5, true, 0, from(5)).evaluations, 0U);
  EXPECT_EQ(bisect(999.5, 1000, false, 1e-3, from(1000)).evaluations, 0U);
  EXPECT_EQ(bisect(1000, 1010, true, 0.02, from(1010)).evaluations, 0U) << "a tolerance is one of whole numbers too";
}

TEST(Bisect, EndsWhereAPointDoesNotSay) {
  const Narrowed narrowed =
      bisect(0, 100, true, 0, [](double x) { return x < 40 ? std::optional<bool>() : std::optional(true); });
  EXPECT_EQ(narrowed, (Narrowed{0, 50, 2, true}));
}

TEST(Bisect, EndsWhateverTheNumbers) {
  constexpr double kMost = std::numeric_limits<double>::max();
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  for (const bool is_whole : {false, true}) {
    for (const auto& [low, high] : {std::pair{-kMost, kMost}, {0.0, kMost}, {1.0, kMost}, {-1.0, 0.0}, {-kMost, 0.0}}) {
      for (const double threshold : {low, 0.0, 1.0, high}) {
        const Narrowed narrowed = bisect(low, high, is_whole, 0, from(threshold));
        EXPECT_LE(narrowed.evaluations, 200U);
        EXPECT_LE(low, narrowed.low);
        EXPECT_LT(narrowed.low, narrowed.high);
        EXPECT_LE(narrowed.high, high);
      }
    }
  }
  EXPECT_LE(bisect(kLeast, kMost, false, 0, from(1)).evaluations, 200U);
  EXPECT_LE(bisect(kLeast, 1, false, 0, from(2 * kLeast)).evaluations, 200U);
}

}  // namespace
}  // namespace upsweep

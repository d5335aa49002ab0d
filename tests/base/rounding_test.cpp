#include "upsweep/base/rounding.hpp"

#include <gtest/gtest.h>

namespace upsweep {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Rounding, UnitsAreThoseOfTheTypes) {
  EXPECT_EQ(kUnitRoundoff<float>, 0x1p-24);
  EXPECT_EQ(kUnitRoundoff<double>, 0x1p-53);
  EXPECT_EQ(kOracleRoundoff<float>, 0x1p-24 + 0x1p-53);
  EXPECT_EQ(unit_roundoff(4), 0x1p-24);
  EXPECT_EQ(unit_roundoff(8), 0x1p-53);
}

TEST(Rounding, ErrorsGrowWithTheirNumber) {
  EXPECT_EQ(worst_rounding(2, 0.125), 0.25 / 0.75);
  EXPECT_EQ(worst_rounding(8, 0.125), kInfinity);
  EXPECT_EQ(random_rounding(16, 0.125, 3), 1.5);
}

TEST(Closeness, TellsWhatIsWithinItsBound) {
  Closeness closeness;
  EXPECT_TRUE(closeness.add(1.5, 1, 2, 10));
  EXPECT_TRUE(closeness.add(3, 3, 0, 10));
  EXPECT_TRUE(closeness.add(9, 1, kInfinity, 10));
  EXPECT_EQ(closeness.elements, 3U);
  EXPECT_EQ(closeness.unbounded, 1U);
  EXPECT_EQ(closeness.worst_share, 0.25);
  EXPECT_EQ(closeness.worst_relative, 0.8);
  EXPECT_FALSE(closeness.add(4, 1, 2, 10));
  EXPECT_EQ(closeness.worst_share, 1.5);
  EXPECT_EQ(closeness.worst_relative, 0.8) << "of those that agree";
  Closeness other;
  EXPECT_FALSE(other.add(std::nan(""), 1, kInfinity, 10)) << "no bound makes it right";
  EXPECT_FALSE(other.add(1, 2, 0, 10));
  EXPECT_EQ(other.worst_share, kInfinity);
  closeness.add(other);
  EXPECT_EQ(closeness.elements, 6U);
  EXPECT_EQ(closeness.worst_share, kInfinity);
}

}  // namespace
}  // namespace upsweep

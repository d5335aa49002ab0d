#include "upsweep/network/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace upsweep {
namespace {

TEST(NormalStream, GivesTheSameNumbersOnEveryMachine) {
  // Computed once with Python's integers and its statistics.NormalDist; a change here changes every seeded model.
  const NormalStream stream(20200301, "conv1");
  EXPECT_EQ(stream(0), -0x1.1768000000000p+0F);
  EXPECT_EQ(stream(1), -0x1.eaf6360000000p-7F);
  EXPECT_EQ(stream(1'000'000'007), -0x1.5def140000000p-2F);
}

TEST(NormalStream, DiffersBySeedAndName) {
  EXPECT_NE(NormalStream(1, "a")(0), NormalStream(2, "a")(0));
  EXPECT_NE(NormalStream(1, "a")(0), NormalStream(1, "b")(0));
}

TEST(NormalStream, HasTheMomentsOfANormalDistribution) {
  const NormalStream stream(7, "moments");
  constexpr int kCount = 200'000;
  double sum = 0;
  double squares = 0;
  int beyond_two = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = static_cast<double>(stream(static_cast<std::uint64_t>(i)));
    sum += x;
    squares += x * x;
    beyond_two += std::fabs(x) > 2 ? 1 : 0;
  }
  // Five standard errors of each statistic; the stream is fixed, so this cannot flicker.
  EXPECT_NEAR(sum / kCount, 0, 5 / std::sqrt(kCount));
  EXPECT_NEAR(squares / kCount, 1, 5 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(static_cast<double>(beyond_two) / kCount, 0.0455003, 5 * std::sqrt(0.0455 / kCount));
}

TEST(NormalQuantile, InvertsTheDistributionFunctionInTheMiddleAndInTheTails) {
  for (const double x : {-8.0, -5.5, -3.0, -1.0, -0.25, 0.0, 0.1, 0.9, 2.0, 4.0}) {
    const double p = 0.5 * std::erfc(-x / std::sqrt(2.0));
    EXPECT_NEAR(normal_quantile(p), x, 1e-12 * (1 + std::fabs(x))) << x;
  }
  EXPECT_DOUBLE_EQ(normal_quantile(0.25), -normal_quantile(0.75));
}

}  // namespace
}  // namespace upsweep

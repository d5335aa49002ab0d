#include "upsweep/calibrate/fit_published.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "support/random.hpp"

namespace upsweep {
namespace {

class FitPublishedTest : public testing::SeededTest {
 protected:
  double unit() { return static_cast<double>(between(0, 1'000'000)) * 1e-6; }

  /// A row of passes: a call, elements and bytes of a random size.
  PublishedSample sample(const std::string& structure, double noise) {
    const double elements = std::exp(8 + 12 * unit());
    PublishedSample made;
    made.point.counts = {1, 0, 0, elements, 8 * elements * (1 + unit())};
    made.point.seconds = seconds(made.point.counts) * std::exp(noise * normal());
    made.structure = structure;
    made.key = static_cast<std::uint32_t>(between(0, 1U << 31));
    return made;
  }
  [[nodiscard]] static double seconds(const std::vector<double>& counts) {
    return 1e-5 * counts[0] + 2e-9 * counts[3] + 1e-10 * counts[4];
  }
};

TEST_F(FitPublishedTest, RecoversRatesAlthoughATenthOfTheRowsIsFiveTimesTooLong) {
  std::vector<PublishedSample> samples;
  for (int i = 0; i < 200; ++i) {
    samples.push_back(sample(std::to_string(i), 0.01));
    if (i % 10 == 0) samples.back().point.seconds *= 5;
  }
  const PublishedRates rates = fit_published(PublishedKind::pass, samples);
  for (const PublishedSample& one : samples)
    EXPECT_NEAR(published_seconds(rates, one.point.counts) / seconds(one.point.counts), 1, 0.1);
  EXPECT_LT(rates.from.left_out.median, 0.05);
}

TEST_F(FitPublishedTest, IntervalsHoldSevenToNineTenthsOfRowsThatWereKeptBack) {
  std::size_t inside = 0;
  std::size_t all = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<PublishedSample> samples;
    for (int i = 0; i < 60; ++i) samples.push_back(sample(std::to_string(i), 0.3));
    const PublishedRates rates = fit_published(PublishedKind::pass, samples);
    for (int i = 0; i < 60; ++i) {
      const PublishedSample other = sample("other", 0.3);
      const double factor = other.point.seconds / published_seconds(rates, other.point.counts);
      ++all;
      if (rates.interval.low <= factor && factor <= rates.interval.high) ++inside;
    }
  }
  const double share = static_cast<double>(inside) / static_cast<double>(all);
  EXPECT_GE(share, 0.7);
  EXPECT_LE(share, 0.9);
}

TEST_F(FitPublishedTest, RowsOfAStructureLeaveTogether) {
  std::vector<PublishedSample> samples;
  for (int i = 0; i < 20; ++i) samples.push_back(sample(std::to_string(i), 0.2));
  const std::vector<PublishedRates> before = left_out_rates(PublishedKind::pass, samples);
  // Nine more rows of the first structure, far off: its own rates know nothing of them.
  for (int i = 0; i < 9; ++i) {
    samples.push_back(samples.front());
    samples.back().point.seconds *= 100;
  }
  const std::vector<PublishedRates> after = left_out_rates(PublishedKind::pass, samples);
  EXPECT_EQ(after.front().unit_s, before.front().unit_s);
  EXPECT_EQ(after.back().unit_s, before.front().unit_s);
  EXPECT_NE(after[1].unit_s, before[1].unit_s);
  EXPECT_EQ(fit_published(PublishedKind::pass, samples).from.structures, 20);
}

TEST_F(FitPublishedTest, FewStructuresAreNotLeftOutAndHaveWiderIntervals) {
  std::vector<PublishedSample> samples;
  for (std::size_t i = 0; i + 1 < kFewestStructures; ++i) samples.push_back(sample(std::to_string(i), 0.1));
  const PublishedRates rates = fit_published(PublishedKind::pass, samples);
  EXPECT_EQ(rates.from.left_out.points, 0);
  EXPECT_GE(rates.interval.high, kUnprovenFactor);
  EXPECT_LE(rates.interval.low, 1 / kUnprovenFactor);
  EXPECT_THROW(static_cast<void>(fit_published(PublishedKind::pass, {})), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep

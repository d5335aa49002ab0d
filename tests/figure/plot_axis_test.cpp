#include "figure/plot_axis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/random.hpp"

namespace upsweep::testing {
namespace {

using ::testing::ElementsAre;

class PlotAxisTest : public SeededTest {};

std::vector<std::string> labels_of(const std::vector<double>& values, AxisUnit unit,
                                   PlotAxis::Kind kind = PlotAxis::Kind::automatic) {
  FigureData signals;
  PlotAxis(values, unit, kind).set_signals(signals, "x");
  return signals["x_labels"];
}

TEST_F(PlotAxisTest, WideRangesAreLogarithmic) {
  EXPECT_TRUE(PlotAxis({1, 31}, AxisUnit::number).is_log());
  EXPECT_FALSE(PlotAxis({1, 29}, AxisUnit::number).is_log());
  EXPECT_FALSE(PlotAxis({0, 1e9}, AxisUnit::number).is_log()) << "0 has no place on such an axis";
  EXPECT_TRUE(PlotAxis({1, 100}, AxisUnit::number).coordinate(0).is_null());
  EXPECT_EQ(PlotAxis({1, 100}, AxisUnit::number).coordinate(1000), 3);
}

TEST_F(PlotAxisTest, TicksAreRoundInTheirUnit) {
  EXPECT_THAT(labels_of({1e-6, 1e-2}, AxisUnit::seconds), ElementsAre("1 us", "10 us", "100 us", "1 ms", "10 ms"));
  EXPECT_THAT(labels_of({0, 5}, AxisUnit::number), ElementsAre("0", "1", "2", "3", "4", "5"));
  EXPECT_THAT(labels_of({1024, 1048576}, AxisUnit::bytes),
              ElementsAre("1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB"));
  EXPECT_EQ(tick_text(20000, AxisUnit::seconds), "20000 s");
  EXPECT_EQ(tick_text(10000, AxisUnit::number), "10 k");
}

TEST_F(PlotAxisTest, AnyValuesHaveTicksInsideTheDomain) {
  for (int round = 0; round < 500; ++round) {
    std::vector<double> values;
    const double scale = std::exp(20 * normal());
    for (std::uint64_t i = between(0, 5); i > 0; --i)
      values.push_back(scale * (chance(0.2) ? 0 : std::exp(normal() * (round % 5))));
    if (chance(0.1)) values.push_back(std::numeric_limits<double>::infinity());
    const auto unit = static_cast<AxisUnit>(between(0, 2));
    const auto kind = static_cast<PlotAxis::Kind>(between(0, 2));
    FigureData signals;
    const PlotAxis axis(values, unit, kind);
    axis.set_signals(signals, "x");
    const double low = signals["x_domain"][0];
    const double high = signals["x_domain"][1];
    ASSERT_LT(low, high);
    ASSERT_EQ(signals["x_ticks"].size(), signals["x_labels"].size());
    EXPECT_GE(signals["x_ticks"].size(), 2U) << signals;
    EXPECT_LE(signals["x_ticks"].size(), 14U) << signals;
    for (const FigureData& tick : signals["x_ticks"]) {
      EXPECT_GE(tick.get<double>(), low - 1e-5 * std::fabs(low)) << signals;
      EXPECT_LE(tick.get<double>(), high + 1e-5 * std::fabs(high)) << signals;
    }
    for (const double value : values) {
      const FigureData place = axis.coordinate(value);
      if (place.is_null()) continue;
      EXPECT_GE(place.get<double>(), low - 1e-5 * std::fabs(low)) << signals;
      EXPECT_LE(place.get<double>(), high + 1e-5 * std::fabs(high)) << signals;
    }
  }
}

}  // namespace
}  // namespace upsweep::testing

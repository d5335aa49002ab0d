#include "upsweep/grid/axis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace upsweep::axis_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::string> texts(const std::vector<AxisValue>& values) {
  std::vector<std::string> found;
  for (const AxisValue& value : values) {
    EXPECT_EQ(std::stod(value.text), value.number);
    found.push_back(value.text);
  }
  return found;
}

/// What a range throws.
template <class Range>
std::string refusal(const Range& range) {
  try {
    static_cast<void>(range());
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing";
}

TEST(AxisValue, IsTheShortestTextThatReadsBack) {
  EXPECT_EQ(axis_value(16).text, "16");
  EXPECT_EQ(axis_value(-3).text, "-3");
  EXPECT_EQ(axis_value(0.1).text, "0.1");
  EXPECT_EQ(axis_value(1e9).text, "1000000000");
  EXPECT_EQ(axis_value(999'999'999'999'999).text, "999999999999999");
  EXPECT_EQ(axis_value(1e16).text, "1e+16");
  EXPECT_EQ(axis_value(-0.0).text, "0");
  for (const double number : {1.0 / 3, 1e-300, 2.5e-7, 123456.789, 1e22, std::nextafter(1.0, 2.0)}) {
    EXPECT_EQ(std::stod(axis_value(number).text), number);
    EXPECT_EQ(axis_value(number).number, number);
  }
}

TEST(ArithmeticRange, HasBothEndsWhereTheStepsMeetThem) {
  EXPECT_THAT(texts(arithmetic_range(1, 5, 1)), ElementsAre("1", "2", "3", "4", "5"));
  EXPECT_THAT(texts(arithmetic_range(1, 6, 2)), ElementsAre("1", "3", "5"));
  EXPECT_THAT(texts(arithmetic_range(4, 1, -1.5)), ElementsAre("4", "2.5", "1"));
  EXPECT_THAT(texts(arithmetic_range(7, 7, 1)), ElementsAre("7"));
  EXPECT_THAT(texts(arithmetic_range(-1, 1, 1)), ElementsAre("-1", "0", "1"));
}

TEST(ArithmeticRange, HasDecimalsAsAPersonWritesThem) {
  EXPECT_THAT(texts(arithmetic_range(0.1, 0.7, 0.1)), ElementsAre("0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"));
  EXPECT_EQ(arithmetic_range(0, 1, 0.001).size(), 1001U);
  EXPECT_EQ(arithmetic_range(0, 1, 0.001)[999].text, "0.999");
}

TEST(ArithmeticRange, HasZeroWhereItCrossesIt) {
  EXPECT_THAT(texts(arithmetic_range(-0.3, 0.3, 0.1)), ElementsAre("-0.3", "-0.2", "-0.1", "0", "0.1", "0.2", "0.3"));
  EXPECT_THAT(texts(arithmetic_range(0.3, -0.3, -0.15)), ElementsAre("0.3", "0.15", "0", "-0.15", "-0.3"));
  EXPECT_THAT(texts(arithmetic_range(-3e-300, 3e-300, 1e-300)),
              ElementsAre("-3e-300", "-2e-300", "-1e-300", "0", "1e-300", "2e-300", "3e-300"));
}

TEST(ArithmeticRange, HasWholeNumbersAsTheyAre) {
  EXPECT_THAT(texts(arithmetic_range(1'234'567'890'123'456, 1'234'567'890'123'459, 1)),
              ElementsAre("1234567890123456", "1234567890123457", "1234567890123458", "1234567890123459"));
  EXPECT_THAT(texts(arithmetic_range(9'007'199'254'740'988, 9'007'199'254'740'992, 3)),
              ElementsAre("9007199254740988", "9007199254740991"));
}

TEST(ArithmeticRange, RefusesWhatNeverEnds) {
  EXPECT_EQ(refusal([] { return arithmetic_range(1, 5, 0); }), "the step of a range is 0, accepted is another number");
  EXPECT_EQ(refusal([] { return arithmetic_range(1, 5, -1); }),
            "a range from 1 to 5 with a step of -1, accepted is a positive step");
  EXPECT_EQ(refusal([] { return arithmetic_range(5, 1, 1); }),
            "a range from 5 to 1 with a step of 1, accepted is a negative step");
  EXPECT_EQ(refusal([] { return arithmetic_range(1, kInfinity, 1); }),
            "'to' of a range is inf, accepted are finite numbers");
  EXPECT_THAT(refusal([] { return arithmetic_range(std::nan(""), 1, 1); }), HasSubstr("'from' of a range is nan"));
  EXPECT_THAT(refusal([] { return arithmetic_range(1, 2, kInfinity); }), HasSubstr("'step' of a range is inf"));
}

TEST(ArithmeticRange, RefusesMoreValuesThanAStudyMayHavePoints) {
  EXPECT_EQ(refusal([] { return arithmetic_range(1, 1'000'000'000, 1); }),
            "a range of 1000000000 values, accepted are at most 100000000");
  EXPECT_THAT(refusal([] { return arithmetic_range(0, 1, 0x1p-900); }),
              HasSubstr("a range of 8.452712498170644e+270 values"));
  EXPECT_THAT(refusal([] { return arithmetic_range(-1e308, 1e308, 1e-300); }), HasSubstr("a range of inf values"));
}

TEST(GeometricRange, HasEqualRatios) {
  EXPECT_THAT(texts(geometric_range(10, 1'000'000'000, 9)),
              ElementsAre("10", "100", "1000", "10000", "100000", "1000000", "10000000", "100000000", "1000000000"));
  EXPECT_THAT(texts(geometric_range(0.5, 8, 5)), ElementsAre("0.5", "1", "2", "4", "8"));
  EXPECT_THAT(texts(geometric_range(0.001, 0.1, 3)), ElementsAre("0.001", "0.01", "0.1"));
  EXPECT_THAT(texts(geometric_range(100, 1, 3)), ElementsAre("100", "10", "1"));
  EXPECT_THAT(texts(geometric_range(7, 7, 1)), ElementsAre("7"));
}

TEST(GeometricRange, OfWholeNumbersRoundsAndRepeatsNone) {
  EXPECT_THAT(texts(geometric_range(1, 10, 4)), ElementsAre("1", "2", "5", "10"));
  EXPECT_THAT(texts(geometric_range(1, 4, 20)), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(texts(geometric_range(3, 3, 5)), ElementsAre("3"));
}

TEST(GeometricRange, RefusesWhatHasNoRatio) {
  EXPECT_EQ(refusal([] { return geometric_range(0, 10, 3); }),
            "a geometric range from 0 to 10, accepted are positive numbers");
  EXPECT_THAT(refusal([] { return geometric_range(1, -10, 3); }), HasSubstr("from 1 to -10"));
  EXPECT_THAT(refusal([] { return geometric_range(1, kInfinity, 3); }), HasSubstr("'to' of a range is inf"));
  EXPECT_THAT(refusal([] { return geometric_range(1, 10, 0); }), HasSubstr("an empty geometric range"));
  EXPECT_THAT(refusal([] { return geometric_range(1, 10, 1); }), HasSubstr("1 value from 1 to 10"));
  EXPECT_EQ(refusal([] { return geometric_range(1, 10, 100'000'001); }),
            "a range of 100000001 values, accepted are at most 100000000");
}

}  // namespace
}  // namespace upsweep::axis_test

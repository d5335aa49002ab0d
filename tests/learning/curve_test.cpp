#include "upsweep/learning/curve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "upsweep/learning/train_result.hpp"

namespace upsweep {
namespace {

LossCurve curve(std::vector<double> loss) { return {"x", std::move(loss), {}, {}}; }

TEST(Curve, IsJudgedByTheMeanOfItsLastTenth) {
  EXPECT_EQ(last_iterations(3), 1U);
  EXPECT_EQ(last_iterations(29), 2U);
  EXPECT_EQ(mean_of_last({8, 1, 3}, 2), 2);
  EXPECT_EQ(mean_of_last({8, 1, 3}, 5), 4) << "of as many as there are";
  EXPECT_EQ(mean_of_last({}, 2), 0);
}

TEST(Curve, DifferenceIsTheLargestAndSaysWhere) {
  const CurveDifference found = compare_curves(curve({4, 2, 1, 8}), curve({4, 2.5, 0.5, 7}), 2);
  EXPECT_EQ(found.largest, 1);
  EXPECT_EQ(found.largest_at, 3U);
  EXPECT_EQ(found.largest_relative, 0.5) << "at the third: 0.5 of 1";
  EXPECT_EQ(found.first_relative, 0.25) << "at the second";
  EXPECT_EQ(found.first_iterations, 2U);
}

TEST(Curve, EqualCurvesHaveNoDifference) {
  const CurveDifference found = compare_curves(curve({3, 0}), curve({3, 0}));
  EXPECT_EQ(found.largest, 0);
  EXPECT_EQ(found.largest_relative, 0) << "0 of 0 is no difference";
  EXPECT_EQ(found.first_iterations, 2U) << "cut at the length";
}

TEST(Curve, NaNInOneIsAnInfiniteDifference) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [reference, other] : {std::pair{1.0, nan}, {nan, 1.0}, {1.0, infinity}, {infinity, -infinity}}) {
    const CurveDifference found = compare_curves(curve({1, reference}), curve({1, other}));
    EXPECT_EQ(found.largest, infinity) << reference << " and " << other;
    EXPECT_EQ(found.largest_relative, infinity) << reference << " and " << other;
    EXPECT_EQ(found.largest_at, 1U);
  }
  EXPECT_EQ(compare_curves(curve({nan}), curve({nan})).largest, 0);
}

TEST(Curve, RefusesWhatCannotBeCompared) {
  EXPECT_THROW((void)compare_curves(curve({1}), curve({1, 2})), std::invalid_argument);
  EXPECT_THROW((void)compare_curves(curve({}), curve({})), std::invalid_argument);
}

TEST(Curve, OnlyWholeCurvesAreCompared) {
  TrainResult result;
  result.curves = {curve({1, 2}), curve({1}), curve({1, 3})};
  result.curves[1].failure = "it diverged";
  compare_all(result);
  ASSERT_EQ(result.differences.size(), 3U);
  EXPECT_EQ(result.differences[0].value().largest, 0);
  EXPECT_FALSE(result.differences[1]);
  EXPECT_EQ(result.differences[2].value().largest, 1);
  EXPECT_EQ(result.failures(), 1U);
  EXPECT_EQ(result.longest(), 2U);
  result.curves[0].failure = "it diverged, too";
  compare_all(result);
  for (const auto& difference : result.differences) EXPECT_FALSE(difference) << "without a reference";
}

TEST(Curve, WeightsAreComparedByTheirLargest) {
  const std::vector<double> reference = {4, -8, 0};
  const std::vector<double> other = {4, -8, 1};
  EXPECT_EQ(relative_weight_difference<double>(reference, other), 0.125);
  EXPECT_EQ(relative_weight_difference<double>(reference, reference), 0);
  const std::vector<double> bad = {4, std::nan(""), 0};
  EXPECT_TRUE(std::isinf(relative_weight_difference<double>(reference, bad)));
  EXPECT_THROW((void)relative_weight_difference<double>(reference, std::vector<double>{1}), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep

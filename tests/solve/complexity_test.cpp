#include "upsweep/solve/complexity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;

// Three layers 2 → 3 → 4 → 5, r = 7, γ = 2: all by hand.
const LayerSizes kOdd{{2, 3, 4, 5}, 7, 2};
// Four layers, 2 → 3 → 4 → 5 → 6.
const LayerSizes kEven{{2, 3, 4, 5, 6}, 7, 2};

TEST(Formula42, AddsUpWeightsAndActivationsOfAllLayers) {
  EXPECT_EQ(sequential_work(kOdd), (3 * 2 + 4 * 3 + 5 * 4 + 2 * (3 + 4 + 5)) * 7U);
  EXPECT_EQ(sequential_work({{10, 10}, 3, 1}), (100 + 10) * 3U);
}

TEST(Formula43, AddsTheJointsAndBothHalfSystems) {
  const unsigned joints = 4 * 3 * 2 + 4 * 3 + 5 * 4 * 3 + 5 * 4;
  EXPECT_EQ(splitting_work(kOdd), joints + (4 * 2 + 2 * 4) * 7U + (5 * 3 + 2 * 5) * 7U);
}

TEST(Formula43, HasTheLastCouplingOfAnEvenNumberOfLayersToo) {
  const unsigned joints = 4 * 3 * 2 + 4 * 3 + 5 * 4 * 3 + 5 * 4 + 6 * 5 * 4 + 6 * 5;
  EXPECT_EQ(splitting_work(kEven), joints + (4 * 2 + 2 * 4 + 6 * 4 + 2 * 6) * 7U + (5 * 3 + 2 * 5) * 7U);
}

TEST(Formula44, TakesTheLargestJointAndTheLargerHalf) {
  EXPECT_EQ(splitting_time(kOdd), (5 * 4 * 3 + 5 * 4) + (5 * 3 + 2 * 5) * 7U);
  EXPECT_EQ(splitting_time(kEven), (6 * 5 * 4 + 6 * 5) + (4 * 2 + 2 * 4 + 6 * 4 + 2 * 6) * 7U);
}

TEST(Formula45, IsCubicTimesLogarithmOfLayers) {
  const LayerSizes sizes{{3, 3, 3, 3, 3, 3, 3, 3, 3}, 5, 1};  // 8 layers
  EXPECT_DOUBLE_EQ(recursive_time(sizes), 27.0 * 3 + 9 * 5);
  EXPECT_DOUBLE_EQ(recursive_work(sizes), 8 * (27.0 * 3 + 9 * 5));
  EXPECT_DOUBLE_EQ(recursive_time(kOdd), 125 * std::log2(3.0) + 25 * 7) << "n is the largest width";
}

TEST(Formula46, IsTheSequentialWorkTimesIterations) { EXPECT_EQ(iterative_work(kOdd, 3), 3 * sequential_work(kOdd)); }

TEST(Formula47, IsTheLargestLayerTimesIterations) {
  EXPECT_EQ(iterative_time(kOdd, 3), (5 * 4 + 2 * 5) * 7U * 3);
  EXPECT_EQ(iterative_time({{9, 8, 2}, 1, 1}, 1), 9U * 8 + 8);
}

TEST(FormulaOfMemory, HoldsVectorsOfAllUnknowns) {
  EXPECT_EQ(iterative_memory(kOdd, 7), 7U * 7 * (3 + 4 + 5));
  EXPECT_EQ(iterative_memory({{6, 6, 6, 6}, 2, 1}, 2), 2U * 3 * 6 * 2) << "δ l n r at equal widths";
}

TEST(Formulas, RefuseWhatTheyCannotCount) {
  EXPECT_THROW(static_cast<void>(sequential_work({{5}, 1, 1})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(recursive_time({{}, 1, 1})), std::invalid_argument);
  const std::uint64_t large = std::uint64_t{1} << 33;
  EXPECT_THROW(static_cast<void>(sequential_work({{large, large}, 1, 1})), CountOverflow);
}

const JoiningCost kWidth{"n", "the width", 4};

TEST(Verdicts, OfDirectMethodsHoldFromEqualityOn) {
  const auto equal = direct_verdicts(16, 16, kWidth);
  EXPECT_EQ(equal[0].condition, "r >= n");
  EXPECT_TRUE(equal[0].holds);
  EXPECT_EQ(equal[1].condition, "l / log2 l >= n");
  EXPECT_EQ(equal[1].left, 4) << "16 / log2 16";
  EXPECT_TRUE(equal[1].holds);
  const auto below = direct_verdicts(3, 15, kWidth);
  EXPECT_FALSE(below[0].holds);
  EXPECT_FALSE(below[1].holds);
  EXPECT_THAT(below[1].meaning, HasSubstr("l = 15 layers; n is the width"));
  EXPECT_TRUE(direct_verdicts(1, 1, kWidth)[1].holds) << "nothing to join";
}

TEST(Verdicts, OfIterativeMethodsNeedFewerIterationsThanLayers) {
  EXPECT_FALSE(iterative_verdict("jacobi", 5, 5).holds);
  EXPECT_TRUE(iterative_verdict("jacobi", 4, 5).holds);
  EXPECT_EQ(iterative_verdict("jacobi", 4, 5).method, "jacobi");
}

TEST(Verdicts, OfTimeCompareWithSubstitution) {
  EXPECT_TRUE(faster_verdict("jacobi", 9, 10, 2).holds);
  EXPECT_FALSE(faster_verdict("jacobi", 10, 10, 2).holds);
  EXPECT_EQ(faster_verdict("jacobi", 9, 10, 2).condition, "time < substitution");
  EXPECT_EQ(faster_verdict("jacobi", 9, 10, 2).method, "jacobi");
  EXPECT_THAT(faster_verdict("jacobi", 9, 10, 2).meaning, HasSubstr("on 2 workers"));
}

}  // namespace
}  // namespace upsweep

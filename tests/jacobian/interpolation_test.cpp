#include "upsweep/network/operators/interpolation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "support/random.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "validate/direct_operators.hpp"

namespace upsweep::interpolation_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pointwise;
using Vector = std::vector<double>;

Operator make(const Interpolation& kind, const Shape& in) { return {"op", kind, in, kind.shape(in)}; }

Vector outputs(const Interpolation& kind, const Shape& in, const Vector& x) { return forward(make(kind, in), {}, x); }

MATCHER(IsNear, "") { return std::fabs(std::get<0>(arg) - std::get<1>(arg)) < 1e-7; }

TEST(Interpolation, GivesTheNumbersOfTheOnnxStandard) {
  // resize_upsample_scales_linear, ..._linear_align_corners, ..._cubic (first row), resize_downsample_scales_linear
  // of the standard's examples.
  const Vector square = {1, 2, 3, 4};
  EXPECT_THAT(outputs({{4, 4}, InterpolationMode::linear, SamplePlace::half_pixel, 2, 2}, {1, 2, 2}, square),
              ElementsAre(1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4));
  const double third = 1.0 / 3;
  EXPECT_THAT(outputs({{4, 4}, InterpolationMode::linear, SamplePlace::align_corners}, {1, 2, 2}, square),
              Pointwise(IsNear(), Vector{1, 1 + third, 2 - third, 2, 2 - third, 2, 2 + third, 3 - third, 2 + third,
                                         3 - third, 3, 3 + third, 3, 3 + third, 4 - third, 4}));
  Vector sixteen;
  for (int i = 1; i <= 16; ++i) sixteen.push_back(i);
  Vector row = outputs({{8, 8}, InterpolationMode::cubic, SamplePlace::half_pixel, 2, 2}, {1, 4, 4}, sixteen);
  row.resize(8);
  EXPECT_THAT(row, Pointwise(IsNear(), Vector{0.47265625, 0.76953125, 1.24609375, 1.875, 2.28125, 2.91015625,
                                              3.38671875, 3.68359375}));
  Vector eight(sixteen.begin(), sixteen.begin() + 8);
  EXPECT_THAT(outputs({{1, 2}, InterpolationMode::linear, SamplePlace::half_pixel, 0.6, 0.6}, {1, 2, 4}, eight),
              Pointwise(IsNear(), Vector{8.0 / 3, 13.0 / 3}));
}

TEST(Interpolation, GivesTheNumbersOfTheStandardsAntialiasing) {
  // resize_downsample_scales_linear_antialias, ..._cubic_antialias of the standard's examples.
  Vector sixteen;
  for (int i = 1; i <= 16; ++i) sixteen.push_back(i);
  Interpolation kind{{2, 2}, InterpolationMode::linear, SamplePlace::half_pixel, 0.6, 0.6};
  kind.antialias = true;
  EXPECT_THAT(outputs(kind, {1, 4, 4}, sixteen), Pointwise(IsNear(), Vector{2.875, 4.5, 9.375, 11}));
}

TEST(Interpolation, TakesNoInputThatCountsForNothing) {
  // Every second output of align_corners stands on an input.
  const Operator op = make({{1, 5}, InterpolationMode::linear, SamplePlace::align_corners}, {1, 1, 3});
  EXPECT_EQ(unpruned_nnz(op), 1U + 2 + 1 + 2 + 1);
  EXPECT_EQ(guaranteed_pattern(op, {}).nnz(), 7U);
}

TEST(Interpolation, RefusesAScaleThatIsNotItsSize) {
  const Interpolation kind{{4, 4}, InterpolationMode::linear, SamplePlace::half_pixel, 2, 3};
  EXPECT_THROW(static_cast<void>(kind.shape({1, 2, 2})), std::invalid_argument);
}

class InterpolationJacobians : public testing::SeededTest {};

TEST_F(InterpolationJacobians, EqualDifferencesAndTheOracle) {
  for (const InterpolationMode mode : {InterpolationMode::linear, InterpolationMode::cubic}) {
    for (std::uint8_t place = 0; place < 5; ++place) {
      for (const bool wide : {false, true}) {
        Interpolation kind{{3, 7}, mode, static_cast<SamplePlace>(place)};
        kind.antialias = wide;
        kind.exclude_outside = chance(0.5);
        if (chance(0.5)) kind.scale_x = 1.45;
        const Operator op = make(kind, {2, 5, 5});
        Vector x(50), upstream(elements(op.out_shape));
        for (double& number : x) number = normal();
        for (double& number : upstream) number = normal();
        const Pattern pattern = guaranteed_pattern(op, {});
        EXPECT_EQ(unpruned_nnz(op), pattern.nnz());
        EXPECT_EQ(in_rows(guaranteed_pattern(op, {}, PatternForm::classes)), pattern);
        Vector values(pattern.nnz());
        fill_jacobian_values<double>(op, {}, x, pattern, values);
        const Vector direct = hand_back(op, {}, x, upstream, PassKind::gradient);
        std::size_t at = 0;
        for (Index r = 0; r < pattern.rows(); ++r) {
          double handed = 0;
          pattern.row(r).for_each([&](Index c) { handed += values[at++] * upstream[c]; });
          Vector one(50, 0.0);
          one[r] = 1;  // the operator is linear
          const Vector column = forward(op, {}, one);
          double want = 0;
          for (std::size_t o = 0; o < column.size(); ++o) want += column[o] * upstream[o];
          EXPECT_NEAR(handed, want, 1e-12) << canonical_text(op.kind);
          EXPECT_NEAR(direct[r], want, 1e-10) << canonical_text(op.kind);
        }
      }
    }
  }
}

}  // namespace
}  // namespace upsweep::interpolation_test

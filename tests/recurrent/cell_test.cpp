#include "upsweep/recurrent/cell.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>

#include "upsweep/network/random.hpp"

namespace upsweep {
namespace {

TEST(Cell, WeightsHaveTheLengthsOfPyTorch) {
  const auto gru = zero_weights<float>({CellKind::gru, Nonlinearity::tanh, 5, 4, 3});
  EXPECT_EQ(gru.w_ih.size(), 60U);
  EXPECT_EQ(gru.w_hh.size(), 48U);
  EXPECT_EQ(gru.b_ih.size(), 12U);
  EXPECT_EQ(gru.b_hh.size(), 12U);
  EXPECT_EQ(gru.w_head.size(), 12U);
  EXPECT_EQ(gru.b_head.size(), 3U);
  const auto rnn = zero_weights<double>({CellKind::rnn, Nonlinearity::relu, 5, 4, 3});
  EXPECT_EQ(rnn.w_ih.size(), 20U);
  EXPECT_EQ(rnn.w_hh.size(), 16U);
}

TEST(Cell, InitialWeightsAreUniformAndTheSameInBothPrecisions) {
  const CellShape shape{CellKind::gru, Nonlinearity::tanh, 3, 25, 7};
  const auto single = initial_weights<float>(shape, 42);
  const auto twice = initial_weights<double>(shape, 42);
  EXPECT_EQ(to_double(single), twice);
  EXPECT_EQ(to_double(twice), twice);
  std::set<double> distinct;
  double sum = 0;
  double squares = 0;
  for (const double w : twice.w_hh) {
    EXPECT_LE(std::fabs(w), 0.2);
    distinct.insert(w);
    sum += w;
    squares += w * w;
  }
  const auto count = static_cast<double>(twice.w_hh.size());
  EXPECT_GT(distinct.size(), twice.w_hh.size() - 5);
  EXPECT_NEAR(sum / count, 0, 0.01);
  EXPECT_NEAR(squares / count, 0.04 / 3, 0.001);
  EXPECT_NE(twice.w_hh, initial_weights<double>(shape, 43).w_hh);
  EXPECT_NE(twice.b_ih, twice.b_hh);
}

TEST(Cell, InitialWeightsAreTheSameOnEveryMachine) {
  const auto weights = initial_weights<float>({CellKind::rnn, Nonlinearity::tanh, 1, 20, 10}, 1);
  EXPECT_EQ(weights.w_hh[0], -0x1.092e98p-3F);
  EXPECT_EQ(weights.w_hh[399], -0x1.ac99c8p-6F);
  EXPECT_EQ(weights.b_head[9], -0x1.5a8f8ap-3F);
}

TEST(Cell, UniformNumbersDependOnSeedNameAndPosition) {
  const UniformStream first(1, "a");
  EXPECT_EQ(first(7), UniformStream(1, "a")(7));
  EXPECT_NE(first(7), first(8));
  EXPECT_NE(first(7), UniformStream(2, "a")(7));
  EXPECT_NE(first(7), UniformStream(1, "b")(7));
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_GT(first(i), 0);
    EXPECT_LT(first(i), 1);
  }
}

TEST(Cell, RefusesExtentsOfZeroAndWrongLengths) {
  EXPECT_THROW(static_cast<void>(zero_weights<float>({CellKind::rnn, Nonlinearity::tanh, 0, 1, 1})),
               std::invalid_argument);
  auto weights = zero_weights<float>({CellKind::rnn, Nonlinearity::tanh, 2, 3, 4});
  EXPECT_NO_THROW(require_valid(weights));
  weights.b_hh.pop_back();
  try {
    require_valid(weights);
    FAIL() << "nothing was thrown";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "b_hh: 2 numbers, accepted are 3");
  }
}

}  // namespace
}  // namespace upsweep

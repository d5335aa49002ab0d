#include "upsweep/network/weights.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace upsweep {
namespace {

TEST(FillHeNormal, HasTheDeviationOfHeAndRespectsTheMask) {
  const Network network({400}, {{"a", Linear{300}, {}}});
  NetworkWeights weights(1);
  weights[0].kept.assign(400 * 300, 1);
  weights[0].kept[17] = 0;
  fill_he_normal(network, 3, weights);
  double squares = 0;
  for (const double w : weights[0].values) squares += w * w;
  EXPECT_NEAR(squares / (400 * 300), 2.0 / 400, 5 * 2.0 / 400 * std::sqrt(2.0 / (400 * 300)));
  EXPECT_EQ(weights[0].values[17], 0);
  for (const double w : weights[0].values)
    EXPECT_EQ(w, static_cast<double>(static_cast<float>(w))) << "not an fp32 number";
}

}  // namespace
}  // namespace upsweep

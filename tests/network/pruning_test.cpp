#include "upsweep/network/pruning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace upsweep {
namespace {

Network two_layers() { return Network({4}, {{"a", Linear{6}, {}}, {"r", Relu{}, {}}, {"b", Linear{5}, {}}}); }

std::uint64_t kept(const OperatorWeights& weights) {
  return static_cast<std::uint64_t>(std::count(weights.kept.begin(), weights.kept.end(), 1));
}

TEST(KeptCount, IsTheCeilingOfTheShareUnlessRoundingAloneLiftsIt) {
  EXPECT_EQ(kept_count(9217728, 0.97), 276532U);  // of the shipped VGG-11
  EXPECT_EQ(kept_count(10, 0.9), 1U);             // (1 - 0.9) · 10 is a little above 1 in binary
  EXPECT_EQ(kept_count(10, 0.0), 10U);
  EXPECT_EQ(kept_count(7, 0.5), 4U);
  EXPECT_EQ(kept_count(3, 0.999), 1U);
}

TEST(Prune, GloballyKeepsTheLargestOfTheWholeNetwork) {
  const Network network = two_layers();
  NetworkWeights weights(3);
  fill_he_normal(network, 1, weights);
  const NetworkWeights before = weights;
  prune(network, MagnitudeGlobal{0.7}, weights);
  EXPECT_EQ(kept(weights[0]) + kept(weights[2]), kept_count(24 + 30, 0.7));
  double smallest_kept = 1e9;
  double largest_gone = 0;
  for (const std::size_t o : {std::size_t{0}, std::size_t{2}}) {
    for (std::size_t i = 0; i < weights[o].kept.size(); ++i) {
      const double magnitude = std::fabs(before[o].values[i]);
      (weights[o].keeps(i) ? smallest_kept = std::min(smallest_kept, magnitude)
                           : largest_gone = std::max(largest_gone, magnitude));
      EXPECT_EQ(weights[o].values[i], weights[o].keeps(i) ? before[o].values[i] : 0);
    }
  }
  EXPECT_GE(smallest_kept, largest_gone);
}

TEST(Prune, PerLayerKeepsTheShareOfEachLayer) {
  const Network network = two_layers();
  NetworkWeights weights(3);
  fill_he_normal(network, 1, weights);
  prune(network, MagnitudeLayer{0.7}, weights);
  EXPECT_EQ(kept(weights[0]), kept_count(24, 0.7));
  EXPECT_EQ(kept(weights[2]), kept_count(30, 0.7));
}

TEST(PruneHeNormal, KeepsWhatPruningTheNumbersKeeps) {
  const Network network({40}, {{"a", Linear{60}, {}}, {"r", Relu{}, {}}, {"b", Linear{50}, {}}});
  for (const Pruning& rule : {Pruning(MagnitudeLayer{0}), Pruning(MagnitudeLayer{0.5}), Pruning(MagnitudeLayer{0.93}),
                              Pruning(MagnitudeLayer{0.9999}), Pruning(MagnitudeGlobal{0.8}), Pruning(NOfM{1, 3})}) {
    NetworkWeights with_numbers(3);
    fill_he_normal(network, 5, with_numbers);
    prune(network, rule, with_numbers);
    NetworkWeights without(3);
    prune_he_normal(network, 5, rule, without);
    for (const std::size_t o : {std::size_t{0}, std::size_t{2}}) {
      EXPECT_EQ(without[o].kept, with_numbers[o].kept) << "rule " << rule.index();
      EXPECT_TRUE(without[o].values.empty());
    }
  }
}

TEST(Prune, GivesTiesToTheLowerIndex) {
  const Network network({4}, {{"a", Linear{2}, {}}});
  NetworkWeights weights(1);
  weights[0].values = {1, -1, 1, 1, -1, 1, 1, 1};
  prune(network, MagnitudeGlobal{0.6}, weights);
  EXPECT_EQ(weights[0].kept, (std::vector<std::uint8_t>{1, 1, 1, 1, 0, 0, 0, 0}));
}

TEST(Prune, KeepsNOfEveryMAlongTheInputsOfAnOutput) {
  const Network network({6}, {{"a", Linear{2}, {}}});
  NetworkWeights weights(1);
  weights[0].values = {4, 3, 2, 1, /**/ 5, 6, /**/ 1, 2, 3, 4, /**/ 7, 0};
  prune(network, NOfM{2, 4}, weights);
  EXPECT_EQ(weights[0].kept, (std::vector<std::uint8_t>{1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0})) << "a zero is never kept";
}

}  // namespace
}  // namespace upsweep

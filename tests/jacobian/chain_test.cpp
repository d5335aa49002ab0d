#include "upsweep/jacobian/chain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "upsweep/base/error.hpp"

namespace upsweep::chain_test {
namespace {

Network small() {
  return Network({1, 4, 4},
                 {{"c", Conv2d{2, {3, 3}}, {}}, {"r", Relu{}, {}}, {"f", Flatten{}, {}}, {"l", Linear{3}, {}}});
}

NetworkWeights ones(const Network& network) {
  NetworkWeights weights(network.operators().size());
  for (std::size_t o = 0; o < weights.size(); ++o) {
    const auto shape = weight_shape(network.operators()[o].kind, network.operators()[o].in_shape);
    if (shape) weights[o].values.assign(elements(*shape), 1);
  }
  return weights;
}

TEST(GuaranteedChain, PutsTheLastJacobianFirstAndLeavesViewsOut) {
  const Network network = small();
  const JacobianChain chain = guaranteed_chain(network, NetworkWeights(4));
  EXPECT_EQ(chain.length(), 4U);
  EXPECT_EQ(chain.gradient_length, 3U);
  EXPECT_EQ(chain.jacobians[0]->rows(), 8U);
  EXPECT_EQ(chain.jacobians[0]->cols(), 3U);
  EXPECT_TRUE(chain.jacobians[1]->is_full_diagonal());
  EXPECT_EQ(chain.jacobians[2]->rows(), 16U);
}

TEST(RequirePatternMemory, SaysWhichOperatorDoesNotFitIntoMemory) {
  try {
    require_pattern_memory(small(), NetworkWeights(4), 1300);
    FAIL() << "accepted";
  } catch (const OperatorError& error) {
    EXPECT_EQ(error.index(), 1U);
    EXPECT_NE(std::string(error.what()).find("relu 'r': the Jacobian patterns up to here need about"),
              std::string::npos)
        << error.what();
  }
}

/// in → f → act, added to in, then out; `size` features inside.
Network residual(std::uint64_t size) {
  return {{2},
          {{"in", Linear{size}, {}},
           {"f", Linear{size}, {}},
           {"act", Tanh{}, {}},
           {"sum", Add{}, {{"in", "act"}}},
           {"out", Linear{2}, {}}}};
}

TEST(GuaranteedChain, OfANetworkWithABlockHasOneElementForIt) {
  const JacobianChain chain = guaranteed_chain(residual(3), NetworkWeights(5));
  ASSERT_EQ(chain.jacobians.size(), 3U);
  EXPECT_EQ(chain.length(), 4U);
  EXPECT_EQ(chain.block(0), nullptr);
  ASSERT_NE(chain.block(1), nullptr);
  EXPECT_EQ(chain.block(1)->formation.pattern, chain.jacobians[1]);
  EXPECT_EQ(guaranteed_chain(small(), NetworkWeights(4)).block(1), nullptr);
}

TEST(RequirePatternMemory, CountsTheFormationOfABlock) {
  const Network network = residual(1000);
  const NetworkWeights weights(5);
  // The operators have shared or single entries; the block's product and sum take 1000 bits a row each.
  constexpr std::uint64_t kBlock = 2 * 1000 * 125;
  EXPECT_NO_THROW(require_pattern_memory(network, weights, 2 * kBlock));
  EXPECT_THROW(require_pattern_memory(network, weights, 1000), OperatorError);
  try {
    require_pattern_memory(network, weights, kBlock);
    FAIL() << "accepted";
  } catch (const OperatorError& error) {
    EXPECT_EQ(error.index(), 1U) << "f, which makes the dense product";
  }
}

TEST(SampleChains, FollowTheForwardPassOfEachInput) {
  const Network network = small();
  const NetworkWeights weights = ones(network);
  const SampleChains chains(network, weights);
  EXPECT_EQ(chains.at(std::vector<double>(16, 1.0)).jacobians[1]->nnz(), 8U);
  EXPECT_EQ(chains.at(std::vector<double>(16, -1.0)).jacobians[1]->nnz(), 0U);
  std::vector<double> corner(16, 0.0);
  corner[0] = 1;  // reaches one output of each channel
  EXPECT_EQ(chains.at(corner).jacobians[1]->nnz(), 2U);
}

TEST(SampleChains, NameTheOperatorThatOverflows) {
  const Network network = small();
  NetworkWeights weights = ones(network);
  weights[3].values.assign(24, 1e300);
  const SampleChains chains(network, weights);
  try {
    static_cast<void>(chains.at(std::vector<double>(16, 1e300)));
    FAIL() << "accepted";
  } catch (const OperatorError& error) {
    EXPECT_EQ(error.index(), 3U);
    EXPECT_EQ(std::string(error.what()), "linear 'l': element 0 of its output is inf, accepted are finite numbers");
  }
}

TEST(CheckChain, NamesThePositionThatDoesNotFit) {
  JacobianChain chain{
      3, {std::make_shared<Pattern>(Pattern::diagonal(3)), std::make_shared<Pattern>(Pattern::diagonal(4))}};
  try {
    check_chain(chain);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "a[2] is 4 x 4, expected 3 columns, the length of what stands before it");
  }
}

}  // namespace
}  // namespace upsweep::chain_test

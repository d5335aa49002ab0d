#include "upsweep/jacobian/block_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "support/jacobian_values.hpp"
#include "support/path_sum.hpp"
#include "support/random.hpp"
#include "support/random_graph.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"

namespace upsweep::block_values_test {
namespace {

using testing::DenseMatrix;
using ::testing::HasSubstr;
using Vector = std::vector<double>;

/// A random graph at an input.
struct Setting {
  Network network;
  NetworkWeights weights;
  Vector x;
  std::vector<Vector> outputs;

  [[nodiscard]] const Vector& input_of(std::size_t o) const {
    const std::size_t input = network.inputs_of(o)[0];
    return input == kNetworkInput ? x : outputs[input];
  }
  /// Dense numbers of the operators' Jacobians, by their own definition.
  [[nodiscard]] testing::DenseJacobian jacobians(bool absolute) const {
    return [this, absolute](std::size_t o) {
      const CsrMatrix<double> csr = testing::jacobian_values(network.operators()[o], weights[o], input_of(o));
      DenseMatrix matrix(csr.pattern.rows, csr.pattern.cols);
      for (Index r = 0; r < csr.pattern.rows; ++r) {
        for (std::uint64_t e = csr.pattern.indptr[r]; e < csr.pattern.indptr[r + 1]; ++e) {
          matrix.at(r, csr.pattern.indices[e]) = absolute ? std::fabs(csr.values[e]) : csr.values[e];
        }
      }
      return matrix;
    };
  }
};

class BlockValuesTest : public testing::SeededTest {
 protected:
  testing::GraphRandom random() {
    return {[this](std::size_t low, std::size_t high) { return between(low, high); }, [this] { return normal(); }};
  }

  Setting random_setting() {
    const std::size_t features = between(1, 5);
    Setting setting{Network({features}, testing::random_graph(random(), features, between(3, 14))), {}, {}, {}};
    setting.weights = random_graph_weights(random(), setting.network);
    for (std::size_t i = 0; i < features; ++i) setting.x.push_back(normal());
    setting.outputs = activations(setting.network, setting.weights, setting.x);
    return setting;
  }

  template <class T>
  static NumericChain<T> chain_of(const Setting& setting, JacobianChain structure) {
    return numeric_chain<T>(setting.network, setting.weights, link_inputs(setting.network, setting.weights, setting.x),
                            std::move(structure), Vector(3, 1.0));
  }

  /// Every element of a chain against the sum over its paths; returns the number of blocks.
  template <class T>
  static std::size_t expect_path_sums(const Setting& setting, const NumericChain<T>& chain) {
    const std::size_t links = setting.network.links().size();
    std::size_t blocks = 0;
    for (std::size_t i = 0; i < links; ++i) {
      const ChainLink& link = setting.network.link(links - 1 - i);
      if (!link.is_block) continue;
      ++blocks;
      const auto sum = [&](bool absolute) {
        return testing::path_sum(setting.network, setting.jacobians(absolute), link.input, link.output());
      };
      const DenseMatrix want = sum(false);
      const DenseMatrix magnitude = sum(true);
      // The formation and the oracle round in fp64, the chain once more to its type.
      const double formed = 2 * chain.structure.block(i)->roundings * 0x1p-53;
      const double own = sizeof(T) == 4 ? 0x1p-24 : 0;
      DenseMatrix left = want;
      const CsrPattern csr = chain.structure.jacobians[i]->to_csr();
      for (Index r = 0; r < csr.rows; ++r) {
        for (std::uint64_t e = csr.indptr[r]; e < csr.indptr[r + 1]; ++e) {
          const Index c = csr.indices[e];
          EXPECT_NEAR(static_cast<double>(chain.values[i][e]), want.at(r, c),
                      (formed + own) * magnitude.at(r, c) + 1e-300);
          left.at(r, c) = 0;
        }
      }
      EXPECT_EQ(left.entries, Vector(left.entries.size(), 0.0)) << "a number that is no entry";
    }
    return blocks;
  }
};

TEST_F(BlockValuesTest, AreTheSumsOverAllPathsInBothPatternsAndTypes) {
  std::size_t blocks = 0;
  for (int round = 0; round < 40; ++round) {
    const Setting setting = random_setting();
    const JacobianChain guaranteed = guaranteed_chain(setting.network, setting.weights);
    const JacobianChain sample = SampleChains(setting.network, setting.weights).at(setting.x);
    blocks += expect_path_sums(setting, chain_of<double>(setting, guaranteed));
    expect_path_sums(setting, chain_of<float>(setting, guaranteed));
    expect_path_sums(setting, chain_of<double>(setting, sample));
    expect_path_sums(setting, chain_of<float>(setting, sample));
  }
  EXPECT_GT(blocks, 10U) << "the graphs hardly had a block";
}

/// x → conv → relu → conv, plus x; channel-wise images.
Network residual_images() {
  return {{2, 12, 12},
          {{"stem", Conv2d{4, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"f", Conv2d{4, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"norm", BatchNorm2d{}, {}},
           {"act", Relu{}, {}},
           {"g", Conv2d{4, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"sum", Add{}, {{"stem", "g"}}},
           {"pool", AdaptiveAvgPool2d{{1, 1}}, {}},
           {"flat", Flatten{}, {}},
           {"fc", Linear{3}, {}}}};
}

TEST_F(BlockValuesTest, DoNotDependOnTheNumberOfThreads) {
  Setting setting{residual_images(), {}, {}, {}};
  setting.weights = random_graph_weights(random(), setting.network);
  for (std::uint64_t i = 0; i < elements(setting.network.input()); ++i) setting.x.push_back(normal());
  const JacobianChain structure = guaranteed_chain(setting.network, setting.weights);
  const NumericChain<double> many = chain_of<double>(setting, structure);
  const ThreadLimit one(1);
  EXPECT_EQ(chain_of<double>(setting, structure).values, many.values);
  EXPECT_GT(many.structure.block(2)->formation.products, 100000U);
}

TEST(FillLink, KeepsEntriesOfABlockThatComeOutAsZero) {
  // x + (-1) x: every path is there, and their sum is 0.
  const Network network(
      {1},
      {{"in", Linear{1}, {}}, {"minus", Linear{1}, {}}, {"sum", Add{}, {{"in", "minus"}}}, {"out", Linear{1}, {}}});
  NetworkWeights weights(4);
  weights[0].values = weights[3].values = {1};
  weights[1].values = {-1};
  const std::vector<Vector> inputs = link_inputs(network, weights, Vector{2});
  const NumericChain<float> chain =
      numeric_chain<float>(network, weights, inputs, guaranteed_chain(network, weights), Vector{1});
  EXPECT_EQ(chain.structure.jacobians[1]->nnz(), 1U);
  EXPECT_EQ(chain.values[1], std::vector<float>{0});
}

TEST(FillLink, NamesTheEndOfTheBlockWhoseDerivativeIsOutOfRange) {
  const Network network({1}, {{"in", Linear{1}, {}},
                              {"a", Linear{1}, {}},
                              {"b", Linear{1}, {}},
                              {"sum", Add{}, {{"in", "b"}}},
                              {"out", Linear{1}, {}}});
  NetworkWeights weights(5);
  weights[0].values = weights[4].values = {1};
  weights[1].values = weights[2].values = {1e20};
  const std::vector<Vector> inputs = link_inputs(network, weights, Vector{0});
  const JacobianChain structure = guaranteed_chain(network, weights);
  try {
    static_cast<void>(numeric_chain<float>(network, weights, inputs, structure, Vector{1}));
    FAIL() << "accepted";
  } catch (const OperatorError& error) {
    EXPECT_EQ(error.index(), 3U);
    EXPECT_THAT(error.what(), HasSubstr("add 'sum': a derivative of the block that ends here: 1e+40 was found"));
  }
  EXPECT_EQ(numeric_chain<double>(network, weights, inputs, structure, Vector{1}).values[1], Vector{1e40});
}

TEST(BlockValues, RefuseAPlanWithoutPatternsAndActivationsOfAnotherBlock) {
  const Network network = residual_images();
  NetworkWeights weights(9);
  for (const std::size_t o : {0, 1, 4, 8}) {
    weights[o].values.assign(elements(*weight_shape(network.operators()[o].kind, network.operators()[o].in_shape)), 1);
  }
  const JacobianChain structure = guaranteed_chain(network, weights);
  const JacobianChain counts = guaranteed_chain(network, weights, StepPatterns::drop);
  const std::vector<Vector> made = block_activations(network, weights, 1, Vector(576, 1.0));
  ASSERT_EQ(made.size(), 6U);
  EXPECT_NO_THROW(static_cast<void>(block_values(network, weights, 1, *structure.block(2), made)));
  EXPECT_THROW(static_cast<void>(block_values(network, weights, 1, *counts.block(2), made)), std::invalid_argument);
  EXPECT_THROW(
      static_cast<void>(block_values(network, weights, 1, *structure.block(2), {made.begin(), made.end() - 1})),
      std::invalid_argument);
}

TEST(BlockActivations, NameTheOperatorThatOverflows) {
  const Network network = residual_images();
  NetworkWeights weights(9);
  weights[1].values.assign(144, 1e300);
  try {
    static_cast<void>(block_activations(network, weights, 1, Vector(576, 1e300)));
    FAIL() << "accepted";
  } catch (const OperatorError& error) {
    EXPECT_EQ(error.index(), 1U);
    EXPECT_THAT(error.what(), HasSubstr("conv2d 'f': element 0 of its output is inf, accepted are finite numbers"));
  }
}

}  // namespace
}  // namespace upsweep::block_values_test

#include "upsweep/jacobian/block.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "support/dense_oracle.hpp"
#include "support/path_sum.hpp"
#include "support/random.hpp"
#include "support/random_graph.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/jacobian/forward.hpp"

namespace upsweep::block_test {
namespace {

using testing::DenseMatrix;
using testing::DensePattern;
using testing::DenseProduct;
using testing::to_dense;

class BlockTest : public testing::SeededTest {
 protected:
  testing::GraphRandom random() {
    return {[this](std::size_t low, std::size_t high) { return between(low, high); }, [this] { return normal(); }};
  }
};

PatternSource guaranteed(const Network& network, const NetworkWeights& weights) {
  return [&](std::size_t o, std::size_t input) {
    return std::make_shared<Pattern>(guaranteed_pattern(network.operators()[o], weights[o], PatternForm::rows, input));
  };
}

/// 0 and 1 of the patterns that a source hands out.
testing::DenseJacobian dense(const PatternSource& pattern_of) {
  return [pattern_of](std::size_t o) {
    const DensePattern pattern = to_dense(*pattern_of(o, 0));
    DenseMatrix matrix(pattern.rows, pattern.cols);
    matrix.entries.assign(pattern.entries.begin(), pattern.entries.end());
    return matrix;
  };
}

/// Where a matrix is not 0.
DensePattern structure_of(const DenseMatrix& matrix) {
  DensePattern pattern{static_cast<Index>(matrix.rows), static_cast<Index>(matrix.cols), {}};
  for (const double entry : matrix.entries) pattern.entries.push_back(entry != 0 ? 1 : 0);
  return pattern;
}

/// The counts of a formation by their definition, with dense matrices: the order is that of form_block().
struct DenseCounts {
  std::uint64_t products = 0;
  std::uint64_t additions = 0;
  DensePattern result;
};

DenseCounts count_densely(const Network& network, const ChainLink& block, const PatternSource& pattern_of) {
  struct G {
    DensePattern pattern;
    bool is_copy;  // rows of the identity
  };
  DenseCounts counts;
  std::map<std::size_t, G> made;
  const std::size_t size = elements(network.shape_of(block.output()));
  made.emplace(block.output(), G{structure_of(testing::identity(size)), true});
  for (std::size_t place = block.operators.size(); place-- > 0;) {
    const std::size_t o = block.operators[place];
    const G source = made.at(o);
    for (std::size_t k = 0; k < network.inputs_of(o).size(); ++k) {
      const OperatorKind& kind = network.operators()[o].kind;
      const bool is_free = is_view(kind) || is_join(kind);
      const DensePattern jacobian = structure_of(testing::jacobian_of_input(network, dense(pattern_of), o, k));
      const DenseProduct product = multiply_dense(jacobian, source.pattern);
      if (!is_free && !source.is_copy) counts.products += product.products;
      const G part{product.pattern, is_free && source.is_copy};
      const auto [sum, is_first] = made.emplace(network.inputs_of(o)[k], part);
      if (is_first) continue;
      sum->second.is_copy = false;
      for (std::size_t e = 0; e < part.pattern.entries.size(); ++e) {
        counts.additions += sum->second.pattern.entries[e] & part.pattern.entries[e];
        sum->second.pattern.entries[e] |= part.pattern.entries[e];
      }
    }
  }
  counts.result = made.at(block.input).pattern;
  return counts;
}

TEST_F(BlockTest, HasTheStructureOfItsPathsAndTheCountsOfItsDefinitionOnRandomGraphs) {
  std::size_t blocks = 0;
  for (int round = 0; round < 40; ++round) {
    const std::size_t features = between(1, 5);
    const Network graph({features}, testing::random_graph(random(), features, between(3, 14)));
    const NetworkWeights weights = random_graph_weights(random(), graph);
    const PatternSource pattern_of = guaranteed(graph, weights);
    for (std::size_t i = 0; i < graph.links().size(); ++i) {
      if (!graph.link(i).is_block) continue;
      ++blocks;
      const ChainLink& block = graph.link(i);
      const BlockPlan plan = form_block(graph, i, pattern_of, StepPatterns::keep);
      const DenseMatrix paths = testing::path_sum(graph, dense(pattern_of), block.input, block.output());
      EXPECT_TRUE(to_dense(*plan.formation.pattern) == structure_of(paths));
      const DenseCounts counts = count_densely(graph, block, pattern_of);
      EXPECT_EQ(plan.formation.products, counts.products);
      EXPECT_EQ(plan.formation.product_flops, 2 * counts.products);
      EXPECT_EQ(plan.formation.additions, counts.additions);
      EXPECT_EQ(plan.formation.addition_flops, counts.additions);
      const BlockPlan dropped = form_block(graph, i, pattern_of, StepPatterns::drop);
      EXPECT_TRUE(*dropped.formation.pattern == *plan.formation.pattern);
      EXPECT_EQ(dropped.formation.products, plan.formation.products);
      EXPECT_EQ(dropped.formation.peak_bytes, plan.formation.peak_bytes);
      EXPECT_EQ(dropped.steps.front().made, nullptr);
      for (std::size_t place = 0; place < block.operators.size(); ++place) {
        const Operator& op = graph.operators()[block.operators[place]];
        const bool is_free = is_view(op.kind) || is_join(op.kind);
        ASSERT_EQ(plan.operators[place].size(), is_free ? 0U : 1U) << op.name;
        if (is_free) continue;
        const std::shared_ptr<const Pattern> kept = pattern_of(block.operators[place], 0);
        const Pattern& jacobian = *kept;
        EXPECT_EQ(plan.operators[place][0].nnz, jacobian.nnz()) << op.name;
        EXPECT_EQ(plan.operators[place][0].rows, jacobian.rows()) << op.name;
        EXPECT_EQ(plan.operators[place][0].steps, steps_with_dense_vector(jacobian)) << op.name;
      }
    }
  }
  EXPECT_GT(blocks, 10U) << "the graphs hardly had a block";
}

TEST_F(BlockTest, HasASamplePatternOfTheSamplePatternsOfItsOperators) {
  std::uint64_t fewer = 0;
  for (int round = 0; round < 20; ++round) {
    const Network network({4}, testing::random_graph(random(), 4, between(3, 14)));
    const NetworkWeights weights = random_graph_weights(random(), network);
    std::vector<double> x;
    for (int i = 0; i < 4; ++i) x.push_back(normal());
    const std::vector<std::vector<double>> outputs = activations(network, weights, x);
    const PatternSource pattern_of = [&](std::size_t o, std::size_t) {
      const std::size_t input = network.inputs_of(o)[0];
      return std::make_shared<Pattern>(
          sample_pattern(network.operators()[o], weights[o], input == kNetworkInput ? x : outputs[input]));
    };
    const JacobianChain sample = SampleChains(network, weights).at(x);
    const JacobianChain full = guaranteed_chain(network, weights, StepPatterns::drop);
    const std::size_t links = network.links().size();
    for (std::size_t i = 0; i < links; ++i) {
      const ChainLink& link = network.link(i);
      const Pattern& mine = *sample.jacobians[links - 1 - i];
      fewer += full.jacobians[links - 1 - i]->nnz() - mine.nnz();
      const DenseMatrix paths = testing::path_sum(network, dense(pattern_of), link.input, link.output());
      EXPECT_TRUE(to_dense(mine) == structure_of(paths)) << "link " << i;
    }
  }
  EXPECT_GT(fewer, 0U) << "no ReLU was off";
}

/// A residual block between two linear operators: J = I + J_branch.
std::vector<OperatorSpec> residual() {
  return {{"in", Linear{3}, {}},
          {"f", Linear{3}, {}},
          {"act", Tanh{}, {}},
          {"sum", Add{}, {{"in", "act"}}},
          {"out", Linear{2}, {}}};
}

TEST(Block, OfAResidualConnectionIsTheIdentityPlusItsBranch) {
  const Network network({2}, residual());
  NetworkWeights weights(5);
  weights[1].kept = {0, 1, 0, 0, 0, 1, 0, 0, 0};  // column 1 feeds row 0, column 2 feeds row 1
  const JacobianChain chain = guaranteed_chain(network, weights);
  ASSERT_EQ(network.links().size(), 3U);
  const Pattern& block = *chain.jacobians[1];
  EXPECT_EQ(block.to_csr(), (CsrPattern{3, 3, {0, 1, 3, 5}, {0, 0, 1, 1, 2}}));
  const BlockPlan& plan = *chain.block(1);
  EXPECT_EQ(chain.block(0), nullptr);
  // tanh: a copy, for it meets I alone. Then 2 matched pairs of the linear operator, and no entry in common with I.
  EXPECT_EQ(plan.formation.products, 2U);
  EXPECT_EQ(plan.formation.additions, 0U);
  ASSERT_EQ(plan.operators.size(), 3U);
  EXPECT_EQ(plan.operators[0][0].nnz, 2U);
  EXPECT_EQ(plan.operators[1][0].nnz, 3U);
  EXPECT_TRUE(plan.operators[2].empty());
  // The sum is made while both parts are there: the identity needs no memory; 2 and 5 entries.
  EXPECT_EQ(plan.formation.peak_bytes, csr_bytes(3, 2, 8) + csr_bytes(3, 5, 8));

  weights[1].kept.assign(9, 1);
  const JacobianChain full = guaranteed_chain(network, weights);
  EXPECT_EQ(full.block(1)->formation.products, 9U);
  EXPECT_EQ(full.block(1)->formation.additions, 3U) << "the diagonal, which both have";
  EXPECT_EQ(full.jacobians[1]->nnz(), 9U);
}

TEST(Block, OfAConcatIsMadeOfCopies) {
  const Network network({2}, {{"in", Linear{2}, {}},
                              {"a", Linear{3}, {{"in"}}},
                              {"b", Linear{1}, {{"in"}}},
                              {"joined", Concat{}, {{"a", "in", "b"}}},
                              {"out", Linear{2}, {}}});
  const JacobianChain chain = guaranteed_chain(network, NetworkWeights(5));
  const BlockPlan& plan = *chain.block(1);
  EXPECT_EQ(plan.formation.pattern->to_csr(), (CsrPattern{2, 6, {0, 5, 10}, {0, 1, 2, 3, 5, 0, 1, 2, 4, 5}}));
  EXPECT_EQ(plan.formation.products, 0U);
  EXPECT_EQ(plan.formation.additions, 0U);
}

TEST(Block, OfAnActivationThatIsAddedToItselfIsASum) {
  const Network network({2}, {{"in", Linear{2}, {}}, {"twice", Add{}, {{"in", "in"}}}, {"out", Linear{2}, {}}});
  const JacobianChain chain = guaranteed_chain(network, NetworkWeights(3));
  EXPECT_TRUE(*chain.jacobians[1] == Pattern::diagonal(2));
  EXPECT_EQ(chain.block(1)->formation.additions, 2U);
}

TEST_F(BlockTest, DoesNotDependOnTheOrderOfTheListOrOfSummands) {
  for (int round = 0; round < 20; ++round) {
    const std::vector<OperatorSpec> specs = testing::random_graph(random(), 3, between(4, 14));
    const Network network({3}, specs);
    const NetworkWeights weights = random_graph_weights(random(), network);
    std::vector<OperatorSpec> other = specs;
    for (std::size_t i = 1; i < other.size(); ++i) {  // the network's output comes from the last operator anyhow
      std::swap(other[i], other[between(0, i)]);
    }
    for (OperatorSpec& spec : other) {
      if (std::holds_alternative<Add>(spec.kind)) std::swap((*spec.inputs)[0], (*spec.inputs)[1]);
    }
    const Network shuffled({3}, other);
    NetworkWeights moved;
    for (const Operator& op : shuffled.operators()) {
      const auto same = [&](const Operator& one) { return one.name == op.name; };
      const auto at = std::find_if(network.operators().begin(), network.operators().end(), same);
      moved.push_back(weights[static_cast<std::size_t>(at - network.operators().begin())]);
    }
    const JacobianChain chain = guaranteed_chain(network, weights);
    const JacobianChain mine = guaranteed_chain(shuffled, moved);
    ASSERT_EQ(chain.length(), mine.length());
    for (std::size_t i = 0; i < chain.jacobians.size(); ++i) {
      EXPECT_TRUE(*chain.jacobians[i] == *mine.jacobians[i]) << "element " << i;
    }
  }
}

TEST(FormBlock, RefusesALinkOfOneOperator) {
  const Network network({2}, residual());
  const NetworkWeights weights(5);
  EXPECT_THROW(static_cast<void>(form_block(network, 0, guaranteed(network, weights), StepPatterns::keep)),
               std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::block_test

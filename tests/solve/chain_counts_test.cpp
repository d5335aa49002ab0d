#include "upsweep/solve/chain_counts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/dense_oracle.hpp"
#include "support/random.hpp"
#include "upsweep/jacobian/chain.hpp"

namespace upsweep {
namespace {

using testing::DensePattern;
using testing::DenseProduct;
using testing::to_dense;

/// linear, tanh, ..., linear: a fully connected network of these widths, the input's first.
JacobianChain dense_chain(const std::vector<std::uint64_t>& widths) {
  std::vector<OperatorSpec> specs;
  for (std::size_t k = 1; k < widths.size(); ++k) {
    if (k > 1) specs.push_back({fmt::format("f{}", k), Tanh{}, {}});
    specs.push_back({fmt::format("w{}", k), Linear{widths[k], false}, {}});
  }
  const Network network({widths[0]}, specs);
  return guaranteed_chain(network, NetworkWeights(specs.size()));
}

ChainCounts count(const JacobianChain& chain) { return count_chain(chain, system_shape(chain, SystemForm::scaled)); }

LayerSizes sizes_of(const JacobianChain& chain, std::uint64_t batch) {
  return layer_sizes(system_shape(chain, SystemForm::scaled), batch);
}

TEST(ChainCounts, LeaveTheFirstOperatorOut) {
  const JacobianChain chain = dense_chain({7, 2, 3, 4, 5});
  EXPECT_EQ(sizes_of(chain, 1).widths, (std::vector<std::uint64_t>{2, 3, 4, 5})) << "no gradient of the input";
  EXPECT_EQ(count(chain).layers, 3U);
}

// Backward, f' stands at the lower end of a layer: γ (n_2 - n_{l+1}) less than the formula, which is written forward.
TEST(ChainCounts, OfDenseChainsAreFormula42UpToTheEndsOfTheScaling) {
  const JacobianChain chain = dense_chain({7, 2, 3, 4, 5});
  const LayerSizes sizes = sizes_of(chain, 6);
  EXPECT_EQ(count(chain).substitution(6), sequential_work(sizes) + 6 * 2 - 6 * 5);
  const JacobianChain even = dense_chain({7, 5, 5, 5, 5, 5});
  EXPECT_EQ(count(even).substitution(6), sequential_work(sizes_of(even, 6))) << "equal at equal widths";
}

TEST(ChainCounts, OfDenseChainsAreFormula43PlusTheRightSide) {
  for (const std::size_t layers : {2, 3, 4, 5, 8, 9}) {
    const std::uint64_t n = 4;
    const JacobianChain chain = dense_chain(std::vector<std::uint64_t>(layers + 2, n));
    const LayerSizes sizes = sizes_of(chain, 6);
    const ChainCounts counts = count(chain);
    const std::uint64_t right_side = (n * n + n) * 6;  // v(l - 1), which is not in (43)
    EXPECT_EQ(counts.splitting_work(6), splitting_work(sizes) + right_side) << layers;
    EXPECT_EQ(counts.splitting_time(6), splitting_time(sizes) + right_side) << layers;
    EXPECT_DOUBLE_EQ(counts.effective_width(),
                     static_cast<double>((layers - 1) * (n * n * n + n * n)) / static_cast<double>(layers * n * n));
  }
}

// The formula has l products of matrices in each of log2 l levels; level d leaves out those of the first 2^d unknowns.
TEST(ChainCounts, OfRecursiveSplittingStayBelowTheFormulaByWhatTheLevelsLeaveOut) {
  for (const std::size_t layers : {1, 2, 4, 8, 16}) {
    const std::uint64_t n = 3;
    const JacobianChain chain = dense_chain(std::vector<std::uint64_t>(layers + 2, n));
    const ChainCounts counts = count(chain);
    std::uint64_t matrices = 0;
    for (std::uint64_t distance = 1; distance <= layers; distance *= 2) {
      matrices += layers + 1 - std::min<std::uint64_t>(layers + 1, 2 * distance);
    }
    EXPECT_EQ(counts.recursive_matrix, matrices * n * n * n) << layers;
    EXPECT_EQ(counts.recursive_vector, layers * n * n) << layers;
    EXPECT_LE(static_cast<double>(counts.recursive_matrix + counts.recursive_vector * 6),
              recursive_work(sizes_of(chain, 6)))
        << layers;
  }
}

TEST(ChainCounts, OfRecursiveSplittingHaveTheTimeOfFormula45UpToALevel) {
  const std::uint64_t n = 3;
  const JacobianChain chain = dense_chain(std::vector<std::uint64_t>(16 + 2, n));  // l = 16: 5 levels, 4 with matrices
  const ChainCounts counts = count(chain);
  ASSERT_EQ(counts.recursive_levels.size(), 5U);
  EXPECT_EQ(counts.recursive_levels[4].matrix, 0U);
  const auto formula = static_cast<std::uint64_t>(recursive_time(sizes_of(chain, 1)));
  EXPECT_EQ(formula, n * n * n * 4 + n * n);
  EXPECT_EQ(counts.recursive_time(1), formula + n * n) << "f' is multiplied in first";
}

class SparseChainCounts : public testing::SeededTest {};

TEST_F(SparseChainCounts, EqualTheDefinitionByDenseLoops) {
  for (int repetition = 0; repetition < 10; ++repetition) {
    // Output, f, J, f, J, f, J, first operator: three couplings, the last block without f'.
    std::vector<Index> sizes;
    for (int i = 0; i < 5; ++i) sizes.push_back(static_cast<Index>(between(2, 6)));
    JacobianChain chain{sizes[0], {}};
    std::vector<Pattern> couplings;
    for (std::size_t k = 0; k + 2 < sizes.size(); ++k) {
      couplings.push_back(random_pattern(sizes[k + 1], sizes[k], 0.6));
      chain.jacobians.push_back(std::make_shared<const Pattern>(couplings.back()));
      chain.jacobians.push_back(std::make_shared<const Pattern>(Pattern::diagonal(sizes[k + 1])));
    }
    chain.jacobians.push_back(std::make_shared<const Pattern>(random_pattern(sizes[4], sizes[3], 0.6)));
    // A random coupling must not look like an elementwise operator.
    bool diagonal = false;
    for (const Pattern& coupling : couplings) diagonal = diagonal || is_diagonal(coupling);
    if (diagonal) continue;

    const ChainCounts counts = count(chain);
    const DensePattern a = to_dense(couplings[0]);
    const DensePattern b = to_dense(couplings[1]);
    const DensePattern c = to_dense(couplings[2]);
    const DenseProduct ba = multiply_dense(b, a);
    const DenseProduct cb = multiply_dense(c, b);
    const std::uint64_t nnz = couplings[0].nnz() + couplings[1].nnz() + couplings[2].nnz();
    EXPECT_EQ(counts.layers, 3U);
    EXPECT_EQ(counts.substitution(2), 2 * (nnz + sizes[1] + sizes[2] + sizes[3]));
    EXPECT_EQ(counts.splitting_matrix, ba.products + cb.products + couplings[0].nnz() + couplings[1].nnz());
    EXPECT_EQ(counts.halves[0], cb.nnz + sizes[3]) << "block 0, the one of the largest distance from the loss";
    EXPECT_EQ(counts.halves[1], ba.nnz + sizes[2]);
    EXPECT_EQ(counts.right_side_vector, couplings[0].nnz() + sizes[1]);
    EXPECT_EQ(counts.recursive_matrix, ba.products + cb.products) << "then both are times a vector";
    EXPECT_EQ(counts.recursive_vector, couplings[0].nnz() + ba.nnz + cb.nnz);
    EXPECT_EQ(counts.recursive_scaling, nnz);
  }
}

TEST(ChainCounts, RefuseASystemWithoutCouplings) {
  const JacobianChain chain = dense_chain({3, 2});
  EXPECT_THROW(static_cast<void>(count(chain)), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep

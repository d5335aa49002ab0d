#include "upsweep/solve/shifted_systems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/backward_chains.hpp"
#include "support/random.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ShiftedSystemsTest : public testing::SeededTest {
 protected:
  /// Samples of one network: linear operators alike, slopes and the loss gradient each their own.
  std::vector<NumericChain<float>> random_samples(std::size_t samples, std::size_t layers) {
    std::vector<NumericChain<float>> chains(samples);
    const auto number = [this] { return static_cast<float>(normal()); };
    auto cols = static_cast<Index>(between(2, 8));
    for (auto& chain : chains) {
      chain.structure.gradient_length = cols;
      for (Index i = 0; i < cols; ++i) chain.gradient.push_back(number());
    }
    for (std::size_t k = 0; k <= layers; ++k) {
      const auto rows = static_cast<Index>(between(2, 8));
      CsrPattern wide{rows, cols, {0}, {}};  // row 0 is full: never a diagonal
      for (Index r = 0; r < rows; ++r) {
        for (Index c = 0; c < cols; ++c) {
          if (r == 0 || chance(0.5)) wide.indices.push_back(c);
        }
        wide.indptr.push_back(wide.indices.size());
      }
      std::vector<float> weights(wide.indices.size());
      for (float& weight : weights) weight = number();
      for (auto& chain : chains) {
        CsrPattern diagonal{cols, cols, {0}, {}};  // a ReLU in the sample pattern
        for (Index r = 0; r < cols; ++r) {
          if (chance(0.6)) diagonal.indices.push_back(r);
          diagonal.indptr.push_back(diagonal.indices.size());
        }
        testing::add_link<float>(chain, Pattern::from_csr(diagonal), number);
        testing::add_link<float>(chain, Pattern::from_csr(wide), weights);
      }
      cols = rows;
    }
    return chains;
  }
};

ShiftedSystems<float> together(const std::vector<NumericChain<float>>& chains) {
  ShiftedSystems<float> all(chains.front());
  for (std::size_t s = 1; s < chains.size(); ++s) all.add(chains[s]);
  return all;
}

TEST_F(ShiftedSystemsTest, EverySampleHasTheSolutionOfItsOwnSystemBitByBit) {
  for (const std::size_t samples : {1U, 2U, 7U}) {
    const auto chains = random_samples(samples, 6);
    const auto all = together(chains);
    const auto solutions = all.substitute();
    ASSERT_EQ(solutions.size(), samples * all.unknowns());
    for (std::size_t s = 0; s < samples; ++s) {
      const auto expected = substitute(BackwardSystem<float>(chains[s], SystemForm::scaled));
      for (std::size_t i = 0; i < all.unknowns(); ++i)
        ASSERT_EQ(solutions[s * all.unknowns() + i], expected[i]) << "sample " << s;
    }
  }
}

TEST_F(ShiftedSystemsTest, ASweepOfAllIsTheSweepOfEach) {
  const auto chains = random_samples(5, 4);
  const auto all = together(chains);
  std::vector<float> v(5 * all.unknowns());
  for (float& number : v) number = static_cast<float>(normal());
  std::vector<float> next(v.size());
  all.sweep(v, next);
  for (std::size_t s = 0; s < 5; ++s) {
    std::vector<float> expected(all.unknowns());
    jacobi_sweep<float>(all.system(s), std::span<const float>(v).subspan(s * all.unknowns(), all.unknowns()), expected);
    for (std::size_t i = 0; i < all.unknowns(); ++i) ASSERT_EQ(next[s * all.unknowns() + i], expected[i]);
  }
}

TEST_F(ShiftedSystemsTest, TheWeightsAreStoredOnce) {
  const auto all = together(random_samples(3, 4));
  for (std::size_t k = 0; k < all.system(0).couplings(); ++k) {
    EXPECT_EQ(&all.system(0).coupling(k), &all.system(1).coupling(k));
    EXPECT_EQ(&all.system(0).coupling(k), &all.system(2).coupling(k));
  }
}

TEST_F(ShiftedSystemsTest, AnOperatorThatDiffersAndIsNoDiagonalIsRefusedByName) {
  const auto pooled = [](Index chosen) {  // a max-pool of 2 inputs to 1 output
    NumericChain<float> chain;
    chain.structure.gradient_length = 1;
    chain.gradient = {1};
    testing::add_link<float>(chain, Pattern::from_csr({1, 1, {0, 1}, {0}}), std::vector<float>{3});
    testing::add_link<float>(chain, Pattern::from_csr({2, 1, {0, chosen == 0 ? 1U : 0U, 1}, {0}}),
                             std::vector<float>{1});
    testing::add_link<float>(chain, Pattern::diagonal(2), std::vector<float>{1, 1});
    return chain;
  };
  ShiftedSystems<float> all(pooled(0));
  EXPECT_NO_THROW(all.add(pooled(0)));
  EXPECT_THAT([&] { all.add(pooled(1)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("a[2] differs in structure")));

  auto chains = random_samples(2, 3);
  auto other = chains[1];
  other.values[3][0] += 1;
  ShiftedSystems<float> random(chains[0]);
  EXPECT_THAT([&] { random.add(other); }, ThrowsMessage<std::invalid_argument>(HasSubstr("a[4] differs in values")));
  EXPECT_THAT([&] { random.add(testing::scalar_chain<float>(1, 2)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("the samples of shifted systems")));
}

}  // namespace
}  // namespace upsweep

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/backward_chains.hpp"
#include "support/random.hpp"
#include "upsweep/solve/iterate.hpp"
#include "upsweep/solve/residual.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class HybridSolveTest : public testing::SeededTest {
 protected:
  BackwardSystem<double> random_system(std::size_t links, Index width, double gain = 1) {
    NumericChain<double> chain;
    chain.structure.gradient_length = width;
    for (Index i = 0; i < width; ++i) chain.gradient.push_back(normal());
    for (std::size_t k = 0; k <= links; ++k) {
      testing::add_link<double>(chain, random_pattern(width, width, 1),
                                [&] { return gain * normal() / std::sqrt(static_cast<double>(width)); });
    }
    return {chain, SystemForm::unit};
  }
};

TEST_F(HybridSolveTest, JacobiOverGroupsNeedsExactlyOneIterationForEachOfThem) {
  for (std::size_t links = 1; links <= 24; ++links) {
    const auto system = random_system(links, 3, 1.5);  // gradients do not vanish
    const auto expected = substitute(system);
    for (std::size_t group = 1; group <= links + 2; ++group) {
      const auto solution = hybrid_solve<double>(system, group, SolveMethod::jacobi, {.tolerance = 1e-8});
      ASSERT_EQ(solution.iterations, (links + group - 1) / group) << links << " links in groups of " << group;
      ASSERT_EQ(solution.iterations, nilpotent_bound(system.shape(), group));
      ASSERT_EQ(solution.v, expected);
    }
  }
}

TEST_F(HybridSolveTest, AllBlocksInOneGroupAreSubstitutionWhateverTheOuterMethod) {
  const auto system = random_system(7, 4);
  for (const SolveMethod outer : {SolveMethod::jacobi, SolveMethod::richardson, SolveMethod::bicgstab}) {
    const auto solution = hybrid_solve<double>(system, 7, outer, {.tolerance = 1e-12});
    EXPECT_LE(solution.iterations, 1U);
    EXPECT_TRUE(residual<double>(system, solution.v).relative() <= 1e-12);
  }
}

TEST_F(HybridSolveTest, OuterRichardsonAndBiCgStabReachTheTolerance) {
  for (const std::size_t group : {2U, 3U, 5U}) {
    const auto system = random_system(12, 4);
    const auto expected = substitute(system);
    for (const SolveMethod outer : {SolveMethod::richardson, SolveMethod::bicgstab}) {
      const auto solution = hybrid_solve<double>(system, group, outer, {.tolerance = 1e-9, .omega = 0.9});
      EXPECT_LE(residual<double>(system, solution.v).relative(), 1e-9);
      for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(solution.v[i], expected[i], 1e-6);
    }
  }
}

TEST_F(HybridSolveTest, RefusesGroupsOfNothingAndAnOuterMethodThatDoesNotIterate) {
  const auto system = random_system(3, 2);
  EXPECT_THAT([&] { static_cast<void>(hybrid_solve<double>(system, 0, SolveMethod::jacobi, {})); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("groups of 0 blocks, accepted are 1 and more")));
  EXPECT_THAT([&] { static_cast<void>(hybrid_solve<double>(system, 2, SolveMethod::substitution, {})); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("accepted are jacobi, richardson and bicgstab")));
}

TEST_F(HybridSolveTest, ErrorsNameTheHybrid) {
  const auto system = random_system(8, 3);
  EXPECT_THAT([&] { static_cast<void>(hybrid_solve<double>(system, 2, SolveMethod::jacobi, {.max_iterations = 1})); },
              ThrowsMessage<NoConvergence>(HasSubstr("hybrid:2 jacobi: ")));
}

}  // namespace
}  // namespace upsweep

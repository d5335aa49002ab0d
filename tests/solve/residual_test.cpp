#include "upsweep/solve/residual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "solve/rounding_level.hpp"
#include "support/backward_chains.hpp"
#include "support/random.hpp"

namespace upsweep {
namespace {

class ResidualTest : public testing::SeededTest {
 protected:
  template <class T>
  BackwardSystem<T> random_system(std::size_t layers, Index width) {
    NumericChain<T> chain;
    chain.structure.gradient_length = width;
    for (Index i = 0; i < width; ++i) chain.gradient.push_back(static_cast<T>(normal()));
    for (std::size_t k = 0; k < layers; ++k) {
      testing::add_link<T>(chain, Pattern::diagonal(width), [&] { return static_cast<T>(normal()); });
      testing::add_link<T>(chain, random_pattern(width, width, 0.5), [&] { return static_cast<T>(normal()); });
    }
    return {chain, SystemForm::scaled};
  }
};

TEST(Residual, IsWhatTheRowsLeaveOfTheRightSide) {
  const BackwardSystem<double> system(testing::scalar_chain<double>(2, 2, 8), SystemForm::unit);
  const std::vector<double> v = {30, 15, 8};  // 32, 16 and 8 would solve it
  const Residual found = residual<double>(system, v);
  ASSERT_EQ(found.blocks.size(), 3U);
  EXPECT_EQ(found.blocks[0].max, 0);
  EXPECT_EQ(found.blocks[1].max, 1);
  EXPECT_EQ(found.blocks[2].max, 0);
  EXPECT_EQ(found.whole.two, 1);
  EXPECT_EQ(found.right_side, 8);
  EXPECT_EQ(found.relative(), 0.125);
  EXPECT_FALSE(testing::is_at_rounding_level(found));
}

template <class T>
void expect_level_tells_right_from_wrong(const BackwardSystem<T>& system) {
  const std::vector<T> solution = substitute(system);
  EXPECT_TRUE(testing::is_at_rounding_level(residual<T>(system, solution)));
  for (std::size_t i = 0; i < solution.size(); ++i) {
    std::vector<T> v = solution;
    // Some roundings more than a row of 20 entries may have; its own row, or the one before, has to see it.
    v[i] += 64 * std::numeric_limits<T>::epsilon() * (1 + 20 * std::fabs(v[i])) * 8;
    EXPECT_FALSE(testing::is_at_rounding_level(residual<T>(system, v))) << "element " << i;
  }
}

TEST_F(ResidualTest, ASubstitutionStaysWithinTheLevelOfItsTypeAndNothingElseDoes) {
  for (int round = 0; round < 8; ++round) {
    NumericChain<double> chain;
    chain.structure.gradient_length = 6;
    NumericChain<float> narrow;
    narrow.structure.gradient_length = 6;
    for (int i = 0; i < 6; ++i) {
      chain.gradient.push_back(normal());
      narrow.gradient.push_back(static_cast<float>(normal()));
    }
    for (int k = 0; k < 4; ++k) {
      const Pattern pattern = random_pattern(6, 6, 0.8);
      testing::add_link<double>(chain, pattern, [&] { return std::copysign(0.2, normal()); });
      testing::add_link<float>(narrow, pattern, [&] { return std::copysign(0.2F, static_cast<float>(normal())); });
    }
    expect_level_tells_right_from_wrong(BackwardSystem<double>(chain, SystemForm::unit));
    expect_level_tells_right_from_wrong(BackwardSystem<float>(narrow, SystemForm::unit));
  }
}

TEST_F(ResidualTest, TheLevelFollowsTheNumbersAlongDeepChains) {
  for (const std::size_t layers : {1U, 10U, 40U}) {
    const auto narrow = random_system<float>(layers, 12);
    const auto solution = substitute(narrow);
    const Residual found = residual<float>(narrow, solution);
    EXPECT_TRUE(testing::is_at_rounding_level(found));
    if (layers > 1) {
      EXPECT_GT(found.whole.max, 0) << "fp32 was judged in fp32";
    }
  }
}

TEST_F(ResidualTest, NotANumberIsNeverRight) {
  const auto system = random_system<double>(3, 4);
  auto v = substitute(system);
  v[system.offset(1)] = std::nan("");
  const Residual found = residual<double>(system, v);
  EXPECT_TRUE(std::isnan(found.whole.max));
  EXPECT_FALSE(testing::is_at_rounding_level(found));
  EXPECT_FALSE(found.relative() <= 1e300);
}

TEST(Residual, IsZeroForALossGradientOfZero) {
  const BackwardSystem<double> system(testing::scalar_chain<double>(2, 2, 0), SystemForm::unit);
  EXPECT_EQ(residual<double>(system, std::vector<double>{0, 0, 0}).relative(), 0);
  EXPECT_EQ(residual<double>(system, std::vector<double>{1, 0, 0}).relative(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace upsweep

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "solve/plain_iterations.hpp"
#include "support/backward_chains.hpp"

namespace upsweep {
namespace {

using testing::bicgstab;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using testing::jacobi;
using ::testing::Pointwise;
using testing::richardson;
using ::testing::ThrowsMessage;

/// Blocks of one number, each `factor` times the one behind it.
BackwardSystem<double> chain_of(std::size_t links, double factor) {
  return {testing::scalar_chain<double>(links, factor), SystemForm::unit};
}

TEST(WarmStart, HandsItsErrorsOnTowardsTheInputUntilTheyLeave) {
  const std::size_t links = 12;
  const auto system = chain_of(links, 1.25);
  for (const std::size_t wrong : {std::size_t{0}, std::size_t{4}, links - 1}) {
    auto start = substitute(system);
    for (double& number : system.block(std::span<double>(start), wrong)) number *= 1.5;
    const auto solution = jacobi<double>(system, {.tolerance = 1e-12, .start = start});
    EXPECT_EQ(solution.iterations, wrong + 1);
    for (const IterationPoint& point : solution.history) {
      const bool is_there = point.iteration == wrong;
      EXPECT_EQ(point.first_error > 0.1, is_there) << "block " << wrong << ", iteration " << point.iteration;
      if (!is_there) {
        EXPECT_LT(point.first_error, 1e-12);
      }
      for (std::size_t k = 0; k < point.block_errors.size(); ++k)
        EXPECT_EQ(point.block_errors[k] > 0.1, k + point.iteration == wrong) << k << ", " << point.iteration;
    }
  }
}

TEST(WarmStart, TakesItsLastBlockFromTheRightSide) {
  const auto system = chain_of(5, -1.5);
  auto start = substitute(system);
  for (double& number : system.block(std::span<double>(start), 5)) number = 77;
  for (const auto solve : {jacobi<double>, richardson<double>, bicgstab<double>}) {
    const auto solution = solve(system, {.tolerance = 1e-12, .start = start});
    EXPECT_EQ(solution.iterations, 0U);
    EXPECT_EQ(solution.v, substitute(system));
  }
}

TEST(WarmStart, IsTakenByBiCgStab) {
  const auto system = chain_of(5, 0.7);
  auto start = substitute(system);
  for (std::size_t k = 0; k < start.size(); ++k) start[k] *= k % 2 == 0 ? 1.001 : 0.998;
  const auto solution = bicgstab<double>(system, {.tolerance = 1e-8, .start = start});
  EXPECT_LT(solution.history.front().error, 0.1);
  EXPECT_GT(solution.iterations, 0U);
  EXPECT_THAT(solution.v, Pointwise(DoubleNear(1e-7), substitute(system)));
}

TEST(WarmStart, IsGradientsByActivationInTheOrderOfTheBlocks) {
  const BackwardSystem<float> system(testing::scalar_chain<float>(2, 2, 1), SystemForm::unit);
  EXPECT_EQ(start_from(system, {{99}, {8}, {2}, {1}}), (std::vector<float>{8, 2, 1})) << "the input's is no unknown";
  EXPECT_THAT(
      [&] {
        static_cast<void>(start_from(system, {{99}, {8}, {2, 2}, {1}}));
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("no gradient of length 1 for activation 2")));
  EXPECT_THROW(static_cast<void>(start_from(system, {{99}, {8}})), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep

#include "upsweep/solve/solve_cost.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Blocks of 2, 3, 4 and 5 unknowns with 10, 20, 30 entries between them, and elementwise operators of 3 and 5.
SystemShape small_shape() {
  return {{{1, 2, 2, {}, 10, 0}, {2, 3, 1, {5}, 20, 3}, {4, 4, 0, {}, 30, 0}, {6, 5, {}, {0}, 0, 5}}};
}

TEST(SolveCost, SubstitutionDoesEveryRowOnceOneAfterTheOther) {
  const SolveCost cost = iteration_cost(small_shape(), {SolveMethod::substitution, 1, 8, 1}, 4);
  EXPECT_EQ(cost.product_flops, 2U * (10 + 20 + 3 + 30 + 5));
  EXPECT_EQ(cost.makespan, cost.product_flops);
  EXPECT_EQ(cost.flops(), cost.product_flops);
  EXPECT_EQ(cost.vector_bytes, 4U * 14);
}

TEST(SolveCost, AnIterationOfJacobiHasARowPerTask) {
  const SystemShape shape = small_shape();
  const SolveCost cost = iteration_cost(shape, {SolveMethod::jacobi, 1, 3, 1}, 8);
  EXPECT_EQ(cost.product_flops, 2U * (10 + 23 + 30)) << "the last block has its value from the start";
  EXPECT_EQ(cost.largest_flops, 60U);
  EXPECT_EQ(cost.vector_flops, 3U * 14);
  EXPECT_EQ(cost.makespan, 60U + 14);
  EXPECT_EQ(cost.vectors, 2U);
  EXPECT_EQ(cost.vector_bytes, 2U * 14 * 8);
  // Two workers: 30 beside 23, then 10 behind 23.
  EXPECT_EQ(iteration_cost(shape, {SolveMethod::jacobi, 1, 2, 1}, 8).makespan, 66U + 21);
  EXPECT_EQ(iteration_cost(shape, {SolveMethod::jacobi, 1, 1, 1}, 8).makespan, 126U + 42);
}

TEST(SolveCost, BiCgStabHasTwoProductsAndRichardsonOne) {
  const SystemShape shape = small_shape();
  const SolveCost bicgstab = iteration_cost(shape, {SolveMethod::bicgstab, 1, 3, 1}, 4);
  EXPECT_EQ(bicgstab.product_flops, 2U * 126);
  EXPECT_EQ(bicgstab.vector_flops, 24U * 14);
  EXPECT_EQ(bicgstab.makespan, 2U * 60 + 8 * 14);
  EXPECT_EQ(bicgstab.vectors, 7U);
  const SolveCost richardson = iteration_cost(shape, {SolveMethod::richardson, 1, 3, 1}, 4);
  EXPECT_EQ(richardson.product_flops, 126U);
  EXPECT_EQ(richardson.vector_flops, 5U * 14);
}

TEST(SolveCost, GroupsAreCountedFromTheLossOnAndDoTheSameWorkInLongerTasks) {
  const SystemShape shape = small_shape();
  const SolveCost pairs = iteration_cost(shape, {SolveMethod::jacobi, 2, 4, 1}, 4);
  EXPECT_EQ(pairs.product_flops, 126U);
  EXPECT_EQ(pairs.largest_flops, 2U * (30 + 23));
  EXPECT_EQ(pairs.makespan, 106U + 11);  // 42 FLOPs of vectors by 4 workers
  EXPECT_EQ(iteration_cost(shape, {SolveMethod::jacobi, 9, 4, 1}, 4).largest_flops, 126U);
}

TEST(SolveCost, RightSidesMultiplyTheWork) {
  const SystemShape shape = small_shape();
  const SolveCost one = iteration_cost(shape, {SolveMethod::jacobi, 1, 3, 1}, 4);
  const SolveCost many = iteration_cost(shape, {SolveMethod::jacobi, 1, 3, 6}, 4);
  EXPECT_EQ(many.product_flops, 6 * one.product_flops);
  EXPECT_EQ(many.makespan, 6 * one.makespan);
  EXPECT_EQ(many.vector_bytes, 6 * one.vector_bytes);
}

TEST(SolveCost, OneBlockCostsNoProduct) {
  const SystemShape shape{{{1, 5, {}, {}, 0, 0}}};
  const SolveCost cost = iteration_cost(shape, {SolveMethod::jacobi, 1, 2, 1}, 4);
  EXPECT_EQ(cost.product_flops, 0U);
  EXPECT_EQ(cost.largest_flops, 0U);
  EXPECT_EQ(nilpotent_bound(shape, 3), 0U);
}

TEST(SolveCost, TheBoundIsLOverTheGroupRoundedUp) {
  const SystemShape shape = small_shape();
  EXPECT_EQ(nilpotent_bound(shape, 1), 3U);
  EXPECT_EQ(nilpotent_bound(shape, 2), 2U);
  EXPECT_EQ(nilpotent_bound(shape, 3), 1U);
  EXPECT_EQ(nilpotent_bound(shape, 4), 1U);
}

TEST(SolveCost, RefusesNothingsAndCountsThatDoNotFit) {
  const SystemShape shape = small_shape();
  const auto cost = [&](const SolveSetting& setting) {
    return [&shape, setting] { static_cast<void>(iteration_cost(shape, setting, 4)); };
  };
  EXPECT_THAT(cost({SolveMethod::jacobi, 0, 1, 1}),
              ThrowsMessage<std::invalid_argument>(HasSubstr("groups of 0 blocks, 1 workers and 1 right sides")));
  EXPECT_THROW(cost({SolveMethod::jacobi, 1, 0, 1})(), std::invalid_argument);
  EXPECT_THROW(cost({SolveMethod::jacobi, 1, 1, 0})(), std::invalid_argument);
  EXPECT_THROW(cost({SolveMethod::jacobi, 1, 1, ~std::uint64_t{0}})(), CountOverflow);
  EXPECT_THROW(static_cast<void>(nilpotent_bound(shape, 0)), std::invalid_argument);
}

TEST(SolveCost, NamesSayTheGroup) {
  EXPECT_EQ(method_name(SolveMethod::jacobi), "jacobi");
  EXPECT_EQ(method_name(SolveMethod::bicgstab, 8), "hybrid:8 bicgstab");
  EXPECT_EQ(method_name(SolveMethod::substitution, 8), "substitution");
}

}  // namespace
}  // namespace upsweep

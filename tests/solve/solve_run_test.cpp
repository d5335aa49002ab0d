#include "upsweep/solve/solve_run.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "support/random.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"
#include "upsweep/solve/formula_rows.hpp"

namespace upsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SolveRuns : public testing::SeededTest {
 protected:
  /// The chain of linear, tanh, ..., linear with `layers` couplings, `width` wide, at a random input.
  NumericChain<double> chain(std::size_t layers, std::uint64_t width) {
    std::vector<OperatorSpec> specs;
    for (std::size_t k = 0; k <= layers; ++k) {
      if (k > 0) specs.push_back({fmt::format("f{}", k), Tanh{}, {}});
      specs.push_back({fmt::format("w{}", k), Linear{width, false}, {}});
    }
    const Network network({width}, specs);
    NetworkWeights weights(specs.size());
    fill_he_normal(network, between(0, 1000), weights);
    const auto normals = [&] {
      std::vector<double> values(width);
      for (double& value : values) value = normal();
      return values;
    };
    return numeric_chain<double>(network, weights, link_inputs(network, weights, normals()),
                                 guaranteed_chain(network, weights), normals());
  }
};

TEST_F(SolveRuns, CountAllIterationsForAllRightSides) {
  const BackwardSystem<double> system(chain(7, 4), SystemForm::scaled);
  const IterateSettings<double> settings{.tolerance = 1e-9};
  const SolveRun direct = run_solver(system, {SolveMethod::substitution, 1, 3, 5}, settings);
  EXPECT_EQ(direct.name, "substitution");
  EXPECT_EQ(direct.flops, 5 * system.shape().flops());
  EXPECT_EQ(direct.makespan, direct.flops) << "one after the other, whatever the workers";
  EXPECT_LT(direct.history.back().error, 1e-12);
  EXPECT_TRUE(direct.is_within_tolerance);

  const SolveRun run = run_solver(system, {SolveMethod::jacobi, 1, 7, 5}, settings);
  EXPECT_TRUE(run.converged()) << run.failed;
  EXPECT_TRUE(run.is_within_tolerance);
  EXPECT_LE(run.iterations, 7U);
  EXPECT_EQ(run.bound, 7U);
  EXPECT_EQ(run.products, run.iterations);
  EXPECT_EQ(run.flops, run.iterations * run.cost.flops());
  EXPECT_EQ(run.makespan, run.iterations * run.cost.makespan);
  EXPECT_EQ(run.cost, iteration_cost(system.shape(), {SolveMethod::jacobi, 1, 7, 5}, 8));
}

TEST_F(SolveRuns, OfAllMethodsLeaveTheResidualAskedFor) {
  const BackwardSystem<double> system(chain(6, 3), SystemForm::scaled);
  for (const SolveSetting& setting : {SolveSetting{SolveMethod::jacobi, 1}, SolveSetting{SolveMethod::richardson, 1},
                                      SolveSetting{SolveMethod::bicgstab, 1}, SolveSetting{SolveMethod::jacobi, 4}}) {
    const SolveRun run = run_solver(system, setting, IterateSettings<double>{.tolerance = 1e-10});
    if (setting.method == SolveMethod::bicgstab && !run.converged()) {  // it may break down, and must say so
      EXPECT_NE(run.failed, "");
      EXPECT_EQ(run.flops, 0U);
      continue;
    }
    ASSERT_TRUE(run.converged()) << run.failed;
    EXPECT_TRUE(run.is_within_tolerance) << run.name;
    EXPECT_LE(run.history.back().residual, 1e-10) << run.name;
    EXPECT_EQ(run.setting.method == SolveMethod::bicgstab, run.products > run.iterations) << run.name;
    EXPECT_GE(run.flops, run.iterations * run.cost.flops()) << run.name;
    EXPECT_GE(run.makespan, run.iterations * run.cost.makespan) << run.name;
    // Where gradients vanish, fewer iterations are enough for the residual but not for the first blocks.
    if (run.bound == run.iterations) {
      EXPECT_LT(run.history.back().error, 1e-12) << run.name;
    }
    EXPECT_EQ(run.bound.has_value(), setting.method != SolveMethod::bicgstab) << run.name;
  }
}

TEST_F(SolveRuns, WithoutASolutionKeepTheReasonAndTheHistory) {
  const BackwardSystem<double> system(chain(6, 3), SystemForm::scaled);
  IterateSettings<double> settings{.tolerance = 1e-12, .omega = 3};
  const SolveRun run = run_solver(system, {SolveMethod::richardson, 1}, settings);
  EXPECT_FALSE(run.converged());
  EXPECT_THAT(run.failed, HasSubstr("richardson: diverged"));
  EXPECT_EQ(run.omega, 3);
  EXPECT_FALSE(run.bound) << "only omega = 1 ends by structure";
  ASSERT_FALSE(run.history.empty());
  EXPECT_EQ(run.iterations, run.history.back().iteration);
  EXPECT_GT(run.history.back().residual, 1);
  EXPECT_EQ(run.flops, 0U) << "no cost of a solution that there is not";
}

TEST_F(SolveRuns, RefusedFromTheStartHaveNoHistory) {
  const BackwardSystem<double> system(chain(2, 3), SystemForm::scaled);
  const SolveRun run = run_solver(system, {SolveMethod::jacobi, 1}, IterateSettings<double>{.tolerance = 1e-20});
  EXPECT_FALSE(run.converged());
  EXPECT_TRUE(run.history.empty());
  EXPECT_EQ(run.iterations, 0U);
}

TEST(SolveRunPoints, CountTheUsableGradients) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(usable_blocks({.block_errors = {0.02, kUsableError, 0, inf, std::nan("")}}), 2U);
  EXPECT_FALSE(usable_blocks(IterationPoint{})) << "no errors were taken";
}

TEST(SolveRunPoints, AreLookedAtWhereTheyHaveErrors) {
  SolveRun run;
  run.history = {{.iteration = 0, .block_errors = {1}},
                 {.iteration = 4, .block_errors = {}},
                 {.iteration = 5, .block_errors = {0}}};
  std::vector<std::size_t> iterations;
  for (const IterationPoint& point : rungs(run)) iterations.push_back(point.iteration);
  EXPECT_THAT(iterations, ElementsAre(0, 5));
}

TEST(SolveRunPoints, AreUsableFromWhereNoErrorComesBack) {
  SolveRun run;
  EXPECT_FALSE(usable_from(run)) << "no history";
  const auto add = [&run](double error) {
    const std::size_t iteration = run.history.size();
    run.history.emplace_back().iteration = iteration;
    run.history.back().error = error;
  };
  for (const double error : {0.001, 0.5, kUsableError}) add(error);
  EXPECT_EQ(usable_from(run), 2U);
  add(0);
  EXPECT_EQ(usable_from(run), 2U);
  add(std::nan(""));
  EXPECT_FALSE(usable_from(run));
}

TEST(SolveRunPoints, OfRichardsonRepeatJacobisWhereOmegaIs1AndGroupsAreTheSame) {
  SolveRun richardson;
  richardson.setting.method = SolveMethod::richardson;
  SolveRun jacobi;
  EXPECT_TRUE(repeats_jacobi(richardson, {jacobi}));
  EXPECT_FALSE(repeats_jacobi(richardson, {richardson}));
  EXPECT_FALSE(repeats_jacobi(jacobi, {jacobi}));
  jacobi.setting.group = 2;
  EXPECT_FALSE(repeats_jacobi(richardson, {jacobi}));
  jacobi.setting.group = 1;
  richardson.omega = 0.9;
  EXPECT_FALSE(repeats_jacobi(richardson, {jacobi}));
}

TEST_F(SolveRuns, StandBesideTheFormulasWithTheirOwnCounts) {
  const NumericChain<double> numbers = chain(8, 5);
  const BackwardSystem<double> system(numbers, SystemForm::scaled);
  const IterateSettings<double> settings{.tolerance = 1e-9};
  const std::vector<SolveRun> runs = {run_solver(system, {SolveMethod::substitution, 1, 8, 3}, settings),
                                      run_solver(system, {SolveMethod::jacobi, 1, 8, 3}, settings),
                                      run_solver(system, {SolveMethod::jacobi, 4, 8, 3}, settings)};
  const ChainCounts counts = count_chain(numbers.structure, system.shape());
  const std::vector<FormulaRow> rows = formula_rows(system.shape(), counts, 3, runs);
  ASSERT_EQ(rows.size(), 5U + 3) << "groups are not in the formulas";
  EXPECT_EQ(rows[0].equation, "42");
  EXPECT_EQ(2 * rows[0].exact, static_cast<double>(runs[0].flops));
  EXPECT_EQ(rows[0].difference(), 0) << "equal widths, every block but the last with f'";
  EXPECT_EQ(rows[5].equation, "46");
  EXPECT_EQ(2 * rows[5].exact, static_cast<double>(runs[1].cost.product_flops * runs[1].products));
  EXPECT_EQ(rows[5].difference(), 0);
  EXPECT_EQ(2 * rows[6].exact, static_cast<double>(runs[1].cost.largest_flops * runs[1].products));
  EXPECT_EQ(rows[6].difference(), 0);
  EXPECT_EQ(8 * rows[7].exact, static_cast<double>(runs[1].cost.vector_bytes));
  EXPECT_DOUBLE_EQ(rows[7].difference(), 8.0 / 9 - 1) << "the formula leaves one block out";
}

TEST(FormulaRows, SayByHowMuchAFormulaIsOff) {
  EXPECT_EQ((FormulaRow{"", "", "", 3, 2}.difference()), 0.5);
  EXPECT_EQ((FormulaRow{"", "", "", 0, 0}.difference()), 0);
  EXPECT_TRUE(std::isinf(FormulaRow{"", "", "", 3, 0}.difference()));
}

}  // namespace
}  // namespace upsweep

#include "upsweep/solve/iterate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "solve/plain_iterations.hpp"
#include "solve/rounding_level.hpp"
#include "support/backward_chains.hpp"
#include "support/random.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/solve/residual.hpp"
#include "upsweep/solve/solve_run.hpp"

namespace upsweep {
namespace {

using testing::bicgstab;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::jacobi;
using testing::richardson;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

class IterateTest : public testing::SeededTest {
 protected:
  /// Linear operators of `width` with numbers whose products neither grow nor vanish, each after an elementwise one.
  template <class T>
  NumericChain<T> random_chain(std::size_t layers, Index width = 5, double gain = 1) {
    NumericChain<T> chain;
    chain.structure.gradient_length = width;
    for (Index i = 0; i < width; ++i) chain.gradient.push_back(static_cast<T>(normal()));
    for (std::size_t k = 0; k <= layers; ++k) {
      testing::add_link<T>(chain, Pattern::diagonal(width), [&] { return static_cast<T>(chance(0.3) ? 0.3 : 1); });
      testing::add_link<T>(chain, random_pattern(width, width, 1),
                           [&] { return static_cast<T>(normal() * gain * 1.2 / std::sqrt(width)); });
    }
    return chain;
  }
  /// Permutations with factors of 1 to 1.5 in absolute value: no gradient vanishes on the way.
  BackwardSystem<double> steady_system(std::size_t links, Index width = 4) {
    NumericChain<double> chain;
    chain.structure.gradient_length = width;
    for (Index i = 0; i < width; ++i) chain.gradient.push_back(std::copysign(1, normal()));
    for (std::size_t k = 0; k <= links; ++k) {
      const auto shift = static_cast<Index>(between(0, width - 1));
      CsrPattern csr{width, width, {0}, {}};
      for (Index r = 0; r < width; ++r) {
        csr.indices.push_back((r + shift) % width);
        csr.indptr.push_back(csr.indices.size());
      }
      testing::add_link<double>(chain, Pattern::from_csr(csr), [&] {
        return (chance(0.5) ? 1 : -1) * (1 + static_cast<double>(between(0, 500)) / 1000);
      });
    }
    return {chain, SystemForm::unit};
  }
  template <class T>
  BackwardSystem<T> random_system(std::size_t layers, Index width = 5, double gain = 1) {
    return {random_chain<T>(layers, width, gain), SystemForm::scaled};
  }
};

template <class T>
double largest_difference(const std::vector<T>& a, const std::vector<T>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, double(std::fabs(a[i] - b[i])));
  return largest;
}

TEST_F(IterateTest, JacobiEndsAfterLIterationsWithTheSubstitutionBitByBit) {
  for (std::size_t layers = 1; layers <= 30; layers += 4) {
    const auto system = steady_system(layers);
    const auto solution = jacobi<double>(system, {.tolerance = 1e-10});
    EXPECT_EQ(solution.iterations, layers);
    EXPECT_EQ(solution.products, system.couplings());
    EXPECT_EQ(solution.v, substitute(system));
    ASSERT_THAT(solution.history, SizeIs(solution.iterations + 1));
    for (std::size_t i = 0; i <= solution.iterations; ++i) {
      EXPECT_EQ(solution.history[i].iteration, i);
      EXPECT_EQ(solution.history[i].first_error, i < solution.iterations ? 1 : 0)
          << "a product carries information over one block";
    }
    EXPECT_TRUE(testing::is_at_rounding_level(residual<double>(system, solution.v)));
  }
}

TEST_F(IterateTest, ErrorsAreAgainstTheReferenceBlockByBlock) {
  const BackwardSystem<double> system(testing::scalar_chain<double>(2, 2, 1), SystemForm::unit);
  const std::vector<std::vector<double>> reference = {{99}, {8}, {2}, {1}};  // solutions are 4, 2, 1
  const auto solution = jacobi<double>(system, {.reference = &reference});
  ASSERT_THAT(solution.history, SizeIs(3));
  EXPECT_THAT(solution.history[0].block_errors, ::testing::ElementsAre(1, 1, 0));
  EXPECT_THAT(solution.history[1].block_errors, ::testing::ElementsAre(1, 0, 0));
  EXPECT_THAT(solution.history[2].block_errors, ::testing::ElementsAre(0.5, 0, 0));
  EXPECT_EQ(solution.history[2].first_error, 0.5);
  EXPECT_EQ(solution.history[2].error, 0.5);
  EXPECT_EQ(solution.history[1].residual, 4);  // 2 · 2 of the first row
  EXPECT_EQ(solution.history[1].residual_max, 4);
}

TEST_F(IterateTest, ErrorsByBlockAreKeptOnALadderAndAtTheEnd) {
  const auto system = steady_system(26);
  const auto solution = jacobi<double>(system, {.tolerance = 1e-10});
  std::vector<std::size_t> kept;
  for (const IterationPoint& point : solution.history) {
    if (!point.block_errors.empty()) kept.push_back(point.iteration);
  }
  EXPECT_THAT(kept, ::testing::ElementsAre(0, 1, 2, 3, 5, 10, 20, 26));
}

TEST_F(IterateTest, AStartNearTheSolutionLeavesASmallErrorFromTheFirstIterationOn) {
  const auto system = random_system<double>(20);
  auto start = substitute(system);
  for (double& number : start) number *= 1 + 1e-3 * normal();
  const auto solution = jacobi<double>(system, {.tolerance = 1e-12, .start = start});
  EXPECT_LT(solution.history[0].error, 0.1);
  EXPECT_EQ(solution.v, substitute(system));
  EXPECT_EQ(jacobi<double>(system, {.start = substitute(system)}).iterations, 0U);
}

TEST_F(IterateTest, AVanishingGradientMeetsAToleranceBeforeTheFirstLayerHasAny) {
  // The tolerance is relative to the loss gradient; the errors by block show what it hides.
  const BackwardSystem<double> system(testing::scalar_chain<double>(20, 0.125), SystemForm::unit);
  const auto solution = jacobi<double>(system, {.tolerance = 1e-6});
  EXPECT_EQ(solution.iterations, 6U);  // 8^-7 is the first below
  EXPECT_EQ(solution.history.back().first_error, 1);
  EXPECT_EQ(jacobi<double>(system, {.tolerance = 1e-14}).iterations, 15U);
}

TEST_F(IterateTest, RichardsonWithOmega1IsJacobiUpToRounding) {
  const auto system = steady_system(12);
  const auto solution = richardson<double>(system, {.tolerance = 1e-10, .omega = 1});
  EXPECT_EQ(solution.iterations, system.couplings());
  EXPECT_LT(largest_difference(solution.v, substitute(system)), 1e-10);
}

TEST_F(IterateTest, RichardsonWithAnotherOmegaConvergesSlowerButDoes) {
  for (const double omega : {0.5, 0.9, 1.2}) {
    const auto system = random_system<double>(6, 4, 0.8);
    const auto solution = richardson<double>(system, {.tolerance = 1e-9, .omega = omega});
    EXPECT_GT(solution.iterations, system.couplings()) << omega;
    EXPECT_LE(residual<double>(system, solution.v).relative(), 1e-9);
    EXPECT_LT(largest_difference(solution.v, substitute(system)), 1e-5);
  }
}

template <class Solve>
std::vector<IterationPoint> history_of_divergence(const Solve& solve) {
  try {
    solve();
  } catch (const Diverged& error) {
    EXPECT_THAT(error.what(), HasSubstr("diverged: the residual is"));
    return error.history();
  }
  ADD_FAILURE() << "it did not diverge";
  return {};
}

TEST_F(IterateTest, ADivergingRelaxationIsReportedWithItsNormsAndWithoutAResult) {
  const auto system = random_system<double>(6);
  const auto history = history_of_divergence([&] { return richardson<double>(system, {.omega = 2.5}); });
  ASSERT_GT(history.size(), 20U);
  EXPECT_GT(history.back().residual, 1e20);
  EXPECT_GT(history.back().residual, history[history.size() - 5].residual);
  EXPECT_THAT(history.back().block_errors, SizeIs(system.blocks()));
  history_of_divergence([&] { return richardson<double>(system, {.omega = -0.5}); });
}

TEST_F(IterateTest, AnOverflowIsDivergence) {
  const BackwardSystem<float> system(testing::scalar_chain<float>(20, 1e5F), SystemForm::unit);
  EXPECT_THAT(history_of_divergence([&] { return jacobi<float>(system, {.tolerance = 1e-3}); }), SizeIs(21));
  EXPECT_FALSE(history_of_divergence([&] { return bicgstab<float>(system, {.tolerance = 1e-3}); }).empty());
}

TEST_F(IterateTest, AToleranceBelowTheNumberTypeIsRefusedBeforeTheFirstIteration) {
  const auto system = random_system<float>(10);
  ASSERT_EQ(system.couplings(), 10U);
  EXPECT_EQ(smallest_tolerance(system), 40 * 0x1p-24);
  for (const auto solve : {jacobi<float>, richardson<float>, bicgstab<float>}) {
    try {
      static_cast<void>(solve(system, {.tolerance = 1e-7}));
      ADD_FAILURE();
    } catch (const ToleranceUnreachable& error) {
      EXPECT_THAT(error.what(), HasSubstr("the tolerance is 1e-07, accepted is at least 2.38e-06"));
      EXPECT_THAT(error.history(), IsEmpty());
    }
  }
}

TEST_F(IterateTest, AGradientThatGrowsPastTheRightSideStagnatesAndSaysWhere) {
  // Rounding errors are relative to the grown gradient, the tolerance to the loss gradient.
  const auto system = random_system<float>(25, 6, 4);
  const IterateSettings<float> settings{.tolerance = 1e-5};
  for (const auto solve : {jacobi<float>, bicgstab<float>}) {
    try {
      static_cast<void>(solve(system, settings));
      ADD_FAILURE() << "solved";
    } catch (const Diverged& error) {  // BiCGStab may break down instead
      EXPECT_FALSE(error.history().empty());
    } catch (const ToleranceUnreachable& error) {
      EXPECT_THAT(error.what(), HasSubstr("stagnates in fp32: the residual is "));
      EXPECT_GT(error.history().back().residual, 1e-5);
    } catch (const IterationLimit& error) {
      EXPECT_GT(error.history().back().residual, 1e-5);
    }
  }
  EXPECT_THROW(static_cast<void>(jacobi<float>(system, settings)), ToleranceUnreachable);
}

TEST_F(IterateTest, TooFewIterationsAreNoResult) {
  const auto system = steady_system(10);
  const auto solve = [&] { static_cast<void>(jacobi<double>(system, {.max_iterations = 4})); };
  EXPECT_THAT(solve, ThrowsMessage<NoConvergence>(HasSubstr("after 4 iterations")));
  const auto limited = [&] { static_cast<void>(richardson<double>(system, {.omega = 0.01, .max_iterations = 12})); };
  EXPECT_THROW(limited(), NoConvergence);
  EXPECT_THROW(static_cast<void>(bicgstab<double>(system, {.max_iterations = 1})), NoConvergence);
}

TEST_F(IterateTest, BiCgStabSolvesShortSystemsAndNeedsAProductForEveryBlock) {
  for (std::size_t layers = 2; layers <= 8; ++layers) {
    const auto system = random_system<double>(layers, 6, 0.7);
    const auto solution = bicgstab<double>(system, {.tolerance = 1e-8});
    EXPECT_LE(residual<double>(system, solution.v).relative(), 1e-8);
    EXPECT_LT(largest_difference(solution.v, substitute(system)), 1e-5);
    EXPECT_GE(solution.products, system.couplings()) << "a product carries information over one block";
    EXPECT_GE(solution.products, 2 * solution.iterations);
    EXPECT_EQ(solution.history.back().iteration, solution.iterations);
    for (const IterationPoint& point : solution.history) EXPECT_THAT(point.block_errors, SizeIs(system.blocks()));
  }
}

TEST_F(IterateTest, BiCgStabIsIndifferentToTheScaleOfTheLossGradient) {
  auto chain = random_chain<float>(4, 5, 0.7);
  const auto plain = bicgstab<float>(BackwardSystem<float>(chain, SystemForm::scaled), {.tolerance = 1e-4});
  for (float& number : chain.gradient) number *= 0x1p-80F;  // squares underflow
  const auto small = bicgstab<float>(BackwardSystem<float>(chain, SystemForm::scaled), {.tolerance = 1e-4});
  EXPECT_EQ(small.iterations, plain.iterations);
  for (std::size_t i = 0; i < plain.v.size(); ++i) EXPECT_EQ(small.v[i], 0x1p-80F * plain.v[i]);
}

TEST_F(IterateTest, ALossGradientOfZeroIsSolvedAtOnce) {
  const BackwardSystem<double> system(testing::scalar_chain<double>(3, 2, 0), SystemForm::unit);
  for (const auto solve : {jacobi<double>, richardson<double>, bicgstab<double>}) {
    const auto solution = solve(system, {});
    EXPECT_EQ(solution.iterations, 0U);
    EXPECT_THAT(solution.v, Each(0));
  }
}

TEST_F(IterateTest, OneOperatorNeedsNoIteration) {
  const BackwardSystem<double> system(testing::scalar_chain<double>(0, 2, 7), SystemForm::unit);
  for (const auto solve : {jacobi<double>, richardson<double>, bicgstab<double>}) {
    const auto solution = solve(system, {});
    EXPECT_EQ(solution.iterations, 0U);
    EXPECT_THAT(solution.v, ::testing::ElementsAre(7));
  }
}

TEST_F(IterateTest, FlopsAreThoseOfTheProductsDone) {
  const auto system = steady_system(5);
  const std::uint64_t product = system.shape().flops() - system.shape().flops(system.couplings());
  const std::uint64_t unknowns = system.unknowns();
  const SolveRun by_jacobi = run_solver<double>(system, {SolveMethod::jacobi}, {});
  EXPECT_EQ(by_jacobi.flops, 5 * (product + 3 * unknowns));
  EXPECT_EQ(by_jacobi.cost.flops(), product + 3 * unknowns);
  const SolveRun by_bicgstab = run_solver<double>(system, {SolveMethod::bicgstab}, {});
  EXPECT_EQ(by_bicgstab.flops, by_bicgstab.products * product + by_bicgstab.iterations * 24 * unknowns);
}

TEST_F(IterateTest, ResultsDoNotDependOnTheNumberOfThreads) {
  const auto system = random_system<float>(4, 150);
  const IterateSettings<float> settings{.tolerance = 1e-4};
  const auto many = jacobi<float>(system, settings);
  const ThreadLimit limit(1);
  const auto one = jacobi<float>(system, settings);
  EXPECT_EQ(one.v, many.v);
  for (std::size_t i = 0; i < one.history.size(); ++i) EXPECT_EQ(one.history[i].residual, many.history[i].residual);
}

TEST_F(IterateTest, RefusesSettingsThatDoNotFit) {
  const auto system = random_system<double>(3);
  const auto with = [&](const IterateSettings<double>& settings) {
    return [&system, settings] { static_cast<void>(richardson<double>(system, settings)); };
  };
  EXPECT_THAT(with({.tolerance = 0}), ThrowsMessage<std::invalid_argument>(HasSubstr("the tolerance is 0, accepted")));
  EXPECT_THAT(with({.tolerance = std::nan("")}), ThrowsMessage<std::invalid_argument>(HasSubstr("nan, accepted")));
  EXPECT_THAT(with({.start = {1, 2}}), ThrowsMessage<std::invalid_argument>(HasSubstr("a start of 2 numbers")));
  EXPECT_THAT(with({.omega = std::numeric_limits<double>::infinity()}),
              ThrowsMessage<std::invalid_argument>(HasSubstr("omega is inf")));
  const std::vector<std::vector<double>> reference(3);
  EXPECT_THAT(with({.reference = &reference}),
              ThrowsMessage<std::invalid_argument>(HasSubstr("no gradient of length")));
}

}  // namespace
}  // namespace upsweep

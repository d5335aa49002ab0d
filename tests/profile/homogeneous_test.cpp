#include "upsweep/profile/homogeneous.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "support/homogeneous_checks.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

using testing::all_kinds;
using testing::banded_chain;
using testing::expect_equal_profiles;
using testing::explicit_chain;
using testing::uniform_chain;

TEST(HomogeneousProfile, EqualsTheExplicitChainAtEveryDepth) {
  for (const auto& kinds : all_kinds()) {
    for (std::uint64_t n = 1; n <= 70; ++n) {
      expect_equal_profiles({2, n, kinds}, 4);
      if (HasFailure()) return;
    }
    for (const std::uint64_t n : {127, 128, 129, 200, 399, 400}) expect_equal_profiles({3, n, kinds}, 8);
  }
}

TEST(HomogeneousProfile, EqualsTheExplicitChainWhereMatricesAreNumbers) {
  for (std::uint64_t n = 1; n <= 20; ++n) expect_equal_profiles({1, n, all_kinds()[2]}, 4);
}

TEST(HomogeneousProfile, CountsRecurrentStepsByHand) {
  // h = 2, one step of an unfused cell: a0 · diagonal, the dense matrix is never used.
  const HomogeneousProfile unfused = profile_homogeneous(unfused_chain(2, 1), 0, 4);
  EXPECT_EQ(unfused.all.ops, 1U);
  EXPECT_EQ(unfused.all.flops, 4U);
  // Four fused steps at depth 1: a0 a1, a2 a3 | (a0 a1)(a2 a3) | (a0 a1) a2; no combine targets a4.
  const HomogeneousProfile fused = profile_homogeneous(fused_chain(2, 4), 1, 4);
  EXPECT_EQ(fused.all.ops, 4U);
  EXPECT_EQ(fused.all.flops, 8U + 16U + 8U + 8U);
  EXPECT_EQ(fused.all, fused.live);
  EXPECT_EQ(fused.all.critical_path_dag, 16U + 8U);
}

TEST(HomogeneousProfile, ReferenceIsTheFoldOverAllButTheLastMatrix) {
  for (const auto& kinds : all_kinds()) {
    for (const std::uint64_t n : {1, 2, 3, 8, 9}) {
      const HomogeneousChain chain{3, n, kinds};
      const JacobianChain want = explicit_chain(chain);
      std::uint64_t nnz = 0;
      for (std::size_t k = 0; k + 1 < want.jacobians.size(); ++k) nnz += want.jacobians[k]->nnz();
      const HomogeneousReference got = homogeneous_reference(chain, 8);
      EXPECT_EQ(got.build_values, nnz);
      EXPECT_EQ(got.build_bytes, 8 * nnz);
      EXPECT_EQ(got.linear_flops, 2 * nnz);
      EXPECT_EQ(got.linear_flops, profile_homogeneous(chain, 0, 8).all.flops);
    }
  }
}

TEST(HomogeneousProfile, FollowsTheClosedFormsAtHundredMillionSteps) {
  for (const HomogeneousChain& chain : {fused_chain(100, 100'000'000), unfused_chain(100, 100'000'000)}) {
    const std::uint64_t n = chain.elements;
    std::uint64_t u = 0;
    for (std::uint32_t depth = 0; depth <= max_depth(chain.length()); ++depth) {
      const HomogeneousProfile profile = profile_homogeneous(chain, depth, 4);
      const std::uint64_t mid = n >> depth;
      EXPECT_EQ(profile.all.ops, 2 * u - depth + mid - 1);
      std::uint64_t mv = 0;
      std::uint64_t ops = 0;
      for (const LevelRun& run : profile.runs) {
        for (std::size_t i = 0; i < run.cycle.size(); ++i) {
          const std::uint64_t times = run.times(i);
          mv += times * run.cycle[i].mv_ops;
          ops += times * run.cycle[i].profile.ops;
        }
      }
      EXPECT_EQ(mv, n - 1) << "every result but a[0] is one product with a vector";
      EXPECT_EQ(ops, profile.all.ops);
      u += ((n - (std::uint64_t{1} << depth)) >> (depth + 1)) + 1;
    }
  }
}

TEST(HomogeneousProfile, RefusesWhatIsOutOfRange) {
  EXPECT_THROW(static_cast<void>(profile_homogeneous({0, 5, {ElementKind::dense}}, 1, 4)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(profile_homogeneous({1, 0, {ElementKind::dense}}, 1, 4)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(profile_homogeneous({1, 5, {}}, 1, 4)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(profile_homogeneous({1, 5, {ElementKind::dense}}, 1, 2)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(profile_homogeneous(fused_chain(std::uint64_t{1} << 21, 1 << 10), 1, 4)),
               CountOverflow);
  EXPECT_THROW(static_cast<void>(profile_homogeneous(banded_chain(7, 7, 5), 1, 4)), std::invalid_argument);
  for (const double density : {0.0, -0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(static_cast<void>(profile_homogeneous(uniform_chain(7, density, 5), 1, 4)), std::invalid_argument);
  for (const ElementKind kind : {ElementKind::banded, ElementKind::uniform}) {
    HomogeneousChain chain = uniform_chain(7, 0.5, 5);
    chain.kinds = {kind, kind};
    EXPECT_THROW(static_cast<void>(profile_homogeneous(chain, 1, 4)), std::invalid_argument);
    chain.kinds = {ElementKind::dense, kind};
    EXPECT_THROW(static_cast<void>(homogeneous_reference(chain, 4)), std::invalid_argument);
  }
}

}  // namespace
}  // namespace upsweep

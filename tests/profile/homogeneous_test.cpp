#include "upsweep/profile/homogeneous.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "support/homogeneous.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/sim/complexity.hpp"

namespace upsweep {
namespace {

using testing::all_kinds;
using testing::explicit_chain;
using testing::explicit_profiles;

/// The levels one by one.
std::vector<HomogeneousLevel> all_levels(const HomogeneousProfile& profile) {
  std::vector<HomogeneousLevel> levels;
  for (const LevelRun& run : profile.runs) {
    for (std::uint64_t i = 0; i < run.levels; ++i) levels.push_back(run.cycle[i % run.cycle.size()]);
  }
  return levels;
}

void expect_equal_ops(const HomogeneousProfile& got, const ScheduleProfile& want) {
  std::size_t id = 0;
  const std::vector<HomogeneousLevel> levels = all_levels(got);
  ASSERT_EQ(levels.size(), want.levels.size());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    EXPECT_EQ(levels[i].profile.phase, want.levels[i].phase);
    EXPECT_EQ(levels[i].profile.ops, want.levels[i].ops);
    EXPECT_EQ(levels[i].profile.flops_sum, want.levels[i].flops_sum);
    EXPECT_EQ(levels[i].profile.flops_max, want.levels[i].flops_max);
    std::uint64_t nnz = 0;
    std::uint64_t bytes = 0;
    std::uint64_t mv = 0;
    std::uint64_t dead = 0;
    for (const OpRun& run : levels[i].runs) {
      for (std::uint64_t op = 0; op < run.count; ++op, ++id) {
        const OpProfile& wanted = want.ops.at(id);
        EXPECT_EQ(run, (OpRun{run.count, wanted.is_mv, wanted.dead, wanted.flops, wanted.nnz, wanted.bytes}));
        nnz += wanted.nnz;
        bytes += wanted.bytes;
        mv += wanted.is_mv ? 1 : 0;
        dead += wanted.dead ? 1 : 0;
      }
    }
    EXPECT_EQ(levels[i].nnz, nnz);
    EXPECT_EQ(levels[i].bytes, bytes);
    EXPECT_EQ(levels[i].mv_ops, mv);
    EXPECT_EQ(levels[i].dead_ops, dead);
  }
  EXPECT_EQ(id, want.ops.size());
}

void expect_equal_totals(const HomogeneousTotals& got, const ScheduleProfile& want, Scope scope) {
  const Totals wanted = totals(want, scope);
  EXPECT_EQ(got.ops, wanted.ops);
  EXPECT_EQ(got.flops, wanted.flops);
  EXPECT_EQ(got.critical_path_level, wanted.critical_path_level);
  EXPECT_EQ(got.critical_path_dag, wanted.critical_path_dag);
  EXPECT_EQ(got.peak_live_bytes, peak_live_bytes(want.schedule, want.value_bytes, in_scope(want, scope)));
  std::uint64_t most = 0;
  for (const OpProfile& op : want.ops) most = scope == Scope::all || !op.dead ? std::max(most, op.flops) : most;
  EXPECT_EQ(got.flops_max, most);
}

void expect_equal_profiles(const HomogeneousChain& chain, unsigned value_bytes) {
  for (const ScheduleProfile& want : explicit_profiles(chain, value_bytes)) {
    SCOPED_TRACE(::testing::Message() << "h " << chain.size << ", n " << chain.elements << ", kinds "
                                      << static_cast<int>(chain.kinds.front()) << static_cast<int>(chain.kinds.back())
                                      << ", depth " << want.schedule.depth);
    const HomogeneousProfile got = profile_homogeneous(chain, want.schedule.depth, value_bytes);
    EXPECT_EQ(got.schedule, want.schedule.name);
    EXPECT_EQ(got.depth, want.schedule.depth);
    EXPECT_EQ(got.levels, want.schedule.levels);
    EXPECT_EQ(got.widest, widest_level(want.schedule));
    expect_equal_ops(got, want);
    expect_equal_totals(got.all, want, Scope::all);
    expect_equal_totals(got.live, want, Scope::live);
  }
}

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
          const std::uint64_t times = (run.levels + run.cycle.size() - 1 - i) / run.cycle.size();
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
}

}  // namespace
}  // namespace upsweep

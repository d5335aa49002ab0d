#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/homogeneous.hpp"
#include "upsweep/profile/homogeneous_op.hpp"
#include "upsweep/sim/complexity.hpp"
#include "upsweep/sim/peak_memory.hpp"
#include "upsweep/sim/shared_ops.hpp"

namespace upsweep::testing {

/// The first count in which two combines differ, or nothing.
inline std::string difference(const OpProfile& a, const OpProfile& b) {
  if (a.m != b.m || a.k != b.k || a.n != b.n) return "shape";
  if (a.is_mv != b.is_mv || a.dead != b.dead) return "kind";
  if (a.left_nnz != b.left_nnz || a.right_nnz != b.right_nnz || a.nnz != b.nnz) return "nnz";
  if (a.products != b.products || a.flops != b.flops) return "products";
  if (a.span != b.span) return "span";
  if (a.bytes != b.bytes || a.left_bytes != b.left_bytes || a.right_bytes != b.right_bytes) return "bytes";
  return a.steps == b.steps ? "" : "steps";
}

/// The same of two profiles, and where.
inline std::string difference(const ScheduleProfile& a, const ScheduleProfile& b) {
  if (a.schedule.name != b.schedule.name || a.ops.size() != b.ops.size()) return "schedule";
  for (std::size_t id = 0; id < a.ops.size(); ++id) {
    const std::string found = difference(a.ops[id], b.ops[id]);
    if (!found.empty()) return found + " of op " + std::to_string(id);
  }
  const auto same_level = [](const LevelProfile& x, const LevelProfile& y) {
    return x.phase == y.phase && x.ops == y.ops && x.flops_sum == y.flops_sum && x.flops_max == y.flops_max &&
           x.span_max == y.span_max;
  };
  if (!std::ranges::equal(a.levels, b.levels, same_level)) return "levels";
  return a.value_bytes == b.value_bytes && a.inputs == b.inputs ? "" : "value_bytes";
}

/// The levels one by one.
inline std::vector<HomogeneousLevel> all_levels(const HomogeneousProfile& profile) {
  std::vector<HomogeneousLevel> levels;
  for (const LevelRun& run : profile.runs) {
    for (std::uint64_t i = 0; i < run.levels; ++i) levels.push_back(run.cycle[i % run.cycle.size()]);
  }
  return levels;
}

/// Compares every combine, by homogeneous_op() too, and the sums of every level.
inline void expect_equal_ops(const HomogeneousProfile& got, const ScheduleProfile& want) {
  std::size_t id = 0;
  const std::vector<HomogeneousLevel> levels = all_levels(got);
  ASSERT_EQ(levels.size(), want.levels.size());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    EXPECT_EQ(levels[i].profile.phase, want.levels[i].phase);
    EXPECT_EQ(levels[i].profile.ops, want.levels[i].ops);
    EXPECT_EQ(levels[i].profile.flops_sum, want.levels[i].flops_sum);
    EXPECT_EQ(levels[i].profile.flops_max, want.levels[i].flops_max);
    EXPECT_EQ(levels[i].profile.span_max, want.levels[i].span_max);
    std::uint64_t nnz = 0;
    std::uint64_t bytes = 0;
    std::uint64_t mv = 0;
    std::uint64_t dead = 0;
    for (const OpRun& run : levels[i].runs) {
      const OpProfile op = homogeneous_op(got.chain, run, got.value_bytes);
      for (std::uint64_t k = 0; k < run.count; ++k, ++id) {
        const OpProfile& wanted = want.ops.at(id);
        EXPECT_EQ(difference(op, wanted), "") << "op " << id;
        EXPECT_EQ(run.is_mv, wanted.is_mv);
        EXPECT_EQ(run.dead, wanted.dead);
        EXPECT_EQ(run.flops, wanted.flops);
        EXPECT_EQ(run.nnz, wanted.nnz);
        EXPECT_EQ(run.bytes, wanted.bytes);
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

inline void expect_equal_totals(const HomogeneousTotals& got, const ScheduleProfile& want, Scope scope) {
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

/// Compares profile_homogeneous() with a profile of hybrid_schedule().
inline void expect_equal_profile(const HomogeneousChain& chain, unsigned value_bytes, const ScheduleProfile& want) {
  SCOPED_TRACE(::testing::Message() << "h " << chain.size << ", n " << chain.elements << ", kinds "
                                    << static_cast<int>(chain.kinds.front()) << static_cast<int>(chain.kinds.back())
                                    << ", half bandwidth " << chain.half_bandwidth << ", density " << chain.density
                                    << ", depth " << want.schedule.depth);
  const HomogeneousProfile got = profile_homogeneous(chain, want.schedule.depth, value_bytes);
  EXPECT_EQ(got.schedule, want.schedule.name);
  EXPECT_EQ(got.depth, want.schedule.depth);
  EXPECT_EQ(got.levels, want.schedule.levels);
  EXPECT_EQ(got.widest, widest_level(want.schedule));
  expect_equal_ops(got, want);
  expect_equal_totals(got.all, want, Scope::all);
  expect_equal_totals(got.live, want, Scope::live);
  for (const Scope scope : {Scope::all, Scope::live}) {
    const SharedWork closed = shared_work(got, scope);
    const SharedWork listed = shared_work(want, scope);
    EXPECT_EQ(closed.flops, listed.flops);
    EXPECT_EQ(closed.span_path, listed.span_path);
    for (const std::uint64_t workers : {1, 2, 3, 16, 1000})
      EXPECT_EQ(shared_makespan(closed, workers, 3), shared_makespan(listed, workers, 3));
  }
}

/// The same over the explicit chain, at every depth.
inline void expect_equal_profiles(const HomogeneousChain& chain, unsigned value_bytes) {
  for (const ScheduleProfile& want : explicit_profiles(chain, value_bytes))
    expect_equal_profile(chain, value_bytes, want);
}

}  // namespace upsweep::testing

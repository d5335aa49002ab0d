#include "upsweep/profile/homogeneous.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "block_counts.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

/// Adds a run to its level; one of no combine is left out.
void add_run(const OpRun& run, HomogeneousLevel& level) {
  if (run.count == 0) return;
  level.runs.push_back(run);
  add_to(level.profile.ops, run.count);
  add_to(level.profile.flops_sum, checked_mul(run.count, run.flops));
  level.profile.flops_max = std::max(level.profile.flops_max, run.flops);
  level.profile.span_max = std::max(level.profile.span_max, run.span);
  add_to(level.nnz, checked_mul(run.count, run.nnz));
  add_to(level.bytes, checked_mul(run.count, run.bytes));
  if (run.is_mv) level.mv_ops += run.count;
  if (run.dead) level.dead_ops += run.count;
}

/// Appends a level of no combine yet that stands for `levels`.
HomogeneousLevel& add_levels(std::uint64_t levels, Phase phase, std::vector<LevelRun>& runs) {
  runs.push_back({.levels = levels, .cycle = {}});
  return runs.back().cycle.push_back({.runs = {}, .profile = {.phase = phase}});
}

void add_up_level(const BlockCounts& counts, std::uint32_t d, std::vector<LevelRun>& runs) {
  HomogeneousLevel& level = add_levels(1, Phase::up, runs);
  const OpRun last = counts.last_op(d);
  const std::uint64_t inner = counts.pairs(d) - 1 - last.count;
  add_run(counts.first_op(d), level);
  if (inner > 0) add_run(counts.inner_ops(inner, d), level);
  add_run(last, level);
}

void add_middle_levels(const BlockCounts& counts, std::uint64_t elements, std::uint32_t depth,
                       std::vector<LevelRun>& runs) {
  const std::uint64_t levels = (elements >> depth) - 1;
  if (levels == 0) return;
  const OpRun odd = counts.middle_op(1, depth);
  add_run(odd, add_levels(levels, Phase::middle, runs));
  if (levels == 1) return;
  const OpRun even = counts.middle_op(2, depth);
  if (even == odd) return;
  add_run(even, runs.back().cycle.push_back({.runs = {}, .profile = {.phase = Phase::middle}}));
}

std::vector<LevelRun> level_runs(const BlockCounts& counts, std::uint64_t elements, std::uint32_t depth) {
  std::vector<LevelRun> runs;
  runs.reserve(2 * std::size_t{depth} + 1);
  for (std::uint32_t d = 0; d < depth; ++d) add_up_level(counts, d, runs);
  add_middle_levels(counts, elements, depth, runs);
  for (std::uint32_t d = depth; d-- > 0;) {
    const OpRun ops = counts.down_ops(d);
    if (ops.count > 0) add_run(ops, add_levels(1, Phase::down, runs));
  }
  return runs;
}

/// Adds `times` levels.
void add_level(const HomogeneousLevel& level, std::uint64_t times, bool with_dead, HomogeneousTotals& sum) {
  std::uint64_t most = 0;
  for (const OpRun& run : level.runs) {
    if (run.dead && !with_dead) continue;
    const std::uint64_t ops = checked_mul(times, run.count);
    add_to(sum.ops, ops);
    add_to(sum.flops, checked_mul(ops, run.flops));
    most = std::max(most, run.flops);
  }
  add_to(sum.critical_path_level, checked_mul(times, most));
  sum.flops_max = std::max(sum.flops_max, most);
}

HomogeneousTotals totals_of(const std::vector<LevelRun>& runs, bool with_dead) {
  HomogeneousTotals sum;
  for (const LevelRun& run : runs) {
    for (std::size_t i = 0; i < run.cycle.size(); ++i) add_level(run.cycle[i], run.times(i), with_dead, sum);
  }
  return sum;
}

}  // namespace

HomogeneousChain fused_chain(std::uint64_t size, std::uint64_t steps) {
  return {.size = size, .elements = steps, .kinds = {ElementKind::dense}};
}

HomogeneousChain unfused_chain(std::uint64_t size, std::uint64_t steps) {
  return {.size = size, .elements = checked_mul(2, steps), .kinds = {ElementKind::diagonal, ElementKind::dense}};
}

HomogeneousReference homogeneous_reference(const HomogeneousChain& chain, unsigned value_bytes) {
  const BlockCounts counts(chain, value_bytes);
  HomogeneousReference reference;
  const std::uint64_t used = chain.elements - 1;  // no schedule needs a[n]
  for (std::size_t i = 0; i < chain.kinds.size(); ++i) {
    const std::uint64_t of_kind = (used + chain.kinds.size() - 1 - i) / chain.kinds.size();
    add_to(reference.build_values, checked_mul(of_kind, counts.nnz(counts.structure(i + 1, i + 1))));
  }
  reference.linear_flops = flops_of_products(reference.build_values);
  reference.build_bytes = checked_mul(value_bytes, reference.build_values);
  return reference;
}

HomogeneousProfile profile_homogeneous(const HomogeneousChain& chain, std::uint32_t depth, unsigned value_bytes) {
  HomogeneousProfile profile;
  profile.chain = chain;
  profile.value_bytes = value_bytes;
  const BlockCounts counts(profile.chain, value_bytes);
  profile.depth = std::min(depth, max_depth(chain.length()));
  profile.schedule = profile.depth == 0 ? "linear" : fmt::format("hybrid:{}", profile.depth);
  profile.runs = level_runs(counts, chain.elements, profile.depth);
  for (const LevelRun& run : profile.runs) {
    profile.levels += run.levels;
    for (const HomogeneousLevel& level : run.cycle) profile.widest = std::max(profile.widest, level.profile.ops);
  }
  profile.all = totals_of(profile.runs, true);
  profile.live = totals_of(profile.runs, false);
  const InScopes path = longest_homogeneous_path(counts, chain.elements, profile.depth, &OpRun::flops);
  profile.all.critical_path_dag = path.all;
  profile.live.critical_path_dag = path.live;
  const InScopes spans = longest_homogeneous_path(counts, chain.elements, profile.depth, &OpRun::span);
  profile.all.span_path = spans.all;
  profile.live.span_path = spans.live;
  const InScopes peak = homogeneous_peak_bytes(counts, chain.elements, profile.depth);
  profile.all.peak_live_bytes = peak.all;
  profile.live.peak_live_bytes = peak.live;
  return profile;
}

}  // namespace upsweep

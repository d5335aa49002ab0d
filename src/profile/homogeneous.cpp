#include "upsweep/profile/homogeneous.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "block_counts.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

/// A level of some runs; runs of no combine are left out.
HomogeneousLevel make_level(Phase phase, std::initializer_list<OpRun> runs) {
  HomogeneousLevel level;
  level.profile.phase = phase;
  for (const OpRun& run : runs) {
    if (run.count == 0) continue;
    level.runs.push_back(run);
    add_to(level.profile.ops, run.count);
    add_to(level.profile.flops_sum, checked_mul(run.count, run.flops));
    level.profile.flops_max = std::max(level.profile.flops_max, run.flops);
    add_to(level.nnz, checked_mul(run.count, run.nnz));
    add_to(level.bytes, checked_mul(run.count, run.bytes));
    if (run.is_mv) level.mv_ops += run.count;
    if (run.dead) level.dead_ops += run.count;
  }
  return level;
}

HomogeneousLevel up_level(const BlockCounts& counts, std::uint32_t d) {
  const OpRun last = counts.last_op(d);
  const std::uint64_t inner = counts.pairs(d) - 1 - last.count;
  return make_level(Phase::up, {counts.first_op(d), inner == 0 ? OpRun{} : counts.inner_ops(inner, d), last});
}

LevelRun middle_levels(const BlockCounts& counts, std::uint64_t elements, std::uint32_t depth) {
  LevelRun run{(elements >> depth) - 1, {}};
  for (std::uint64_t block = 1; block <= std::min<std::uint64_t>(run.levels, 2); ++block) {
    const OpRun op = counts.middle_op(block, depth);
    if (block == 1 || run.cycle.front().runs.front() != op) run.cycle.push_back(make_level(Phase::middle, {op}));
  }
  return run;
}

std::vector<LevelRun> level_runs(const BlockCounts& counts, std::uint64_t elements, std::uint32_t depth) {
  std::vector<LevelRun> runs;
  const auto add = [&](LevelRun run) {
    if (run.levels > 0 && run.cycle.front().profile.ops > 0) runs.push_back(std::move(run));
  };
  for (std::uint32_t d = 0; d < depth; ++d) add({1, {up_level(counts, d)}});
  add(middle_levels(counts, elements, depth));
  for (std::uint32_t d = depth; d-- > 0;) add({1, {make_level(Phase::down, {counts.down_ops(d)})}});
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

HomogeneousTotals totals_of(const HomogeneousProfile& profile, const BlockCounts& counts, bool with_dead) {
  HomogeneousTotals sum;
  for (const LevelRun& run : profile.runs) {
    for (std::size_t i = 0; i < run.cycle.size(); ++i)
      add_level(run.cycle[i], (run.levels - i + run.cycle.size() - 1) / run.cycle.size(), with_dead, sum);
  }
  sum.critical_path_dag = longest_homogeneous_path(counts, profile.chain.elements, profile.depth, with_dead);
  sum.peak_live_bytes = homogeneous_peak_bytes(counts, profile.chain.elements, profile.depth, with_dead);
  return sum;
}

}  // namespace

HomogeneousChain fused_chain(std::uint64_t size, std::uint64_t steps) { return {size, steps, {ElementKind::dense}}; }

HomogeneousChain unfused_chain(std::uint64_t size, std::uint64_t steps) {
  return {size, checked_mul(2, steps), {ElementKind::diagonal, ElementKind::dense}};
}

HomogeneousReference homogeneous_reference(const HomogeneousChain& chain, unsigned value_bytes) {
  const BlockCounts counts(chain, value_bytes);
  HomogeneousReference reference;
  const std::uint64_t used = chain.elements - 1;  // no schedule needs a[n]
  for (std::size_t i = 0; i < chain.kinds.size(); ++i) {
    const std::uint64_t of_kind = (used + chain.kinds.size() - 1 - i) / chain.kinds.size();
    add_to(reference.build_values, checked_mul(of_kind, counts.nnz(chain.kinds[i])));
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
  profile.all = totals_of(profile, counts, true);
  profile.live = totals_of(profile, counts, false);
  return profile;
}

}  // namespace upsweep

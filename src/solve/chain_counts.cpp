#include "upsweep/solve/chain_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "upsweep/base/checked.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

/// The couplings as a scan array: the loss gradient, J(l - 1)^T, ..., J(0)^T, and one more that no scan reads.
JacobianChain coupling_chain(const JacobianChain& chain, const SystemShape& shape) {
  JacobianChain couplings{shape.blocks.back().size, {}};
  for (std::size_t k = shape.couplings(); k > 0; --k) {
    couplings.jacobians.push_back(chain.jacobians.at(shape.blocks[k - 1].link.value()));
  }
  couplings.jacobians.push_back(
      std::make_shared<const Pattern>(Pattern::diagonal(static_cast<Index>(shape.blocks.front().size))));
  check_chain(couplings);
  return couplings;
}

void count_rows(const SystemShape& shape, ChainCounts& counts) {
  for (const BlockShape& block : shape.blocks) {
    add_to(counts.coupling_vector, block.link_nnz);
    add_to(counts.scaling_vector, block.scaling_nnz);
    counts.largest_row_vector = std::max(counts.largest_row_vector, block.link_nnz + block.scaling_nnz);
    if (block.scaling_nnz == 0) continue;
    add_to(counts.recursive_scaling, block.link_nnz);
    counts.scaling_largest = std::max(counts.scaling_largest, block.link_nnz);
  }
  const BlockShape& last = shape.blocks.back();
  const BlockShape& before = shape.blocks[shape.couplings() - 1];
  counts.recursive_vector = last.scaling_nnz;
  counts.right_side_vector = last.scaling_nnz + before.link_nnz + before.scaling_nnz;
}

/// A product of neighbours of the first level: C(k) of blocks k and k + 2.
void count_joint(const SystemShape& shape, std::size_t k, const OpProfile& op, ChainCounts& counts) {
  const BlockShape& inner = shape.blocks[k + 1];
  const std::uint64_t scaling = inner.scaling_nnz > 0 ? inner.link_nnz : 0;
  add_to(counts.splitting_matrix, checked_add(op.products, scaling));
  counts.splitting_largest = std::max(counts.splitting_largest, op.products + scaling);
  add_to(counts.halves[k % 2], checked_add(op.nnz, shape.blocks[k].scaling_nnz));
}

void count_products(const ScheduleProfile& profile, const SystemShape& shape, ChainCounts& counts) {
  const Schedule& schedule = profile.schedule;
  const std::vector<ValueRange> ranges = value_ranges(schedule);
  counts.recursive_levels.resize(schedule.levels);
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    const OpProfile& op = profile.ops[id];
    const std::uint32_t level = schedule.combines[id].level;
    add_to(op.is_mv ? counts.recursive_vector : counts.recursive_matrix, op.products);
    LongestProducts& level_longest = counts.recursive_levels[level];
    std::uint64_t& longest = op.is_mv ? level_longest.vector : level_longest.matrix;
    longest = std::max(longest, op.products);
    // Element i of the array is the coupling of block l - i.
    if (level == 0 && !op.is_mv) count_joint(shape, shape.couplings() - ranges[schedule.value_of(id)].last, op, counts);
  }
}

}  // namespace

std::uint64_t ChainCounts::substitution(std::uint64_t batch) const {
  return checked_mul(checked_add(coupling_vector, scaling_vector), batch);
}

std::uint64_t ChainCounts::splitting_work(std::uint64_t batch) const {
  const std::uint64_t vectors = checked_add(checked_add(halves[0], halves[1]), right_side_vector);
  return checked_add(splitting_matrix, checked_mul(vectors, batch));
}

std::uint64_t ChainCounts::splitting_time(std::uint64_t batch) const {
  const std::uint64_t vectors = checked_add(std::max(halves[0], halves[1]), right_side_vector);
  return checked_add(splitting_largest, checked_mul(vectors, batch));
}

std::uint64_t ChainCounts::recursive_work(std::uint64_t batch) const {
  return checked_add(checked_add(recursive_scaling, recursive_matrix), checked_mul(recursive_vector, batch));
}

std::uint64_t ChainCounts::recursive_time(std::uint64_t batch) const {
  std::uint64_t time = scaling_largest;
  for (const LongestProducts& level : recursive_levels) {
    add_to(time, std::max(level.matrix, checked_mul(level.vector, batch)));
  }
  return time;
}

double ChainCounts::effective_width() const {
  return static_cast<double>(splitting_matrix) / static_cast<double>(coupling_vector);
}

LayerSizes layer_sizes(const SystemShape& shape, std::uint64_t batch) {
  if (shape.blocks.size() < 2) {
    throw std::invalid_argument(
        fmt::format("a system of {} blocks, accepted are at least 2: one coupling", shape.blocks.size()));
  }
  LayerSizes sizes{{}, batch, 1};
  for (const BlockShape& block : shape.blocks) sizes.widths.push_back(block.size);
  return sizes;
}

ChainCounts count_chain(const JacobianChain& chain, const SystemShape& shape) {
  static_cast<void>(layer_sizes(shape, 1));
  ChainCounts counts;
  counts.layers = shape.couplings();
  count_rows(shape, counts);
  const JacobianChain couplings = coupling_chain(chain, shape);
  const auto profiles = profile_schedules({recursive_doubling_schedule(couplings.length())}, couplings, 4);
  count_products(profiles.front(), shape, counts);
  return counts;
}

}  // namespace upsweep

#include "upsweep/recurrent/pass_work.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "upsweep/base/checked.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/recurrent/block_bounds.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

/// An op of a pass.
struct Op {
  std::uint64_t flops = 0;
  std::uint64_t span = 0;
};

/// `sums` of `terms` products each.
Op op_of(std::uint64_t sums, std::uint64_t terms) {
  const std::uint64_t products = checked_mul(sums, terms);
  return {checked_mul(2, products), product_span(products, terms)};
}

/// Equal ops one after the other, in the levels first .. end - 1 of a phase.
struct Walk {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  Op op;
};

/// Appends the levels of walks that run at the same time.
void add_levels(const std::vector<Walk>& walks, SharedWork& work) {
  std::set<std::uint64_t> ends;  // of runs of equal levels
  for (const Walk& walk : walks) ends.insert({walk.first, walk.end});
  for (auto end = ends.begin(); end != ends.end() && std::next(end) != ends.end(); ++end) {
    SharedLevel level{*std::next(end) - *end, 0, 0};
    for (const Walk& walk : walks) {
      if (walk.first > *end || walk.end <= *end) continue;
      add_to(level.flops, walk.op.flops);
      level.span = std::max(level.span, walk.op.span);
    }
    add_to(work.flops, checked_mul(level.times, level.flops));
    work.levels.push_back(level);
  }
}

/// The ops of a cell's pass.
struct PassOps {
  explicit PassOps(const CellShape& cell)
      : formed(op_of(checked_mul(cell.hidden, cell.hidden), cell.gates())),
        step(op_of(cell.hidden, checked_mul(cell.gates(), cell.hidden))),
        vector(op_of(cell.hidden, cell.hidden)),
        product(op_of(checked_mul(cell.hidden, cell.hidden), cell.hidden)) {}

  Op formed;   ///< a Jacobian
  Op step;     ///< a vector through a step whose Jacobian is not formed
  Op vector;   ///< a vector times a Jacobian
  Op product;  ///< of two Jacobians
};

SharedWork sequential_work(std::uint64_t steps, const Op& step) {
  SharedWork work;
  add_levels({{0, steps, step}}, work);
  work.span_path = checked_mul(steps, step.span);
  return work;
}

SharedWork level_work(const PassShape& shape, std::uint32_t depth, const Op& formed) {
  const std::size_t hidden = shape.cell.hidden;
  const HomogeneousChain chain = shape.is_fused ? fused_chain(hidden, shape.steps) : unfused_chain(hidden, shape.steps);
  SharedWork work = shared_work(profile_homogeneous(chain, depth, sizeof(float)), Scope::all);
  if (!shape.is_fused) return work;  // the weights and the slopes are there
  const std::uint64_t flops = checked_mul(shape.steps, formed.flops);
  work.levels.insert(work.levels.begin(), {1, flops, formed.span});
  add_to(work.flops, flops);
  add_to(work.span_path, formed.span);
  return work;
}

SharedWork block_work(const PassShape& shape, const BlockOptions& options, const PassOps& ops) {
  const std::vector<std::size_t> times = block_times(shape.steps, options);
  const std::size_t blocks = times.size() - 1;
  const std::size_t reduced = reduced_blocks(times);
  const auto length = [&](std::size_t block) { return std::uint64_t{times[block] - times[block + 1]}; };
  const Op& vector = options.store_jacobians ? ops.vector : ops.step;
  SharedWork work;
  if (options.store_jacobians)
    add_levels({{0, 1, {checked_mul(shape.steps, ops.formed.flops), ops.formed.span}}}, work);
  std::vector<Walk> up = {{0, length(0), vector}};
  std::vector<Walk> down;
  // When the gradient before each block is there at the earliest, and the last of all.
  std::uint64_t ready = checked_add(options.store_jacobians ? ops.formed.span : 0, checked_mul(length(0), vector.span));
  for (std::size_t block = 1; block <= reduced; ++block) {
    const std::uint64_t steps = length(block);
    Op step = ops.product;
    if (!options.store_jacobians) {
      up.push_back({0, 1, ops.formed});
      step = {checked_add(step.flops, ops.formed.flops), checked_add(step.span, ops.formed.span)};
    }
    if (steps > 1) up.push_back({1, steps, step});
    down.push_back({0, steps - 1, vector});
    work.span_path = std::max(work.span_path, checked_add(ready, checked_mul(steps - 1, vector.span)));
    const std::uint64_t reduction = checked_add(ops.formed.span, checked_mul(steps - 1, ops.product.span));
    ready = checked_add(std::max(ready, reduction), ops.vector.span);
  }
  add_levels(up, work);
  if (reduced > 0) add_levels({{0, reduced, ops.vector}}, work);
  if (blocks > 1) {
    down.push_back({0, length(blocks - 1), vector});
    add_to(ready, checked_mul(length(blocks - 1), vector.span));
  }
  std::erase_if(down, [](const Walk& walk) { return walk.first == walk.end; });
  add_levels(down, work);
  work.span_path = std::max(work.span_path, ready);
  return work;
}

}  // namespace

SharedWork shared_work(const PassShape& shape, const BackwardMethod& method) {
  const PassOps ops(shape.cell);
  switch (method.kind) {
    case BackwardKind::sequential:
      return sequential_work(shape.steps, ops.step);
    case BackwardKind::levels:
      return level_work(shape, method.depth, ops.formed);
    case BackwardKind::blocked:
      break;
  }
  return block_work(shape, method.blocks, ops);
}

}  // namespace upsweep

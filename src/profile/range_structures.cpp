#include "range_structures.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace upsweep {

const std::shared_ptr<const Pattern>& RangeStructures::element(std::uint32_t position) const {
  return chain_.jacobians[position - 1];
}

/// Without the last elements that have at most one entry per row, which select rows, and the first that are diagonals,
/// which rename nothing; at least one element.
ValueRange RangeStructures::core(ValueRange range) const {
  while (range.last > range.first && element(range.last)->max_row_nnz() <= 1) --range.last;
  while (range.first < range.last && element(range.first)->is_full_diagonal()) ++range.first;
  return range;
}

bool RangeStructures::is_there(ValueRange core) const { return core.first == core.last || nodes_.contains(key(core)); }

void RangeStructures::need(ValueRange range) {
  const ValueRange mine = core(range);
  if (mine.first == mine.last) return;
  Node& node = nodes_[key(mine)];
  node.range = mine;
  ++node.uses;
}

void RangeStructures::choose_splits() {
  for (auto& entry : nodes_) {
    Node& node = entry.second;
    // The work grows with the entries of the later operand: the shorter it is, the sparser.
    std::uint32_t split = node.range.last;
    const auto operands_are_there = [&] {
      return is_there(core({node.range.first, split})) && is_there(core({split + 1, node.range.last}));
    };
    do {
      if (split == node.range.first) {
        throw std::logic_error(
            fmt::format("no operands of the product over [{}, {}] are known", node.range.first, node.range.last));
      }
      --split;
    } while (!operands_are_there());
    node.split = split;
  }
  for (const auto& entry : nodes_) {
    const Node& node = entry.second;
    need({node.range.first, node.split});
    need({node.split + 1, node.range.last});
  }
}

/// Multiplies the operands of a node, which it uses, however it ends. Refuses what was refused before.
Product RangeStructures::compute(Node& node, Keep keep, WorkMeter* meter) {
  if (node.refusal) throw RefusedProduct(*node.refusal);
  const ValueRange earlier{node.range.first, node.split};
  const ValueRange later{node.split + 1, node.range.last};
  node.is_made = true;
  std::shared_ptr<const Pattern> x;
  try {
    x = take(later, meter);
  } catch (const RefusedProduct& refusal) {
    node.refusal = refusal;
    forgo(earlier);
    throw;
  }
  try {
    return multiply(x, take(earlier, meter), keep, meter);
  } catch (const RefusedProduct& refusal) {
    node.refusal = refusal;
  } catch (const WorkLimitReached& limit) {
    node.refusal = RefusedProduct(node.range, false, limit.steps());
  } catch (const OutOfRoom& room) {
    node.refusal = RefusedProduct(node.range, true, room.held());
  }
  throw RefusedProduct(*node.refusal);
}

/// After a use; at the last one, frees what is no longer needed.
void RangeStructures::release(Node& node) {
  if (--node.uses > 0) return;
  node.structure.reset();
  if (std::exchange(node.is_made, true)) return;
  forgo({node.range.first, node.split});
  forgo({node.split + 1, node.range.last});
}

void RangeStructures::forgo(ValueRange range) {
  const ValueRange mine = core(range);
  if (mine.first != mine.last) release(nodes_.at(key(mine)));
}

std::shared_ptr<const Pattern> RangeStructures::take(ValueRange range, WorkMeter* meter) {
  const ValueRange mine = core(range);
  std::shared_ptr<const Pattern> structure = element(mine.first);
  if (mine.first != mine.last) {
    Node& node = nodes_.at(key(mine));
    try {
      if (!node.structure) node.structure = compute(node, Keep::structure, meter).pattern;
    } catch (const RefusedProduct&) {
      release(node);
      throw;
    }
    structure = node.structure;
    release(node);
  }
  try {
    for (std::uint32_t position = mine.last + 1; position <= range.last; ++position)
      structure = multiply(element(position), structure, Keep::structure, meter).pattern;
  } catch (const WorkLimitReached& limit) {
    throw RefusedProduct(range, false, limit.steps());
  } catch (const OutOfRoom& room) {
    throw RefusedProduct(range, true, room.held());
  }
  return structure;
}

RangeStructures::Summary RangeStructures::summary(ValueRange range, WorkMeter* meter) {
  const auto found = nodes_.find(key(range));
  if (found != nodes_.end() && !found->second.structure && !found->second.refusal) {
    Node& node = found->second;
    try {
      Product product = compute(node, node.uses > 1 ? Keep::structure : Keep::counts, meter);
      node.structure = std::move(product.pattern);
      release(node);
      return {product.nnz, product.max_row_nnz, product.vector_steps};
    } catch (const RefusedProduct&) {
      release(node);
      throw;
    }
  }
  const std::shared_ptr<const Pattern> structure = take(range, meter);
  return {structure->nnz(), structure->max_row_nnz(), steps_with_dense_vector(*structure)};
}

}  // namespace upsweep

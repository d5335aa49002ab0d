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

Product RangeStructures::compute(const Node& node, Keep keep) {
  const std::shared_ptr<const Pattern> later = take({node.split + 1, node.range.last});
  return multiply(later, take({node.range.first, node.split}), keep);
}

std::shared_ptr<const Pattern> RangeStructures::take(ValueRange range) {
  const ValueRange mine = core(range);
  std::shared_ptr<const Pattern> structure = element(mine.first);
  if (mine.first != mine.last) {
    Node& node = nodes_.at(key(mine));
    if (!node.structure) node.structure = compute(node, Keep::structure).pattern;
    structure = node.structure;
    if (--node.uses == 0) node.structure.reset();
  }
  for (std::uint32_t position = mine.last + 1; position <= range.last; ++position)
    structure = multiply(element(position), structure, Keep::structure).pattern;
  return structure;
}

RangeStructures::Summary RangeStructures::summary(ValueRange range) {
  const auto found = nodes_.find(key(range));
  if (found != nodes_.end() && !found->second.structure) {
    Node& node = found->second;
    Product product = compute(node, node.uses > 1 ? Keep::structure : Keep::counts);
    node.structure = std::move(product.pattern);
    --node.uses;
    return {product.nnz, product.max_row_nnz, product.vector_steps};
  }
  const std::shared_ptr<const Pattern> structure = take(range);
  return {structure->nnz(), structure->max_row_nnz(), steps_with_dense_vector(*structure)};
}

}  // namespace upsweep

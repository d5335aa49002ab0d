#include "upsweep/solve/system_shape.hpp"

#include <algorithm>

#include "upsweep/base/checked.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {

std::uint64_t SystemShape::unknowns() const {
  std::uint64_t sum = 0;
  for (const BlockShape& block : blocks) add_to(sum, block.size);
  return sum;
}

std::uint64_t SystemShape::flops(std::size_t block) const {
  return flops_of_products(checked_add(blocks[block].link_nnz, blocks[block].scaling_nnz));
}

std::uint64_t SystemShape::flops() const {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < blocks.size(); ++k) add_to(sum, flops(k));
  return sum;
}

bool is_diagonal(const Pattern& pattern) {
  if (pattern.is_full_diagonal()) return true;
  if (pattern.rows() != pattern.cols() || pattern.max_row_nnz() > 1) return false;
  for (Index r = 0; r < pattern.rows(); ++r) {
    bool is_in_place = true;
    pattern.row(r).for_each([&](Index column) { is_in_place = column == r; });
    if (!is_in_place) return false;
  }
  return true;
}

SystemShape system_shape(const JacobianChain& chain, SystemForm form) {
  check_chain(chain);
  const std::size_t n = chain.jacobians.size();
  SystemShape shape;
  BlockShape block;
  block.activation = n;
  block.size = chain.gradient_length;
  for (std::size_t i = 0; i + 1 < n; ++i) {  // the last one leads to the input of the network
    const Pattern& pattern = *chain.jacobians[i];
    if (form == SystemForm::scaled && is_diagonal(pattern)) {
      block.scaling.push_back(i);
      add_to(block.scaling_nnz, pattern.nnz());
    } else {
      shape.blocks.push_back(std::move(block));
      block = {};
      block.size = pattern.rows();
      block.link = i;
      block.link_nnz = pattern.nnz();
    }
    block.activation = n - 1 - i;
  }
  shape.blocks.push_back(std::move(block));
  std::ranges::reverse(shape.blocks);
  return shape;
}

}  // namespace upsweep

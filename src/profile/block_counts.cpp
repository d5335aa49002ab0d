#include "block_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "block_structure.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/sparse/pattern.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 40;

void check_kinds(const HomogeneousChain& chain) {
  if (chain.kinds.empty() || chain.kinds.size() > 2)
    throw std::invalid_argument(fmt::format("a chain of {} kinds of matrices, expected 1 or 2", chain.kinds.size()));
  for (const ElementKind kind : chain.kinds) {
    const bool stands_alone = kind == ElementKind::banded || kind == ElementKind::uniform;
    if (stands_alone && chain.kinds.size() > 1)
      throw std::invalid_argument("a chain of banded or uniform matrices and another kind, expected that kind alone");
  }
}

void check(const HomogeneousChain& chain, unsigned value_bytes) {
  if (chain.size == 0) throw std::invalid_argument("a chain of matrices of size 0, expected at least 1");
  if (chain.elements == 0 || chain.elements > kMostElements) {
    throw std::invalid_argument(fmt::format("a chain of {} matrices, expected 1 to {}", chain.elements, kMostElements));
  }
  check_kinds(chain);
  if (chain.kinds.front() == ElementKind::banded && chain.half_bandwidth >= chain.size) {
    throw std::invalid_argument(fmt::format("banded matrices of size {} and half bandwidth {}, expected 0 to {}",
                                            chain.size, chain.half_bandwidth, chain.size - 1));
  }
  if (chain.kinds.front() == ElementKind::uniform && !(chain.density > 0 && chain.density <= 1)) {
    throw std::invalid_argument(
        fmt::format("uniform matrices of density {}, expected more than 0 and at most 1", chain.density));
  }
  if (value_bytes != 4 && value_bytes != 8)
    throw std::invalid_argument(fmt::format("values of {} bytes, expected 4 or 8", value_bytes));
}

}  // namespace

BlockCounts::BlockCounts(const HomogeneousChain& chain, unsigned value_bytes)
    : chain_(chain), value_bytes_(value_bytes) {
  check(chain, value_bytes);
  product_kind_ = chain.kinds.front();
  if (chain.kinds.back() == ElementKind::dense) product_kind_ = ElementKind::dense;
  if (product_kind_ == ElementKind::uniform) products_ = uniform_products(chain.size, chain.density);
}

BlockStructure BlockCounts::structure(std::uint64_t first, std::uint64_t last) const {
  BlockStructure structure;
  structure.kind = first == last ? chain_.kinds[(first - 1) % chain_.kinds.size()] : product_kind_;
  if (structure.kind == ElementKind::banded) {
    const std::uint64_t length = last - first + 1;
    const std::uint64_t half = chain_.half_bandwidth;
    const bool fits = half == 0 || length <= (chain_.size - 1) / half;
    structure.half_bandwidth = fits ? length * half : chain_.size - 1;
  }
  if (structure.kind == ElementKind::uniform) {
    const UniformProducts::Figures figures = products_->of(last - first + 1);
    structure.density = figures.density;
    structure.rows = figures.rows;
    structure.span = figures.span;
  }
  return structure;
}

std::uint64_t BlockCounts::nnz(const BlockStructure& structure) const { return structure_nnz(structure, chain_.size); }

std::uint64_t BlockCounts::bytes(const BlockStructure& structure) const {
  return csr_bytes(chain_.size, nnz(structure), value_bytes_);
}

std::uint64_t BlockCounts::vector_bytes() const { return checked_mul(value_bytes_, chain_.size); }

OpRun BlockCounts::vector_ops(std::uint64_t count, std::uint64_t first, std::uint64_t last) const {
  OpRun run;
  run.count = count;
  run.is_mv = true;
  run.later = structure(first, last);
  run.flops = flops_of_products(nnz(run.later));
  run.span = structure_span(run.later, run.flops / 2, chain_.size);
  run.nnz = chain_.size;
  run.bytes = vector_bytes();
  return run;
}

OpRun BlockCounts::matrix_ops(std::uint64_t count, std::uint64_t first, std::uint64_t split, std::uint64_t last) const {
  OpRun run;
  run.count = count;
  run.earlier = structure(first, split);
  run.later = structure(split + 1, last);
  run.flops = flops_of_products(structure_products(run.earlier, run.later, chain_.size));
  run.span = structure_span(run.later, run.flops / 2, chain_.size);
  run.nnz = nnz(structure(first, last));
  run.bytes = csr_bytes(chain_.size, run.nnz, value_bytes_);
  return run;
}

std::uint64_t BlockCounts::pairs(std::uint32_t d) const {
  return ((chain_.elements - (std::uint64_t{1} << d)) >> (d + 1)) + 1;
}

OpRun BlockCounts::first_op(std::uint32_t d) const {
  const std::uint64_t half = std::uint64_t{1} << d;
  return vector_ops(1, half, 2 * half - 1);
}

OpRun BlockCounts::inner_ops(std::uint64_t count, std::uint32_t d) const {
  const std::uint64_t half = std::uint64_t{1} << d;
  return matrix_ops(count, 2 * half, 3 * half - 1, 4 * half - 1);
}

bool BlockCounts::has_last_op(std::uint32_t d) const {
  // Its first half is there and its second half ends with a[n], but does not stand behind block 0.
  const std::uint64_t pair = std::uint64_t{2} << d;
  const std::uint64_t first = (pairs(d) - 1) * pair;
  return first > 0 && first + pair - 1 >= chain_.elements;
}

OpRun BlockCounts::last_op(std::uint32_t d) const {
  if (!has_last_op(d)) return {};
  const std::uint64_t half = std::uint64_t{1} << d;
  const std::uint64_t first = (pairs(d) - 1) * 2 * half;
  OpRun op = matrix_ops(1, first, first + half - 1, chain_.elements);
  op.dead = true;
  return op;
}

OpRun BlockCounts::down_ops(std::uint32_t d) const {
  const std::uint64_t half = std::uint64_t{1} << d;
  return vector_ops(pairs(d) - 1, 2 * half, 3 * half - 1);
}

OpRun BlockCounts::middle_op(std::uint64_t block, std::uint32_t depth) const {
  return vector_ops(1, block << depth, ((block + 1) << depth) - 1);
}

}  // namespace upsweep

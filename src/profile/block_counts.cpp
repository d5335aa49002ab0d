#include "block_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/sparse/pattern.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 40;

void check(const HomogeneousChain& chain, unsigned value_bytes) {
  if (chain.size == 0) throw std::invalid_argument("a chain of matrices of size 0, expected at least 1");
  if (chain.elements == 0 || chain.elements > kMostElements) {
    throw std::invalid_argument(fmt::format("a chain of {} matrices, expected 1 to {}", chain.elements, kMostElements));
  }
  if (chain.kinds.empty() || chain.kinds.size() > 2)
    throw std::invalid_argument(fmt::format("a chain of {} kinds of matrices, expected 1 or 2", chain.kinds.size()));
  if (value_bytes != 4 && value_bytes != 8)
    throw std::invalid_argument(fmt::format("values of {} bytes, expected 4 or 8", value_bytes));
}

}  // namespace

BlockCounts::BlockCounts(const HomogeneousChain& chain, unsigned value_bytes)
    : chain_(chain), value_bytes_(value_bytes) {
  check(chain, value_bytes);
}

ElementKind BlockCounts::kind(std::uint64_t first, std::uint64_t last) const {
  if (first == last) return chain_.kinds[(first - 1) % chain_.kinds.size()];
  const bool any_dense = std::ranges::find(chain_.kinds, ElementKind::dense) != chain_.kinds.end();
  return any_dense ? ElementKind::dense : ElementKind::diagonal;
}

std::uint64_t BlockCounts::nnz(ElementKind kind) const {
  return kind == ElementKind::dense ? checked_mul(chain_.size, chain_.size) : chain_.size;
}

std::uint64_t BlockCounts::bytes(ElementKind kind) const { return csr_bytes(chain_.size, nnz(kind), value_bytes_); }

std::uint64_t BlockCounts::vector_bytes() const { return checked_mul(value_bytes_, chain_.size); }

OpRun BlockCounts::vector_ops(std::uint64_t count, std::uint64_t first, std::uint64_t last) const {
  const std::uint64_t flops = flops_of_products(nnz(kind(first, last)));
  return {.count = count, .is_mv = true, .dead = false, .flops = flops, .nnz = chain_.size, .bytes = vector_bytes()};
}

OpRun BlockCounts::matrix_ops(std::uint64_t count, std::uint64_t first, std::uint64_t split, std::uint64_t last) const {
  const ElementKind earlier = kind(first, split);
  const ElementKind later = kind(split + 1, last);
  // An entry of a diagonal meets the entries of one row; an entry of a dense matrix those of a whole row.
  std::uint64_t products = nnz(earlier);
  if (later == ElementKind::dense)
    products = earlier == ElementKind::dense ? checked_mul(nnz(later), chain_.size) : nnz(later);
  const ElementKind result = kind(first, last);
  return {.count = count,
          .is_mv = false,
          .dead = false,
          .flops = flops_of_products(products),
          .nnz = nnz(result),
          .bytes = bytes(result)};
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

OpRun BlockCounts::last_op(std::uint32_t d) const {
  const std::uint64_t half = std::uint64_t{1} << d;
  const std::uint64_t first = (pairs(d) - 1) * 2 * half;
  if (first == 0 || first + 2 * half - 1 < chain_.elements) return {};
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

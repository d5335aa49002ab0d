#include "block_structure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "upsweep/base/checked.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

__extension__ using Wide = unsigned __int128;

std::uint64_t narrowed(Wide count) {
  if (count > std::numeric_limits<std::uint64_t>::max()) throw CountOverflow();
  return static_cast<std::uint64_t>(count);
}

/// At least 1: simulations know no combine without work.
std::uint64_t rounded(double expected) {
  if (!(expected < 0x1p64)) throw CountOverflow();
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::round(expected)));
}

/// value / 6; a division of 128 bits takes longer than all else here.
Wide sixth(Wide value) {
  const auto low = static_cast<std::uint64_t>(value);
  return low == value ? low / 6 : value / 6;
}

std::uint64_t banded_nnz(std::uint64_t half, std::uint64_t size) {
  // Every row has more than `half` entries: past this line the terms below fit into 128 bits.
  static_cast<void>(checked_mul(size, checked_add(half, 1)));
  const Wide b = half;
  return narrowed(Wide{size} * (2 * b + 1) - b * (b + 1));
}

// Row k, and column k, of a band with half bandwidth b has 2b + 1 - u_b - v_b entries, where u_b = max(0, b - k) and
// v_b = max(0, b - (h - 1 - k)) are cut off at the two ends. Multiplied out, for a <= b: Σ u_b = Σ v_b = b (b + 1) / 2;
// u_a·u_b and v_a·v_b have the sum of j · (j + b - a), j = 0 .. a; u_a·v_b and v_a·u_b that of t · (s - t), t = 0 .. s,
// with s = a + b - (h - 1), where the ends meet.
std::uint64_t banded_products(std::uint64_t x, std::uint64_t y, std::uint64_t size) {
  // Again every row and column has more than its half bandwidth.
  static_cast<void>(checked_mul(size, checked_mul(checked_add(x, 1), checked_add(y, 1))));
  const Wide a = std::min(x, y);
  const Wide b = std::max(x, y);
  const Wide last = size - 1;
  const Wide same_end = sixth(a * (a + 1) * (2 * a + 1)) + (b - a) * a * (a + 1) / 2;
  const Wide s = a + b > last ? a + b - last : 0;
  const Wide both_ends = s == 0 ? 0 : sixth((s - 1) * s * (s + 1));
  return narrowed(Wide{size} * (2 * a + 1) * (2 * b + 1) + 2 * (same_end + both_ends) - (2 * a + 1) * b * (b + 1) -
                  (2 * b + 1) * a * (a + 1));
}

}  // namespace

std::uint64_t structure_nnz(const BlockStructure& structure, std::uint64_t size) {
  switch (structure.kind) {
    case ElementKind::dense:
      return checked_mul(size, size);
    case ElementKind::diagonal:
      return size;
    case ElementKind::banded:
      return banded_nnz(structure.half_bandwidth, size);
    case ElementKind::uniform:
      break;
  }
  const auto h = static_cast<double>(size);
  return rounded(h * h * structure.density);
}

std::uint64_t structure_span(const BlockStructure& later, std::uint64_t products, std::uint64_t size) {
  std::uint64_t most = 1;  // entries in a row
  switch (later.kind) {
    case ElementKind::dense:
      most = size;
      break;
    case ElementKind::diagonal:
      break;
    case ElementKind::banded:
      most = later.half_bandwidth > (size - 1) / 2 ? size : 2 * later.half_bandwidth + 1;
      break;
    case ElementKind::uniform:
      return std::min(flops_of_products(products), rounded(later.span));
  }
  return product_span(products, most);
}

std::uint64_t structure_rows(const BlockStructure& structure, std::uint64_t size) {
  if (structure.kind != ElementKind::uniform) return size;
  return rounded(static_cast<double>(size) * structure.rows);
}

std::uint64_t structure_products(const BlockStructure& earlier, const BlockStructure& later, std::uint64_t size) {
  if (earlier.kind == ElementKind::uniform) {
    const auto h = static_cast<double>(size);
    return rounded(h * h * h * earlier.density * later.density);
  }
  if (earlier.kind == ElementKind::banded) return banded_products(earlier.half_bandwidth, later.half_bandwidth, size);
  // An entry of a diagonal meets the entries of one row; an entry of a dense matrix those of a whole row.
  if (later.kind == ElementKind::diagonal) return structure_nnz(earlier, size);
  const std::uint64_t entries = structure_nnz(later, size);
  return earlier.kind == ElementKind::diagonal ? entries : checked_mul(entries, size);
}

}  // namespace upsweep

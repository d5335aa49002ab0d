#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "upsweep/base/checked.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/network/random.hpp"
#include "upsweep/profile/homogeneous.hpp"

namespace upsweep {
namespace explicit_parts {

using PatternPtr = std::shared_ptr<const Pattern>;

inline constexpr std::uint64_t kMostPlaces = std::uint64_t{1} << 31;

/// Places for entries of the different patterns of a chain. Throws CountOverflow.
inline std::uint64_t places(const HomogeneousChain& chain) {
  if (!chain.is_exact()) return checked_mul(chain.elements, checked_mul(chain.size, chain.size));
  std::uint64_t sum = 0;
  for (const ElementKind kind : chain.kinds) {
    add_to(sum, kind == ElementKind::diagonal ? chain.size : checked_mul(chain.size, chain.size));
  }
  return sum;
}

inline void check_size(const HomogeneousChain& chain) {
  static_cast<void>(homogeneous_reference(chain, 4));
  if (const std::uint64_t all = places(chain); all > kMostPlaces) {
    throw std::invalid_argument(
        fmt::format("the patterns of the chain have {} places for entries, expected at most {}", all, kMostPlaces));
  }
  if (chain.elements > kMostPlaces) {
    throw std::invalid_argument(
        fmt::format("an explicit chain of {} matrices, expected at most {}", chain.elements, kMostPlaces));
  }
}

/// The entries at most `half` off the diagonal; rows with all columns are one stored row.
inline PatternPtr banded(Index size, Index half) {
  CsrPattern different{0, size, {0}, {}};
  std::vector<Index> numbers;
  Index full = Pattern::kEmptyRow;
  for (Index r = 0; r < size; ++r) {
    const Index first = r - std::min(r, half);
    const Index last = r + std::min(half, size - 1 - r);
    const bool is_full = first == 0 && last == size - 1;
    if (is_full && full != Pattern::kEmptyRow) {
      numbers.push_back(full);
      continue;
    }
    if (is_full) full = different.rows;
    numbers.push_back(different.rows++);
    for (Index c = first; c <= last; ++c) different.indices.push_back(c);
    different.indptr.push_back(different.indices.size());
  }
  const Pattern stored = Pattern::from_csr(different);
  return std::make_shared<const Pattern>(size, size, std::move(numbers), stored.store());
}

/// Element k of a uniform chain.
inline PatternPtr uniform(Index size, double density, const UniformStream& random, std::uint64_t k) {
  CsrPattern csr{size, size, {0}, {}};
  std::uint64_t place = k * size * size;
  for (Index r = 0; r < size; ++r) {
    for (Index c = 0; c < size; ++c) {
      if (random(place++) < density) csr.indices.push_back(c);
    }
    csr.indptr.push_back(csr.indices.size());
  }
  return std::make_shared<const Pattern>(Pattern::from_csr(csr));
}

inline PatternPtr element(const HomogeneousChain& chain, ElementKind kind) {
  const auto size = static_cast<Index>(chain.size);
  if (kind == ElementKind::diagonal) return std::make_shared<const Pattern>(Pattern::diagonal(size));
  return banded(size, kind == ElementKind::dense ? size - 1 : static_cast<Index>(chain.half_bandwidth));
}

}  // namespace explicit_parts

/// A homogeneous chain, element by element, for what closed forms are compared with. The entries of a uniform chain are
/// drawn from `seed`, the same on every machine; the other kinds do not need it.
///
/// Equal elements share a pattern. Rows with the same columns are stored once in dense and banded patterns, as
/// homogeneous_op() counts them; those of a uniform chain are rows of their own.
/// Throws like homogeneous_reference(); std::invalid_argument where the different patterns would have more than 2^31
/// places for entries together, or the chain more than 2^31 elements. Cost: O(size² · different patterns + elements).
inline JacobianChain explicit_chain(const HomogeneousChain& chain, std::uint64_t seed) {
  explicit_parts::check_size(chain);
  JacobianChain made{chain.size, {}};
  made.jacobians.reserve(chain.elements);
  if (!chain.is_exact()) {
    const UniformStream random(seed, "uniform chain");
    for (std::uint64_t k = 0; k < chain.elements; ++k)
      made.jacobians.push_back(explicit_parts::uniform(static_cast<Index>(chain.size), chain.density, random, k));
    return made;
  }
  std::vector<explicit_parts::PatternPtr> patterns;
  for (const ElementKind kind : chain.kinds) patterns.push_back(explicit_parts::element(chain, kind));
  for (std::uint64_t k = 0; k < chain.elements; ++k) made.jacobians.push_back(patterns[k % patterns.size()]);
  return made;
}

}  // namespace upsweep

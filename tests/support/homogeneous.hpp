#pragma once

#include <memory>
#include <vector>

#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep::testing {

/// The same chain, element by element.
inline JacobianChain explicit_chain(const HomogeneousChain& chain) {
  const auto size = static_cast<Index>(chain.size);
  const auto diagonal = std::make_shared<const Pattern>(Pattern::diagonal(size));
  CsrPattern csr{size, size, {0}, {}};
  for (Index r = 0; r < size; ++r) {
    for (Index c = 0; c < size; ++c) csr.indices.push_back(c);
    csr.indptr.push_back(csr.indices.size());
  }
  const auto dense = std::make_shared<const Pattern>(Pattern::from_csr(csr));
  JacobianChain explicit_chain{chain.size, {}};
  for (std::uint64_t k = 0; k < chain.elements; ++k) {
    const bool is_dense = chain.kinds[k % chain.kinds.size()] == ElementKind::dense;
    explicit_chain.jacobians.push_back(is_dense ? dense : diagonal);
  }
  return explicit_chain;
}

/// Profiles of all depths by the explicit machinery.
inline std::vector<ScheduleProfile> explicit_profiles(const HomogeneousChain& chain, unsigned value_bytes) {
  std::vector<Schedule> schedules;
  for (std::uint32_t depth = 0; depth <= max_depth(chain.length()); ++depth)
    schedules.push_back(hybrid_schedule(chain.length(), depth));
  return profile_schedules(std::move(schedules), explicit_chain(chain), value_bytes);
}

/// All patterns of kinds of period 1 and 2.
inline std::vector<std::vector<ElementKind>> all_kinds() {
  constexpr ElementKind kDense = ElementKind::dense;
  constexpr ElementKind kDiagonal = ElementKind::diagonal;
  return {{kDense}, {kDiagonal}, {kDiagonal, kDense}, {kDense, kDiagonal}, {kDense, kDense}, {kDiagonal, kDiagonal}};
}

}  // namespace upsweep::testing

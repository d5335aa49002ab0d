#pragma once

#include <memory>
#include <vector>

#include "support/explicit_chain.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep::testing {

/// The same chain, element by element; uniform ones from a fixed seed.
inline JacobianChain explicit_chain(const HomogeneousChain& chain) { return upsweep::explicit_chain(chain, 1); }

/// hybrid_schedule() of every depth.
inline std::vector<Schedule> all_depths(const HomogeneousChain& chain) {
  std::vector<Schedule> schedules;
  for (std::uint32_t depth = 0; depth <= max_depth(chain.length()); ++depth)
    schedules.push_back(hybrid_schedule(chain.length(), depth));
  return schedules;
}

/// Profiles of all depths by the explicit machinery.
inline std::vector<ScheduleProfile> explicit_profiles(const HomogeneousChain& chain, unsigned value_bytes) {
  return profile_schedules(all_depths(chain), explicit_chain(chain), value_bytes);
}

/// All patterns of kinds of period 1 and 2, of those that stand together.
inline std::vector<std::vector<ElementKind>> all_kinds() {
  constexpr ElementKind kDense = ElementKind::dense;
  constexpr ElementKind kDiagonal = ElementKind::diagonal;
  return {{kDense}, {kDiagonal}, {kDiagonal, kDense}, {kDense, kDiagonal}, {kDense, kDense}, {kDiagonal, kDiagonal}};
}

/// A chain of banded matrices.
inline HomogeneousChain banded_chain(std::uint64_t size, std::uint64_t half_bandwidth, std::uint64_t elements) {
  return {.size = size, .elements = elements, .kinds = {ElementKind::banded}, .half_bandwidth = half_bandwidth};
}

/// A chain of matrices in which every entry is there with probability `density`.
inline HomogeneousChain uniform_chain(std::uint64_t size, double density, std::uint64_t elements) {
  return {.size = size, .elements = elements, .kinds = {ElementKind::uniform}, .density = density};
}

}  // namespace upsweep::testing

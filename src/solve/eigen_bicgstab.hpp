#pragma once

#include <cstddef>
#include <vector>

#include "grouped_product.hpp"

namespace upsweep {

/// What Eigen's BiCGStab came to.
template <class T>
struct EigenRun {
  std::vector<T> v;
  std::size_t iterations = 0;       ///< done, those before a restart included (Eigen's own count forgets them)
  std::size_t products = 0;         ///< with the matrix
  bool claims_convergence = false;  ///< by the residual that it carries along
};

/// Runs it on the system scaled by its groups, v - M v = c, without a matrix. `tolerance` is relative to c.
///
/// Eigen stops after `most` iterations counted from its first restart. Numbers of `v` may be NaN where it breaks down.
template <class T>
[[nodiscard]] EigenRun<T> eigen_bicgstab(const GroupedProduct<T>& grouped, const std::vector<T>& start,
                                         std::size_t most, double tolerance);

}  // namespace upsweep

#pragma once

#include <span>
#include <vector>

#include "upsweep/solve/backward_system.hpp"

namespace upsweep {

/// Norms of what a vector leaves of the right side, and what rounding leaves of a right solution.
struct ResidualNorms {
  double max = 0;    ///< largest absolute element
  double two = 0;    ///< Euclidean
  double level = 0;  ///< the largest that `max` is where every row is as right as its type allows
};

/// c - A v of a backward system.
struct Residual {
  std::vector<ResidualNorms> blocks;  ///< by block
  ResidualNorms whole;
  double right_side = 0;  ///< Euclidean norm of c

  /// |c - A v| / |c| in the Euclidean norm; 0 where both are 0.
  [[nodiscard]] double relative() const;
};

/// The residual of `v`, computed in a wider type than T (fp32 in fp64, fp64 in x86's 80 bits where there are any), so
/// that it does not repeat the rounding of the solver: the oracle for every solver of the system.
///
/// Shapes: `v` one vector of unknowns. T is float or double.
/// Level of a block: the largest Σ|terms| of a row times γ = m·u / (1 - m·u), m the row's entries + 2 roundings (Higham
/// 2002, Lemma 3.1), plus m underflows. Of the whole: the largest of the blocks.
/// Cost: one product with A. The result does not depend on the number of threads.
template <class T>
[[nodiscard]] Residual residual(const BackwardSystem<T>& system, std::span<const T> v);

}  // namespace upsweep

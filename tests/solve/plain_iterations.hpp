#pragma once

#include "upsweep/solve/iterate.hpp"

namespace upsweep::testing {

// hybrid_solve() without groups, by method.

template <class T>
IterativeSolution<T> jacobi(const BackwardSystem<T>& system, const IterateSettings<T>& settings) {
  return hybrid_solve(system, 1, SolveMethod::jacobi, settings);
}
template <class T>
IterativeSolution<T> richardson(const BackwardSystem<T>& system, const IterateSettings<T>& settings) {
  return hybrid_solve(system, 1, SolveMethod::richardson, settings);
}
template <class T>
IterativeSolution<T> bicgstab(const BackwardSystem<T>& system, const IterateSettings<T>& settings) {
  return hybrid_solve(system, 1, SolveMethod::bicgstab, settings);
}

}  // namespace upsweep::testing

#pragma once

#include <cstddef>

#include "upsweep/solve/iterate.hpp"

namespace upsweep {

/// Solves groups of `group` consecutive blocks directly, by substitution, and couples them by an iteration (Naumov
/// 2018, section 3.4): jacobi, richardson or bicgstab on the system scaled by its groups' diagonal blocks.
///
/// Groups are counted from the loss on, without the last block, whose value is known; Jacobi needs at most
/// nilpotent_bound() = ceil(l / group) iterations, and group >= l is substitution in one. One iteration does the work
/// of one product with the matrix, in a chain of `group` products. `group` = 1 is the plain method. Throws as jacobi(),
/// and std::invalid_argument for group 0 and for SolveMethod::substitution.
template <class T>
[[nodiscard]] IterativeSolution<T> hybrid_solve(const BackwardSystem<T>& system, std::size_t group, SolveMethod outer,
                                                const IterateSettings<T>& settings);

}  // namespace upsweep

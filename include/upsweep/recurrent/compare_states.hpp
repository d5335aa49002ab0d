#pragma once

#include <optional>
#include <span>
#include <string>

#include "upsweep/base/rounding.hpp"
#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/forward.hpp"

namespace upsweep {

/// How close the states of a forward pass are to the definition of its cell: hidden states from h_0 on, and of a gru r,
/// z, n and m. The scale is 1.
struct StateComparison : Closeness {
  std::optional<std::string> mismatch;  ///< the first element, by step, that is out of its bound
};

/// Compares every h_t with the cell applied in double precision to the h_{t-1} that was found, and so each step for
/// itself: errors of earlier steps, which a chaotic network would make large, are in both.
///
/// Shapes: `inputs` as run_forward(); h_0 must be 0.
/// Bound, with u the unit roundoffs of T and of the oracle added and γ_k = k·u / (1 - k·u): γ of the number of terms
/// and 4 more, times the sum of the terms' absolute values, for every sum of products in any order (Higham, 2002,
/// Equation 3.5); 16 units roundoff for exp and tanh themselves, which pass errors of their argument on with at most 1,
/// those of a sigmoid with 1/4; then products and sums of the gates with the errors of their operands and 4 roundings.
/// Underflow, and where exp is cut off, count 4e-38 (fp64: 1e-303) per term. Sound for any order of the sums, not only
/// likely. Cost: as run_forward(), in double precision; threads over steps and samples. Throws std::invalid_argument
/// for wrong lengths. Source: thesis, Equations 4.2 and 4.3.
template <class T>
[[nodiscard]] StateComparison compare_states(const CellWeights<T>& weights, std::span<const T> inputs,
                                             const ForwardStates<T>& states);

}  // namespace upsweep

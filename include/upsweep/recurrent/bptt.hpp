#pragma once

#include <cstdint>
#include <span>

#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/forward.hpp"

namespace upsweep {

/// Sequential back-propagation through time, element by element: the oracle. g_{t-1} = J_t^T g_t, t = T..1.
///
/// Shapes: `last` [b][hidden] is g_T; `gradients` [t][b][hidden], t = 0..T, gets all of them, g_T included.
/// Throws std::invalid_argument for wrong lengths. One thread.
template <class T>
void bptt_reference(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
                    std::span<T> gradients);

/// The same, vectorised, threads over the batch, no Jacobian formed: the baseline that a scan has to beat.
///
/// Shapes and errors as bptt_reference(). The result does not depend on the number of threads.
/// Cost: bptt_flops().
template <class T>
void bptt(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
          std::span<T> gradients);

/// FLOPs of the products of bptt(), all steps and samples: 2 · gates · hidden² each. Elementwise work is not counted.
[[nodiscard]] std::uint64_t bptt_flops(const CellShape& shape, std::size_t steps, std::size_t batch);

}  // namespace upsweep

#pragma once

#include <cstdint>
#include <span>

#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/forward.hpp"
#include "upsweep/recurrent/head.hpp"

namespace upsweep {

/// Gradients of all parameters from all hidden gradients: independent of each other once those are known.
///
/// Shapes: `inputs` as run_forward(), `hidden_gradients` [t][b][hidden], t = 0..T, as bptt(); `head` of the same batch;
/// the result has the shape of `weights`. Sums over samples and steps: where `head` has the gradient of a mean loss, so
/// has the result.
/// Throws std::invalid_argument for wrong lengths.
/// Cost: 2 · gates · hidden · (input + hidden) FLOPs per step and sample. Threads over parts of the steps; parts and
/// the order of their sums depend on the sizes alone, so that the result does not depend on the number of threads.
/// Source: thesis, Equation 2.2.
template <class T>
void parameter_gradients(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> inputs,
                         std::span<const T> hidden_gradients, const HeadResult<T>& head, CellWeights<T>& gradients);

/// FLOPs of the products of parameter_gradients() without the head.
[[nodiscard]] std::uint64_t parameter_gradient_flops(const CellShape& shape, std::size_t steps, std::size_t batch);

}  // namespace upsweep

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/forward.hpp"

namespace upsweep {

/// Writes J_t^T = (∂h_t/∂h_{t-1})^T of one sample.
///
/// Shapes: t = 1..steps, b < batch; `jacobian` hidden × hidden, row-major: row = component of h_{t-1}, column =
/// component of h_t. A relu is off where h_t is 0.
/// Throws std::invalid_argument for indices or lengths out of range.
/// Source: thesis, Equation 4.4; for an rnn W_hh^T · diag(f'), with tanh' = 1 - h_t².
template <class T>
void hidden_jacobian(const CellWeights<T>& weights, const ForwardStates<T>& states, std::size_t t, std::size_t b,
                     std::span<T> jacobian);

/// All of them: [t - 1][b][row][col], t = 1..steps. Threads over steps and samples.
template <class T>
[[nodiscard]] std::vector<T> hidden_jacobians(const CellWeights<T>& weights, const ForwardStates<T>& states);

}  // namespace upsweep

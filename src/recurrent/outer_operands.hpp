#pragma once

#include <cstddef>
#include <span>

#include "upsweep/recurrent/backward_pass.hpp"
#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/forward.hpp"
#include "upsweep/recurrent/head.hpp"

/// Checks and sizes that the forward pass and the parameter gradients have in common wherever they run.
namespace upsweep {

/// Throws std::invalid_argument unless weights and inputs are those of a forward pass that is planned for `shape`.
template <class T>
void require_forward(const CellWeights<T>& weights, std::span<const T> inputs, const PassShape& shape);

/// Gives the arrays of `states` their lengths; what is in them stays or is 0.
template <class T>
void set_sizes(const CellShape& shape, std::size_t steps, std::size_t batch, ForwardStates<T>& states);

/// Throws std::invalid_argument for lengths that parameter_gradients() does not take; gives `gradients` the shape of
/// the weights.
template <class T>
void require_parameters(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> inputs,
                        std::span<const T> hidden_gradients, const HeadResult<T>& head, CellWeights<T>& gradients);

}  // namespace upsweep

#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "upsweep/recurrent/backward_pass.hpp"
#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/forward.hpp"
#include "upsweep/recurrent/head.hpp"

/// Checks and sizes of the operands of passes, wherever they run. All checks throw std::invalid_argument.
namespace upsweep {

/// For an array that has not the numbers it should.
inline void require_length(const char* what, std::size_t found, std::size_t wanted) {
  if (found != wanted) throw std::invalid_argument(fmt::format("{}: {} numbers, accepted are {}", what, found, wanted));
}

/// Unless weights, states, g_T and all hidden gradients fit each other.
template <class T>
void require_backward(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
                      std::span<T> gradients) {
  require_fitting(weights, states);
  require_length("gradient of the last hidden states", last.size(), states.batch * states.shape.hidden);
  require_length("gradients of all hidden states", gradients.size(), states.hidden.size());
}

/// Unless weights and states are those that a plan is for.
template <class T>
void require_planned(const CellShape& found, const ForwardStates<T>& states, const CellShape& shape, std::size_t steps,
                     std::size_t batch) {
  if (found == shape && states.steps == steps && states.batch == batch) return;
  throw std::invalid_argument(fmt::format("{} steps of {} samples, accepted are {} of {} and the cell of the plan",
                                          states.steps, states.batch, steps, batch));
}

/// Unless weights and inputs are those of a forward pass that is planned for `shape`.
template <class T>
void require_forward(const CellWeights<T>& weights, std::span<const T> inputs, const PassShape& shape) {
  require_valid(weights);
  if (!(weights.shape == shape.cell))
    throw std::invalid_argument("the weights are of another cell, accepted are those of the plan's");
  require_length("inputs", inputs.size(), shape.steps * shape.batch * shape.cell.input);
}

/// Gives the arrays of `states` their lengths; what is in them stays or is 0.
template <class T>
void set_sizes(const CellShape& shape, std::size_t steps, std::size_t batch, ForwardStates<T>& states) {
  states.shape = shape;
  states.steps = steps;
  states.batch = batch;
  states.hidden.resize((steps + 1) * batch * shape.hidden);
  const std::size_t kept = shape.kind == CellKind::gru ? steps * batch * shape.hidden : 0;
  for (std::vector<T>* gate : {&states.r, &states.z, &states.n, &states.m}) gate->resize(kept);
}

/// For lengths that parameter_gradients() does not take; gives `gradients` the shape of the weights.
template <class T>
void require_parameters(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> inputs,
                        std::span<const T> hidden_gradients, const HeadResult<T>& head, CellWeights<T>& gradients) {
  require_fitting(weights, states);
  const CellShape& shape = weights.shape;
  require_length("inputs", inputs.size(), states.steps * states.batch * shape.input);
  require_length("gradients of all hidden states", hidden_gradients.size(), states.hidden.size());
  require_length("gradients of the logits", head.logits_gradient.size(), states.batch * shape.classes);
  // Without arrays the shape is none yet, whatever it says: that of the smallest cell.
  if (!(gradients.shape == shape) || gradients.w_ih.empty()) gradients = zero_weights<T>(shape);
  require_valid(gradients);
}

}  // namespace upsweep

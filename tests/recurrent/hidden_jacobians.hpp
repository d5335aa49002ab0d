#pragma once

#include <vector>

#include "recurrent/step_jacobians.hpp"

namespace upsweep::testing {

/// J_t^T = (∂h_t/∂h_{t-1})^T: [t - 1][b][row][col], row = component of h_{t-1}, t = 1..steps.
template <class T>
[[nodiscard]] std::vector<T> hidden_jacobians(const CellWeights<T>& weights, const ForwardStates<T>& states) {
  const std::size_t h = weights.shape.hidden;
  const BackwardSteps<T> steps(weights, states);
  StepScratch<T> scratch(weights.shape, 1);
  AlignedArray<T> formed(h * h);
  std::vector<T> jacobians;
  for (std::size_t i = 0; i < states.steps * states.batch; ++i) {
    steps.form(i / states.batch + 1, i % states.batch, formed.data(), h, scratch);
    for (std::size_t at = 0; at < h * h; ++at) jacobians.push_back(formed.data()[at % h * h + at / h]);
  }
  return jacobians;
}

}  // namespace upsweep::testing

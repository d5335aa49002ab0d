#pragma once

#include <cstdint>
#include <string>

namespace upsweep {

/// What an operation of a training step computes.
enum class StepOpKind : std::uint8_t {
  forward,          ///< F: the activation of the next layer
  output_gradient,  ///< O: the gradient with respect to the layer's input
  weight_gradient,  ///< W: the gradient with respect to its weights
  update,           ///< U: its new weights, from all micro-batches
};

/// An operation of a training step; layer and micro-batch are 0-based, an update has micro-batch 0.
struct StepOp {
  StepOpKind kind = StepOpKind::forward;
  std::uint32_t layer = 0;
  std::uint32_t micro_batch = 0;

  friend bool operator==(const StepOp&, const StepOp&) = default;
};

/// The cost of F, O or W of a step that lists them by layer; 0 of an update, and of O of the first layer if it is left
/// out.
template <class Step>
[[nodiscard]] double listed_cost(const Step& step, const StepOp& op, bool skips_first_output_gradient) {
  switch (op.kind) {
    case StepOpKind::forward:
      return step.forward[op.layer];
    case StepOpKind::output_gradient:
      return op.layer == 0 && skips_first_output_gradient ? 0 : step.output_gradient[op.layer];
    case StepOpKind::weight_gradient:
      return step.weight_gradient[op.layer];
    case StepOpKind::update:
      break;
  }
  return 0;
}

/// "F", "O", "W" or "U".
[[nodiscard]] char letter(StepOpKind kind);

/// Kind, 1-based layer and micro-batch: "F1.0"; an update without the latter: "U3".
[[nodiscard]] std::string to_string(const StepOp& op);

}  // namespace upsweep

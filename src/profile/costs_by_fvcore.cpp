#include "cost_rules.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/network/dense_work.hpp"

namespace upsweep {
namespace {

/// What is counted of operators that are no products, of one sample.
std::uint64_t handled_flops(const Operator& op) {
  if (std::holds_alternative<BatchNorm2d>(op.kind)) return checked_mul(is_affine(op) ? 2 : 1, elements(op.in_shape));
  if (std::holds_alternative<AdaptiveAvgPool2d>(op.kind)) return elements(op.in_shape);
  if (const auto* grouped = std::get_if<Grouped>(&op.kind); grouped != nullptr && grouped->rule == GroupRule::normalise)
    return checked_mul(is_affine(op) ? 5 : 4, elements(op.in_shape));
  const auto* interpolation = std::get_if<Interpolation>(&op.kind);
  const bool is_bilinear =
      interpolation != nullptr && interpolation->mode == InterpolationMode::linear && !interpolation->antialias;
  return is_bilinear ? checked_mul(4, elements(op.out_shape)) : 0;
}

OperatorCosts by_fvcore(const CostedOperator& costed) {
  const Operator& op = costed.op;
  OperatorCosts mine = with_parameters(op);
  mine.costs.activation_bytes = 0;
  if (is_moving(op.kind) && repeats_elements(op)) {
    mine.unknown = "counted where it is nearest upsampling, not where it repeats elements otherwise";
    return mine;
  }
  const auto* interpolation = std::get_if<Interpolation>(&op.kind);
  if (interpolation != nullptr && op.in_shape[1] == 1) {
    mine.unknown = "counted where it is bilinear in two axes, not in one";
    return mine;
  }
  if (std::holds_alternative<Recurrence>(op.kind)) {  // aten::gru, aten::lstm, ... have no handle
    mine.costs.forward_macs = 0;
    return mine;
  }
  const std::uint64_t macs = forward_macs(op);
  mine.costs.forward_macs = of_batch(costed, macs > 0 ? macs : handled_flops(op));
  if (macs > 0) mine.costs.activation_bytes = of_batch(costed, checked_mul(costed.value_bytes, elements(op.out_shape)));
  return mine;
}

}  // namespace

Convention fvcore_convention() {
  return {
      "fvcore",
      "fvcore",
      "facebookresearch/fvcore: fvcore/nn/flop_count.py (052545c), jit_handles.py (017141c), "
      "activation_count.py",
      "Its \"flops\" are multiply-accumulates, 1 each, and stand under MACs: products without biases; beside them 2 "
      "per element of an affine batch norm in evaluation mode, 5 of other affine norms, 1 per input of "
      "adaptive_avg_pool2d, 4 per output of bilinear upsampling. Operators without a handle (activations, other "
      "pooling, softmax, add, recurrent layers) are listed by it as unsupported and add nothing. No backward pass. "
      "Its activations are output elements of products, here times the bytes of a value.",
      by_fvcore,
      {&Costs::parameters, &Costs::forward_macs, &Costs::activation_bytes}};
}

}  // namespace upsweep

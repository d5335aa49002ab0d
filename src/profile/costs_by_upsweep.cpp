#include "cost_rules.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/network/dense_work.hpp"

namespace upsweep {
namespace {

std::uint64_t own_forward_flops(const CostedOperator& costed) {
  const Operator& op = costed.op;
  if (is_join(op.kind))
    return joins_parts(op.kind) ? 0 : checked_mul(costed.has_gradient.size() - 1, elements(op.out_shape));
  return is_view(op.kind) ? 0 : operator_work(op).forward.flops;
}

std::uint64_t own_input_gradients(const CostedOperator& costed) {
  const Operator& op = costed.op;
  std::uint64_t flops = 0;
  if (costed.output_has_gradient && costed.readers > 1) flops = checked_mul(costed.readers - 1, elements(op.out_shape));
  if (is_join(op.kind) || is_view(op.kind)) return flops;
  for (std::size_t input = 0; input < costed.has_gradient.size(); ++input) {
    if (costed.has_gradient[input]) add_to(flops, input_gradient_flops(op, input));
  }
  return flops;
}

OperatorCosts by_upsweep(const CostedOperator& costed) {
  const Operator& op = costed.op;
  const bool is_shared = is_view(op.kind);
  const std::uint64_t of_inputs = of_batch(costed, own_input_gradients(costed));
  const std::uint64_t of_weights = of_batch(costed, is_shared ? 0 : operator_work(op).weight_gradient.flops);
  return {
      {.parameters = weight_count(op),
       .forward_macs = of_batch(costed, forward_macs(op)),
       .forward_flops = of_batch(costed, own_forward_flops(costed)),
       .input_gradient_flops = of_inputs,
       .weight_gradient_flops = of_weights,
       .backward_flops = checked_add(of_inputs, of_weights),
       .activation_bytes = of_batch(costed, is_shared ? 0 : checked_mul(costed.value_bytes, elements(op.out_shape)))},
      {}};
}

}  // namespace

Convention upsweep_convention() {
  return {
      "upsweep",
      "upsweep",
      "",
      "MACs are products with weights or of two activations, padding included; 2 FLOPs each. All else is 1 FLOP per "
      "element, the larger of input and output; biases, views, moves and concat cost none. The gradient to the "
      "network's input is not counted, sums of gradients where an output has several readers are, with the "
      "operator that wrote it; gradients of biases, scales and shifts are not. Numbers that an ONNX file adds to "
      "activations are parameters, "
      "one for each element that has its own. Activation bytes: every output that "
      "is written, once.",
      by_upsweep,
      {&Costs::parameters, &Costs::forward_macs, &Costs::forward_flops, &Costs::input_gradient_flops,
       &Costs::weight_gradient_flops, &Costs::backward_flops, &Costs::activation_bytes}};
}

}  // namespace upsweep

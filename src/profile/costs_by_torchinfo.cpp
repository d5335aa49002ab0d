#include "cost_rules.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/network/dense_work.hpp"

namespace upsweep {
namespace {

/// Mult-adds: parameters, biases among them, times how often the module's output repeats them, as torchinfo has it: of
/// modules with "Conv" in their name the positions of the output, of recurrent ones batch · steps, of all others the
/// first axis of the output, which is the batch, however many vectors a sample has.
OperatorCosts by_torchinfo(const CostedOperator& costed) {
  const Operator& op = costed.op;
  const std::uint64_t parameters = weight_count(op);
  OperatorCosts mine = with_parameters(op);
  if (!mine.unknown.empty()) return mine;
  if (parameters == 0) {
    mine.costs.forward_macs = mine.costs.activation_bytes = 0;
    return mine;
  }
  if (const auto* scaling = std::get_if<Scaling>(&op.kind); scaling != nullptr && !scaling->negative_part) {
    mine.unknown = "factors, which no module of PyTorch multiplies by";
    return mine;
  }
  std::uint64_t times = 1;
  if (std::holds_alternative<Conv2d>(op.kind) || std::holds_alternative<ConvTranspose2d>(op.kind)) {
    times = elements(op.out_shape) / op.out_shape[0];
  } else if (std::holds_alternative<Recurrence>(op.kind)) {
    times = op.out_shape[0];
  }
  mine.costs.forward_macs = of_batch(costed, checked_mul(times, parameters));
  // The output and its gradient.
  mine.costs.activation_bytes = of_batch(costed, checked_mul(2 * costed.value_bytes, elements(op.out_shape)));
  return mine;
}

}  // namespace

Convention torchinfo_convention() {
  return {"torchinfo",
          "torchinfo",
          "TylerYep/torchinfo: torchinfo/layer_info.py (01fa0ce), model_statistics.py (05aae9d)",
          "Modules with parameters alone: mult-adds are parameters, biases among them, times the positions of a "
          "convolution's output, times the steps of a recurrent layer, times 1 elsewhere (a linear of many vectors, "
          "too), times the batch. No products of two activations, no FLOPs, no backward pass. Activation bytes are its "
          "\"Forward/backward pass size\": twice the outputs of modules with parameters.",
          by_torchinfo,
          {&Costs::parameters, &Costs::forward_macs, &Costs::activation_bytes}};
}

}  // namespace upsweep

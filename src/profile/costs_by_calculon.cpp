#include <algorithm>

#include "cost_rules.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/network/dense_work.hpp"

namespace upsweep {
namespace {

/// A layer of Calculon: FLOPs of the three passes, weights, and the elements that it keeps for the backward pass.
struct CalculonLayer {
  std::uint64_t forward = 0;
  std::uint64_t input_gradient = 0;
  std::uint64_t weight_gradient = 0;
  std::uint64_t weights = 0;
  std::uint64_t activation_bytes = 0;
};

/// Layers that work on elements, with their FLOPs per element.
CalculonLayer elementwise_layer(std::uint64_t count, std::uint64_t forward, std::uint64_t backward,
                                std::uint64_t value_bytes) {
  return {checked_mul(forward, count), checked_mul(backward, count), 0, 0, checked_mul(value_bytes, count)};
}

CalculonLayer pair_layer(const CostedOperator& costed) {
  const std::uint64_t first = elements(costed.op.in_shape);
  const std::uint64_t second = costed.op.other_shapes.empty() ? first : elements(costed.op.other_shapes[0]);
  const std::uint64_t both = checked_add(first, second);
  return {std::max(first, second), both, 0, 0, checked_mul(costed.value_bytes, both)};
}

/// Nothing where Calculon has no layer.
std::optional<CalculonLayer> layer_of(const CostedOperator& costed) {
  const Operator& op = costed.op;
  const std::uint64_t in = elements(op.in_shape);
  const std::uint64_t bytes = costed.value_bytes;
  const std::uint64_t flops = checked_mul(2, forward_macs(op));
  if (std::holds_alternative<Linear>(op.kind))
    return CalculonLayer{flops, flops, flops, elements(*weight_shape(op.kind, op.in_shape)), checked_mul(bytes, in)};
  if (std::holds_alternative<MatMul>(op.kind)) {
    const std::uint64_t operands = checked_add(in, elements(op.other_shapes[0]));
    return CalculonLayer{flops, checked_mul(2, flops), 0, 0, checked_mul(bytes, operands)};
  }
  if (const auto* grouped = std::get_if<Grouped>(&op.kind)) {
    if (grouped->rule == GroupRule::softmax) return elementwise_layer(in, 5, 8, bytes);
    if (grouped->rule != GroupRule::normalise || !is_affine(op)) return std::nullopt;
    CalculonLayer norm = elementwise_layer(in, 9, 14, bytes);
    norm.weight_gradient = checked_mul(7, in);
    norm.weights = weight_count(op);
    return norm;
  }
  if (std::holds_alternative<Gelu>(op.kind)) return elementwise_layer(in, 8, 13, bytes);
  if (std::holds_alternative<Dropout>(op.kind)) return elementwise_layer(in, 1, 1, 1);  // its mask, a byte each
  if (std::holds_alternative<Pairwise>(op.kind)) return pair_layer(costed);
  if (std::holds_alternative<Add>(op.kind) && costed.has_gradient.size() == 2) return pair_layer(costed);
  const bool is_free = std::holds_alternative<Flatten>(op.kind) || std::holds_alternative<Reshape>(op.kind) ||
                       std::holds_alternative<Concat>(op.kind) || is_moving(op.kind);
  return is_free ? std::optional(CalculonLayer{}) : std::nullopt;
}

OperatorCosts by_calculon(const CostedOperator& costed) {
  const std::optional<CalculonLayer> layer = layer_of(costed);
  if (!layer) return {{}, "Calculon has no such layer"};
  const std::uint64_t of_input = of_batch(costed, layer->input_gradient);
  const std::uint64_t of_weight = of_batch(costed, layer->weight_gradient);
  return {{.parameters = layer->weights,
           .forward_flops = of_batch(costed, layer->forward),
           .input_gradient_flops = of_input,
           .weight_gradient_flops = of_weight,
           .backward_flops = checked_add(of_input, of_weight),
           .activation_bytes = of_batch(costed, layer->activation_bytes)},
          {}};
}

}  // namespace

Convention calculon_convention() {
  return {
      "calculon",
      "Calculon",
      "calculon-ai/calculon: calculon/llm/layers.py (33a5aab)",
      "Layers of transformers alone: linear (2 FLOPs per multiply-accumulate in each of the three passes; weights "
      "without biases), products of two activations (the backward pass twice the forward one), layer norm (9, 14 and "
      "7 per element forward, to the input, to the weights), gelu (8 and 13), softmax (5 and 8), dropout of training "
      "(1 and 1), sums and products of two activations (1 per element, and 1 for each of the two gradients). No "
      "convolutions, pooling, batch norms, relu or recurrent layers. Its Fork, which sums gradients of several "
      "readers, is not applied, nor are fusing, recomputing and sharding. Activation bytes are the inputs that a "
      "layer keeps; of dropout a mask of 1 byte each.",
      by_calculon,
      {&Costs::parameters, &Costs::forward_flops, &Costs::input_gradient_flops, &Costs::weight_gradient_flops,
       &Costs::backward_flops, &Costs::activation_bytes}};
}

}  // namespace upsweep

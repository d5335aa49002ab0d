#include "upsweep/network/dense_work.hpp"

#include <algorithm>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

/// One number for all elements: a constant of a formula (a division by sqrt(d)), which nothing learns.
bool is_constant(const OperatorKind& kind) {
  if (const auto* scaling = std::get_if<Scaling>(&kind)) return scaling->size == 1 && !scaling->negative_part;
  const auto* shifting = std::get_if<Shifting>(&kind);
  return shifting != nullptr && shifting->size == 1;
}

}  // namespace

std::uint64_t weight_count(const Operator& op) {
  if (is_constant(op.kind)) return 0;
  const OperatorParameters parameters = parameters_of(op.kind, op.in_shape);
  return checked_add(parameters.values(), parameters.biases);
}

std::uint64_t forward_macs(const Operator& op) {
  if (std::holds_alternative<MatMul>(op.kind)) return checked_mul(elements(op.out_shape), op.in_shape.back());
  const auto weight = weight_shape(op.kind, op.in_shape);
  if (!weight) return 0;
  if (std::holds_alternative<Recurrence>(op.kind)) return checked_mul(op.in_shape[0], elements(*weight));
  if (std::holds_alternative<ConvTranspose2d>(op.kind))  // each input meets every weight of its channel
    return checked_mul(elements(op.in_shape) / op.in_shape[0], elements(*weight));
  return checked_mul(elements(op.out_shape) / (*weight)[0], elements(*weight));
}

std::uint64_t input_gradient_flops(const Operator& op, std::size_t which) {
  if (is_moving(op.kind)) return baseline_mixing_flops(op, which);
  const std::uint64_t macs = forward_macs(op);
  return macs > 0 ? checked_mul(2, macs) : std::max(elements(op.input_shape(which)), elements(op.out_shape));
}

PartWork operator_work(const Operator& op) {
  PartWork part;
  part.weights = weight_count(op);
  if (is_moving(op.kind)) return part;
  std::uint64_t in = 0;
  const std::uint64_t out = elements(op.out_shape);
  std::uint64_t flops = out;
  std::uint64_t gradient_flops = 0;
  for (std::size_t input = 0; input <= op.other_shapes.size(); ++input) {
    const std::uint64_t mine = elements(op.input_shape(input));
    add_to(in, mine);
    flops = std::max(flops, mine);
    add_to(gradient_flops, input_gradient_flops(op, input));
  }
  if (const std::uint64_t macs = forward_macs(op); macs > 0) flops = checked_mul(2, macs);
  const bool has_weight = weight_shape(op.kind, op.in_shape).has_value();
  const std::uint64_t read = has_weight || is_mixing(op.kind) ? part.weights : 0;
  const bool keeps_input = !has_weight || is_mixing(op.kind);
  part.forward = {flops, checked_add(in, out), read};
  part.output_gradient = {gradient_flops, checked_add(keeps_input ? checked_mul(2, in) : in, out), read};
  if (has_weight) part.weight_gradient = part.forward;
  return part;
}

}  // namespace upsweep

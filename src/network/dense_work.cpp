#include "upsweep/network/dense_work.hpp"

#include <algorithm>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

/// FLOPs of a multiplication with the weights of conv2d or linear, positions in the padding included.
std::uint64_t product_flops(const Operator& op) {
  const Shape weight = *weight_shape(op.kind, op.in_shape);
  if (std::holds_alternative<ConvTranspose2d>(op.kind))  // each input meets every weight of its channel
    return checked_mul(2, checked_mul(elements(op.in_shape) / op.in_shape[0], elements(weight)));
  return checked_mul(2, checked_mul(elements(op.out_shape) / weight[0], elements(weight)));
}

}  // namespace

std::uint64_t weight_count(const Operator& op) {
  const OperatorParameters parameters = parameters_of(op.kind, op.in_shape);
  return checked_add(parameters.values(), parameters.biases);
}

PartWork operator_work(const Operator& op) {
  std::uint64_t in = elements(op.in_shape);
  for (const Shape& shape : op.other_shapes) add_to(in, elements(shape));
  const std::uint64_t out = elements(op.out_shape);
  PartWork part;
  part.weights = weight_count(op);
  if (is_moving(op.kind)) return part;
  if (is_mixing(op.kind)) {
    std::uint64_t flops = 0;
    for (std::size_t input = 0; input <= op.other_shapes.size(); ++input)
      add_to(flops, baseline_mixing_flops(op, input));
    part.forward = {flops / (op.other_shapes.size() + 1), checked_add(in, out), part.weights};
    part.output_gradient = {flops, checked_add(checked_mul(2, in), out), part.weights};
    return part;
  }
  if (weight_shape(op.kind, op.in_shape)) {
    part.forward = {product_flops(op), checked_add(in, out), part.weights};
    part.output_gradient = part.weight_gradient = part.forward;
  } else {
    const std::uint64_t flops = std::max(in, out);
    part.forward = {flops, checked_add(in, out), 0};
    part.output_gradient = {flops, checked_add(checked_mul(2, in), out), 0};
  }
  return part;
}

}  // namespace upsweep

#include "upsweep/network/dense_work.hpp"

#include <algorithm>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

/// FLOPs of a multiplication with the weights of conv2d or linear, positions in the padding included.
std::uint64_t product_flops(const Operator& op) {
  const Shape weight = *weight_shape(op.kind, op.in_shape);
  const std::uint64_t positions = op.out_shape.size() == 3 ? checked_mul(op.out_shape[1], op.out_shape[2]) : 1;
  return checked_mul(2, checked_mul(positions, elements(weight)));
}

}  // namespace

std::uint64_t weight_count(const Operator& op) {
  const OperatorParameters parameters = parameters_of(op.kind, op.in_shape);
  return checked_add(parameters.values(), parameters.biases);
}

PartWork operator_work(const Operator& op) {
  const std::uint64_t in = elements(op.in_shape);
  const std::uint64_t out = elements(op.out_shape);
  PartWork part;
  part.weights = weight_count(op);
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

#include "upsweep/training/layer_work.hpp"

#include <algorithm>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

bool starts_layer(const Operator& op) { return !is_view(op.kind) && !is_elementwise(op.kind); }

}  // namespace

std::uint64_t LayerWork::weights() const {
  std::uint64_t sum = 0;
  for (const PartWork& part : parts) add_to(sum, part.weights);
  return sum;
}

std::vector<OperatorRange> chain_layers(const Network& network) {
  require_no_blocks(network, "the costs of layers");
  const std::vector<Operator>& operators = network.operators();
  std::vector<OperatorRange> layers;
  bool started = false;  // the last layer has the operator that it is named for
  for (std::size_t o = 0; o < operators.size(); ++o) {
    const bool starts = starts_layer(operators[o]);
    if (layers.empty() || (starts && started)) {
      layers.push_back({o, o});
      started = false;
    }
    layers.back().last = o;
    started = started || starts;
  }
  return layers;
}

std::string layer_name(const Network& network, const OperatorRange& layer) {
  for (std::size_t o = layer.first; o <= layer.last; ++o) {
    if (starts_layer(network.operators()[o])) return network.operators()[o].name;
  }
  return network.operators()[layer.first].name;
}

PartWork matmul_work(const Matmul& matmul) {
  const std::uint64_t left = checked_mul(matmul.count, checked_mul(matmul.m, matmul.k));
  const std::uint64_t right = checked_mul(matmul.count, checked_mul(matmul.k, matmul.n));
  const std::uint64_t result = checked_mul(matmul.count, checked_mul(matmul.m, matmul.n));
  const std::uint64_t flops = checked_mul(2, checked_mul(left, matmul.n));
  PartWork part;
  if (matmul.weights) {
    part.weights = checked_add(right, matmul.bias ? checked_mul(matmul.count, matmul.n) : 0);
    part.forward = {flops, checked_add(left, result), part.weights};
    part.output_gradient = part.weight_gradient = part.forward;
  } else {
    const std::uint64_t operands = checked_add(left, right);
    part.forward = {flops, checked_add(operands, result), 0};
    // Either gradient reads that of the result and the other operand, and writes one of its own.
    part.output_gradient = {checked_mul(2, flops), checked_mul(2, checked_add(operands, result)), 0};
  }
  return part;
}

PartWork elementwise_work(const ElementwiseWork& work) {
  const std::uint64_t flops = checked_mul(work.elements, work.flops_per_element);
  PartWork part;
  part.weights = work.weights;
  part.forward = {flops, checked_mul(2, work.elements), 0};
  part.output_gradient = {flops, checked_mul(3, work.elements), 0};
  return part;
}

std::vector<LayerWork> layer_works(const Network& network) {
  std::vector<LayerWork> layers;
  for (const OperatorRange& range : chain_layers(network)) {
    LayerWork& layer = layers.emplace_back();
    layer.name = layer_name(network, range);
    layer.output = elements(network.operators()[range.last].out_shape);
    for (std::size_t o = range.first; o <= range.last; ++o) {
      const Operator& op = network.operators()[o];
      if (!is_view(op.kind)) layer.parts.push_back(operator_work(op));
    }
  }
  return layers;
}

}  // namespace upsweep

#include "upsweep/training/layer_work.hpp"

#include <algorithm>

#include "upsweep/base/checked.hpp"
#include "upsweep/profile/network_profile.hpp"

namespace upsweep {
namespace {

bool starts_layer(const Operator& op) { return !is_view(op.kind) && !is_elementwise(op.kind); }

/// F of an operator that joins branches; its gradient is handed on as it is.
PartWork join_work(const Network& network, std::size_t position) {
  std::uint64_t read = 0;
  for (const std::size_t input : network.inputs_of(position)) add_to(read, elements(network.shape_of(input)));
  const std::uint64_t made = elements(network.shape_of(position));
  PartWork part;
  part.forward = {read - made, checked_add(read, made), 0};  // a concat has as many elements as its inputs
  return part;
}

/// O adds a gradient of so many elements to another.
PartWork sum_work(std::uint64_t elements) {
  PartWork part;
  part.output_gradient = {elements, checked_mul(3, elements), 0};
  return part;
}

}  // namespace

std::uint64_t LayerWork::weights() const {
  std::uint64_t sum = 0;
  for (const PartWork& part : parts) add_to(sum, part.weights);
  return sum;
}

std::vector<OperatorRange> chain_layers(const Network& network) {
  const std::vector<Operator>& operators = network.operators();
  std::vector<std::size_t> block_end(operators.size());  // where a block begins: the position of its output
  for (std::size_t i = 0; i < network.links().size(); ++i) {
    const ChainLink& link = network.link(i);
    if (link.is_block) block_end[*std::ranges::min_element(link.operators)] = link.output();
  }
  std::vector<OperatorRange> layers;
  bool started = false;  // the last layer has the operator that it is named for
  for (std::size_t o = 0; o < operators.size(); ++o) {
    const std::size_t first = o;
    o = std::max(o, block_end[o]);
    const bool starts = o > first || starts_layer(operators[o]);
    if (layers.empty() || (starts && started)) {
      layers.push_back({first, o});
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
  const std::vector<Operator>& operators = network.operators();
  const std::vector<std::size_t> readers = reader_counts(network);
  std::vector<std::vector<PartWork>> sums(operators.size());  // by position of a block's output
  for (std::size_t i = 0; i < network.links().size(); ++i) {
    const ChainLink& link = network.link(i);
    if (!link.is_block) continue;
    std::vector<std::size_t> forks = link.operators;
    forks.back() = link.input;  // its own output is the next link's affair, its input not
    for (const std::size_t o : forks) {
      if (o == kNetworkInput) continue;  // nobody needs its gradient
      const PartWork sum = sum_work(elements(operators[o].out_shape));
      sums[link.output()].insert(sums[link.output()].end(), readers[o] - 1, sum);
    }
  }
  std::vector<LayerWork> layers;
  for (const OperatorRange& range : chain_layers(network)) {
    LayerWork& layer = layers.emplace_back();
    layer.name = layer_name(network, range);
    layer.output = elements(operators[range.last].out_shape);
    for (std::size_t o = range.first; o <= range.last; ++o) {
      if (is_join(operators[o].kind)) {
        layer.parts.push_back(join_work(network, o));
      } else if (!is_view(operators[o].kind)) {
        layer.parts.push_back(operator_work(operators[o]));
      }
      layer.parts.insert(layer.parts.end(), sums[o].begin(), sums[o].end());
    }
  }
  return layers;
}

}  // namespace upsweep

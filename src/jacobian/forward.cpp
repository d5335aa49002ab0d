#include "upsweep/jacobian/forward.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "upsweep/jacobian/elementwise.hpp"
#include "upsweep/network/window.hpp"

namespace upsweep {
namespace {

/// The product with the weight, and the bias.
std::vector<double> multiply(const Operator& op, const OperatorWeights& weights, const WeightedOperator auto& kind,
                             std::span<const double> x) {
  std::vector<double> out(elements(op.out_shape), 0.0);
  const std::size_t plane = op.out_shape.size() == 3 ? op.out_shape[1] * op.out_shape[2] : 1;
  for (std::size_t i = 0; i < out.size() && !weights.bias.empty(); ++i)
    out[i] = weights.bias[i / plane % weights.bias.size()];
  kind.add_product(op, weights, x, out);
  return out;
}

std::vector<double> average(const Operator& op, std::span<const double> x) {
  std::vector<double> out(elements(op.out_shape), 0.0);
  for_each_window_input(op, [&](std::size_t output, std::size_t input) { out[output] += x[input]; });
  const std::vector<double> divisors = average_divisors(op);
  for (std::size_t o = 0; o < out.size(); ++o) out[o] /= divisors[o];
  return out;
}

/// The sum, or the parts one after the other: the first axis, along which they are joined, is the slowest one.
std::vector<double> join(JoinRule rule, std::span<const std::span<const double>> inputs) {
  std::vector<double> out(inputs[0].begin(), inputs[0].end());
  for (const std::span<const double> input : inputs.subspan(1)) {
    if (rule == JoinRule::parts) {
      out.insert(out.end(), input.begin(), input.end());
    } else {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += input[i];
    }
  }
  return out;
}

void require_inputs(const Operator& op, std::span<const std::span<const double>> inputs) {
  if (is_mixing(op.kind)) {
    bool fits = inputs.size() == op.other_shapes.size() + 1;
    for (std::size_t k = 0; fits && k < inputs.size(); ++k) fits = inputs[k].size() == elements(op.input_shape(k));
    if (fits) return;
    throw std::invalid_argument(fmt::format("{} '{}': {} inputs, accepted are its {} of their lengths",
                                            kind_name(op.kind), op.name, inputs.size(), op.other_shapes.size() + 1));
  }
  const bool is_parts = joins_parts(op.kind);
  std::size_t total = 0;
  bool fits = !inputs.empty() && (inputs.size() > 1) == is_join(op.kind);
  for (const std::span<const double> input : inputs) {
    total += input.size();
    fits = fits && (is_parts || input.size() == elements(op.in_shape));
  }
  if (fits && (!is_parts || total == elements(op.out_shape))) return;
  throw std::invalid_argument(fmt::format(
      "{} '{}': {} inputs of {} numbers together, accepted are {} of {}", kind_name(op.kind), op.name, inputs.size(),
      total, is_join(op.kind) ? "two or more" : "one",
      is_parts ? fmt::format("{}", elements(op.out_shape)) : fmt::format("{} each", elements(op.in_shape))));
}

}  // namespace

std::vector<std::vector<double>> activations(const Network& network, const NetworkWeights& weights,
                                             std::span<const double> x) {
  std::vector<std::vector<double>> outputs;
  std::vector<std::span<const double>> inputs;
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    const Operator& op = network.operators()[o];
    inputs.clear();
    for (const std::size_t source : network.inputs_of(o))
      inputs.push_back(source == kNetworkInput ? x : std::span<const double>(outputs[source]));
    outputs.push_back(forward(op, weights[o], inputs));
    const std::vector<double>& output = outputs.back();
    for (std::size_t i = 0; i < output.size(); ++i) {
      if (std::isfinite(output[i])) continue;
      throw OperatorError(o, fmt::format("{} '{}': element {} of its output is {}, accepted are finite numbers",
                                         kind_name(op.kind), op.name, i, output[i]));
    }
  }
  return outputs;
}

std::vector<std::vector<double>> link_inputs(const Network& network, const NetworkWeights& weights,
                                             std::span<const double> x) {
  std::vector<std::vector<double>> outputs = activations(network, weights, x);
  std::vector<std::vector<double>> inputs;
  inputs.reserve(network.links().size() + 1);
  // No two links have one input, so that each may be moved away; the network's output is no link's.
  for (std::size_t i = 0; i < network.links().size(); ++i) {
    const std::size_t source = network.link(i).input;
    if (source == kNetworkInput) {
      inputs.emplace_back(x.begin(), x.end());
    } else {
      inputs.push_back(std::move(outputs[source]));
    }
  }
  inputs.push_back(std::move(outputs.back()));
  return inputs;
}

std::vector<std::uint32_t> max_positions(const Operator& op, std::span<const double> x) {
  return visit_operator(
      op.kind, [&](const ChoosingOperator auto& kind) { return kind.chosen(op, x); },
      [&]<class K>(const K&) -> std::vector<std::uint32_t> requires(!ChoosingOperator<K>) {
        throw std::invalid_argument(kind_name(op.kind) + " is no max-pooling");
      });
}

std::vector<double> average_divisors(const Operator& op) {
  return visit_operator(
      op.kind, [&](const AveragingOperator auto& kind) { return kind.divisors(op); },
      [&]<class K>(const K&) -> std::vector<double> requires(!AveragingOperator<K>) {
        throw std::invalid_argument(kind_name(op.kind) + " is no average pooling");
      });
}

std::vector<double> forward(const Operator& op, const OperatorWeights& weights, std::span<const double> x) {
  return forward(op, weights, std::span(&x, 1));
}

std::vector<double> forward(const Operator& op, const OperatorWeights& weights,
                            std::span<const std::span<const double>> inputs) {
  require_inputs(op, inputs);
  const std::span<const double> x = inputs[0];
  std::vector<double> out;
  visit_operator(
      op.kind, [&](const WeightedOperator auto& kind) { out = multiply(op, weights, kind, x); },
      [&](const AveragingOperator auto&) { out = average(op, x); },
      [&](const ChoosingOperator auto& kind) {
        for (const std::uint32_t position : kind.chosen(op, x)) out.push_back(x[position]);
      },
      [&](const CombiningOperator auto& kind) { out = kind.value(op, x); },
      [&](const ElementwiseOperator auto&) {
        out.resize(x.size());
        elementwise_values(op, weights, 0, x, out);
      },
      [&]<ViewOperator K>(const K& kind) {
        out.assign(x.begin(), x.end());
        if constexpr (requires { kind.add_to(weights, out); }) kind.add_to(weights, out);
      },
      [&](const MixingOperator auto& kind) { out = kind.value(op, weights, inputs); },
      [&](const JoinOperator auto& kind) { out = join(kind.kJoin, inputs); });
  return out;
}

}  // namespace upsweep

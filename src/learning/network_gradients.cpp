#include "upsweep/learning/network_gradients.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace upsweep {
namespace {

/// A bias adds to every element of its channel.
void add_bias(std::span<const OperatorSample> samples, std::span<double> gradient) {
  for (const OperatorSample& sample : samples) {
    const std::size_t plane = sample.upstream.size() / gradient.size();
    for (std::size_t c = 0; c < gradient.size(); ++c) {
      for (std::size_t i = c * plane; i < (c + 1) * plane; ++i) gradient[c] += sample.upstream[i];
    }
  }
}

void require_lengths(const Operator& op, const OperatorWeights& weights, std::span<const OperatorSample> samples) {
  const auto require = [&](const char* what, std::size_t found, std::size_t accepted) {
    if (found == accepted) return;
    throw std::invalid_argument(
        fmt::format("{} '{}': {} of {} numbers, accepted are {}", kind_name(op.kind), op.name, what, found, accepted));
  };
  if (!weights.kept.empty()) require("a mask", weights.kept.size(), parameters_of(op.kind, op.in_shape).values());
  if (!weights.running_mean.empty()) require("running means", weights.running_mean.size(), op.in_shape[0]);
  if (!weights.running_var.empty()) require("running variances", weights.running_var.size(), op.in_shape[0]);
  for (const OperatorSample& sample : samples) {
    require("an input", sample.input.size(), elements(op.in_shape));
    require("a gradient of its output", sample.upstream.size(), elements(op.out_shape));
  }
}

}  // namespace

bool has_parameters(const Operator& op) { return parameters_of(op.kind, op.in_shape).values() > 0; }

void write_out_parameters(const Network& network, NetworkWeights& weights) {
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    const Operator& op = network.operators()[o];
    const OperatorParameters parameters = parameters_of(op.kind, op.in_shape);
    if (weights[o].bias.empty()) weights[o].bias.assign(parameters.biases, 0.0);
    if (weights[o].values.empty()) weights[o].values.assign(parameters.scales, 1.0);
  }
}

ParameterGradients operator_gradients(const Operator& op, const OperatorWeights& weights,
                                      std::span<const OperatorSample> samples) {
  require_lengths(op, weights, samples);
  const OperatorParameters parameters = parameters_of(op.kind, op.in_shape);
  ParameterGradients gradients;
  gradients.values.assign(parameters.values(), 0.0);
  gradients.bias.assign(parameters.biases, 0.0);
  visit_operator(
      op.kind,
      [&](const ParametricOperator auto& kind) {
        if (!gradients.values.empty()) kind.add_value_gradients(op, weights, samples, gradients.values);
      },
      []<class K>(const K&) requires(!ParametricOperator<K>){});
  if (!gradients.bias.empty()) add_bias(samples, gradients.bias);
  return gradients;
}

}  // namespace upsweep

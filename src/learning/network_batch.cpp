#include "upsweep/learning/network_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "for_each_sample.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"

namespace upsweep {
namespace {

void require_finite(const Network& network, std::size_t o, std::span<const double> output) {
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (std::isfinite(output[i])) continue;
    const Operator& op = network.operators()[o];
    throw OperatorError(o, fmt::format("{} '{}': element {} of its output is {}, accepted are finite numbers",
                                       kind_name(op.kind), op.name, i, output[i]));
  }
}

}  // namespace

bool uses_threads(const OperatorKind& kind) {
  return std::visit([]<class K>(const K&) { return WeightedOperator<K>; }, kind);
}

BatchVectors forward_batch(const Network& network, const NetworkWeights& weights, SampleVectors images) {
  require_no_blocks(network, "training");
  const std::size_t samples = images.size();
  BatchVectors inputs;
  SampleVectors at = std::move(images);
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    const Operator& op = network.operators()[o];
    if (is_view(op.kind)) continue;
    SampleVectors next(samples);
    for_each_sample(op.kind, samples, [&](std::size_t s) {
      next[s] = forward(op, weights[o], at[s]);
      require_finite(network, o, next[s]);
    });
    inputs.push_back(std::exchange(at, std::move(next)));
  }
  inputs.push_back(std::move(at));
  return inputs;
}

BatchLoss batch_loss(const SampleVectors& outputs, std::span<const std::uint32_t> labels) {
  if (outputs.empty() || labels.size() != outputs.size()) {
    throw std::invalid_argument(
        fmt::format("{} labels of {} samples, accepted is one for each of at least 1", labels.size(), outputs.size()));
  }
  BatchLoss loss;
  const auto count = static_cast<double>(outputs.size());
  for (std::size_t s = 0; s < outputs.size(); ++s) {
    const std::vector<double>& output = outputs[s];
    std::vector<double> gradient = softmax_cross_entropy_gradient(output, labels[s]);
    const auto largest = std::max_element(output.begin(), output.end());
    double sum = 0;
    for (const double value : output) sum += std::exp(value - *largest);
    loss.mean += (std::log(sum) - (output[labels[s]] - *largest)) / count;
    if (static_cast<std::size_t>(largest - output.begin()) == labels[s]) ++loss.correct;
    for (double& value : gradient) value /= count;
    loss.gradients.push_back(std::move(gradient));
  }
  return loss;
}

}  // namespace upsweep

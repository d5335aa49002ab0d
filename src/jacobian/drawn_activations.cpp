#include "drawn_activations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "upsweep/jacobian/forward.hpp"
#include "upsweep/network/random.hpp"

namespace upsweep {
namespace {

/// By operator, and last of the network's input: the density of a ReLU that reads it, through views; negative: none.
std::vector<double> densities_before(const Network& network, const std::vector<double>& densities) {
  const std::size_t count = network.operators().size();
  std::vector<double> before(count + 1, -1);
  for (std::size_t o = 0; o < count; ++o) {
    if (densities[o] < 0) continue;
    std::size_t source = network.inputs_of(o)[0];
    while (source != kNetworkInput && is_view(network.operators()[source].kind)) source = network.inputs_of(source)[0];
    before[source == kNetworkInput ? count : source] = densities[o];
  }
  return before;
}

/// Moves numbers so that a share of them is positive.
void make_positive(std::vector<double>& values, double density) {
  const auto count = static_cast<std::size_t>(std::llround(density * static_cast<double>(values.size())));
  std::vector<double> sorted = values;
  std::ranges::sort(sorted, std::greater<>());
  double border = 0;
  if (count == 0) {
    border = sorted.front() + 1;
  } else if (count == sorted.size()) {
    border = sorted.back() - 1;
  } else {
    border = (sorted[count - 1] + sorted[count]) / 2;
  }
  for (double& value : values) value -= border;
}

}  // namespace

DrawnActivations drawn_activations(const Network& network, const SampleInputs& sample, std::size_t i) {
  const std::vector<double> before = densities_before(network, sample.densities);
  const auto drawn = [&](std::size_t count, const std::string& name) {
    const NormalStream normal(sample.seed, fmt::format("drawn {} {}", i, name));
    std::vector<double> values(count);
    for (std::size_t e = 0; e < count; ++e) values[e] = static_cast<double>(normal(e));
    return values;
  };
  DrawnActivations result{drawn(elements(network.input()), "the input"), {}};
  if (before.back() >= 0) make_positive(result.input, before.back());
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    const Operator& op = network.operators()[o];
    const std::size_t source = network.inputs_of(o)[0];
    const std::vector<double>& input = source == kNetworkInput ? result.input : result.outputs[source];
    const bool is_chosen = jacobian_numbers(op.kind) == JacobianNumbers::chosen;
    // A view hands on; a ReLU or pool chooses among what is there.
    std::vector<double> output;
    if (is_view(op.kind)) {
      output = input;
    } else if (is_chosen) {
      output = forward(op, {}, input);
    } else {
      output = drawn(elements(op.out_shape), op.name);
    }
    if (before[o] >= 0) make_positive(output, before[o]);
    result.outputs.push_back(std::move(output));
  }
  return result;
}

}  // namespace upsweep

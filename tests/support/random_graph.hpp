#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"

namespace upsweep::testing {

/// Numbers for random graphs.
struct GraphRandom {
  std::function<std::size_t(std::size_t low, std::size_t high)> between;
  std::function<double()> normal;
};

/// A random directed graph of `operators` small operators on features, all of which lead to the last one; without a
/// sum of anything but two activations of one size.
[[nodiscard]] inline std::vector<OperatorSpec> random_graph(const GraphRandom& random, std::size_t features,
                                                            std::size_t operators) {
  struct Activation {
    std::string name;
    std::size_t size;
    bool is_read;
  };
  std::vector<Activation> made = {{kInputName, features, true}};
  std::vector<OperatorSpec> specs;
  const auto pick = [&]() -> Activation& {
    return made[random.between(made.size() > 4 ? made.size() - 4 : 0, made.size() - 1)];
  };
  const auto append = [&](OperatorKind kind, std::vector<std::string> inputs, std::size_t size) {
    for (Activation& one : made) {
      for (const std::string& input : inputs) one.is_read = one.is_read || one.name == input;
    }
    std::string name = "op";
    name += std::to_string(specs.size());
    specs.push_back({name, std::move(kind), std::move(inputs)});
    made.push_back({name, size, false});
  };
  while (specs.size() < operators) {
    const Activation a = pick();
    const Activation b = pick();
    switch (random.between(0, 6)) {
      case 0:
        append(Relu{}, {a.name}, a.size);
        break;
      case 1:
        append(Tanh{}, {a.name}, a.size);
        break;
      case 2:
        append(Dropout{}, {a.name}, a.size);
        break;
      case 3:
        if (a.size == b.size) append(Add{}, {a.name, b.name}, a.size);
        break;
      case 4:
        if (a.size + b.size <= 12) append(Concat{}, {a.name, b.name}, a.size + b.size);
        break;
      default: {
        const std::size_t size = random.between(1, 5);
        append(Linear{size}, {a.name}, size);
      }
    }
  }
  std::vector<std::string> open;
  std::size_t total = 0;
  for (const Activation& one : made) {
    if (one.is_read) continue;
    open.push_back(one.name);
    total += one.size;
  }
  if (open.size() > 1) append(Concat{}, open, total);
  append(Linear{3}, {made.back().name}, 3);
  return specs;
}

/// Weights of the linear operators of a network, a part of them pruned.
[[nodiscard]] inline NetworkWeights random_graph_weights(const GraphRandom& random, const Network& network) {
  NetworkWeights weights(network.operators().size());
  for (std::size_t o = 0; o < weights.size(); ++o) {
    const Operator& op = network.operators()[o];
    const auto shape = weight_shape(op.kind, op.in_shape);
    if (!shape) continue;
    for (std::uint64_t w = 0; w < elements(*shape); ++w) {
      const bool kept = random.between(0, 2) > 0;
      weights[o].kept.push_back(kept ? 1 : 0);
      weights[o].values.push_back(kept ? random.normal() : 0);
    }
    for (std::uint64_t b = 0; b < (*shape)[0]; ++b) weights[o].bias.push_back(random.normal());
  }
  return weights;
}

}  // namespace upsweep::testing

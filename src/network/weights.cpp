#include "upsweep/network/weights.hpp"

#include <fmt/format.h>

#include "he_normal.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/memory.hpp"

namespace upsweep {

void require_weights_memory(const Network& network, std::uint64_t bytes_each) {
  std::uint64_t bytes = 0;
  const std::uint64_t there = available_memory();
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    const Operator& op = network.operators()[o];
    const auto shape = weight_shape(op.kind, op.in_shape);
    if (shape) bytes = checked_add(bytes, checked_mul(elements(*shape), bytes_each));
    if (bytes > there) {
      throw OperatorError(o, fmt::format("{} '{}': the weights up to here need {} bytes, accepted is at most what this "
                                         "machine has left, {}",
                                         kind_name(op.kind), op.name, bytes, there));
    }
  }
}

void fill_he_normal(const Network& network, std::uint64_t seed, NetworkWeights& weights) {
  require_weights_memory(network, sizeof(double));
  for (std::size_t o = 0; o < weights.size(); ++o) {
    const Operator& op = network.operators()[o];
    const auto shape = weight_shape(op.kind, op.in_shape);
    if (!shape) continue;
    OperatorWeights& mine = weights[o];
    mine.values.resize(elements(*shape));
    for_each_he_normal(op, *shape, seed, [&](std::size_t i, float number) {
      mine.values[i] = mine.keeps(i) ? static_cast<double>(number) : 0.0;
    });
  }
}

}  // namespace upsweep

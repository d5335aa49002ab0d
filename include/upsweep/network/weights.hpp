#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "upsweep/network/network.hpp"

namespace upsweep {

/// One entry per operator of a network, in its order.
using NetworkWeights = std::vector<OperatorWeights>;

/// Keeps the largest weights of the whole network.
struct MagnitudeGlobal {
  double sparsity = 0;  ///< in [0, 1)
};
/// Keeps the largest weights of each operator.
struct MagnitudeLayer {
  double sparsity = 0;  ///< in [0, 1)
};
/// Keeps the n largest of every m weights that follow one another in the row of an output channel or feature (its
/// inputs, row-major); a shorter last group keeps min(n, its size).
struct NOfM {
  std::uint64_t n = 0;  ///< at most m
  std::uint64_t m = 0;  ///< at least 1
};
using Pruning = std::variant<MagnitudeGlobal, MagnitudeLayer, NOfM>;

/// Weights that stay of `count`: ceil((1 - sparsity) · count - 1e-6).
[[nodiscard]] std::uint64_t kept_count(std::uint64_t count, double sparsity);

/// Fills `values` of every conv2d and linear with He-normal numbers, times the mask where there is one.
///
/// Standard deviation sqrt(2 / fan_in), fan_in = inputs of one output. Source: He et al., "Delving Deep into
/// Rectifiers", 2015, Equation 10. One NormalStream per operator, by its name. Throws InputError when the machine's
/// memory is too small.
void fill_he_normal(const Network& network, std::uint64_t seed, NetworkWeights& weights);

/// Sets `kept` (and `values` to 0 where it is not) by the magnitude of `values`; ties keep the lower index. Numbers
/// that are 0 already count as weights of the operator and are not kept. Throws OperatorError when the machine's memory
/// is too small.
void prune(const Network& network, const Pruning& pruning, NetworkWeights& weights);

/// Sets `kept` as fill_he_normal() and prune() would, for where no numbers are needed: memory is that of one operator's
/// numbers at most where the rule looks at each operator alone. Throws like both.
void prune_he_normal(const Network& network, std::uint64_t seed, const Pruning& pruning, NetworkWeights& weights);

}  // namespace upsweep

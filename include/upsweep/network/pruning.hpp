#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "upsweep/network/weights.hpp"

namespace upsweep {

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
/// Keeps the largest weights of each operator, of which more are kept the longer its axes are for their product.
/// Source: Evci et al., "Rigging the Lottery", 2020, section 3: Erdos-Renyi-Kernel.
struct ErdosRenyiKernel {
  double sparsity = 0;  ///< of all weights together, in [0, 1)
};
/// Keeps the largest weights of each operator, by a table.
struct LayerBudgets {
  std::map<std::string, double> sparsity;  ///< by name of operator, in [0, 1]; of others nothing is pruned
};
using Pruning = std::variant<MagnitudeGlobal, MagnitudeLayer, NOfM, ErdosRenyiKernel, LayerBudgets>;

/// Which share of the weights of each operator the Erdos-Renyi-Kernel rule prunes; by operator, 0 where it has none.
/// Densities are proportional to the sum of the sizes of a weight's axes over their product, those above 1 being 1.
[[nodiscard]] std::vector<double> erdos_renyi_sparsities(const Network& network, double sparsity);

/// Weights that stay of `count`: ceil((1 - sparsity) · count - 1e-6).
[[nodiscard]] std::uint64_t kept_count(std::uint64_t count, double sparsity);

/// Sets `kept` (and `values` to 0 where it is not) by the magnitude of `values`; ties keep the lower index. Numbers
/// that are 0 already count as weights of the operator and are not kept. Throws OperatorError when the machine's memory
/// is too small.
void prune(const Network& network, const Pruning& pruning, NetworkWeights& weights);

/// Sets `kept` as fill_he_normal() and prune() would, for where no numbers are needed: memory is that of one operator's
/// numbers at most where the rule looks at each operator alone. Throws like both.
void prune_he_normal(const Network& network, std::uint64_t seed, const Pruning& pruning, NetworkWeights& weights);

}  // namespace upsweep

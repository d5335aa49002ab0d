#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "upsweep/jacobian/block.hpp"
#include "upsweep/network/weights.hpp"

namespace upsweep {

/// The activations of block `link` at its input `x`: result[0] is `x`, result[k + 1] the output of its operator k.
///
/// From a forward pass in double precision. Throws OperatorError (its index is a position in network.operators()) where
/// an output is NaN or infinite, std::invalid_argument for a wrong length.
[[nodiscard]] std::vector<std::vector<double>> block_activations(const Network& network, const NetworkWeights& weights,
                                                                 std::size_t link, std::span<const double> x);

/// Numbers of the transposed Jacobian of block `link`, in the order of plan.formation.pattern, row by row.
///
/// Follows the steps of `plan`, which has its patterns (StepPatterns::keep), in double precision, on several threads; a
/// sum of products goes by ascending inner index, so that the numbers do not depend on the threads. An entry that comes
/// out as 0 stays an entry. `activations` comes from block_activations(). Needs `values` of conv2d and linear.
/// Throws std::invalid_argument where they do not belong together.
/// Cost: the FLOPs of the formation, and the numbers of every operator's Jacobian.
[[nodiscard]] std::vector<double> block_values(const Network& network, const NetworkWeights& weights, std::size_t link,
                                               const BlockPlan& plan,
                                               const std::vector<std::vector<double>>& activations);

}  // namespace upsweep

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"

namespace upsweep {

/// Output of one operator at input `x` (length: elements of in_shape), in double precision. Views hand `x` on.
///
/// Needs `values` of conv2d and linear. Throws std::invalid_argument for a wrong length, and for add and concat, which
/// read several activations. The result does not depend on the number of threads.
[[nodiscard]] std::vector<double> forward(const Operator& op, const OperatorWeights& weights,
                                          std::span<const double> x);

/// The same of any operator, which reads `inputs` in the order of Network::inputs_of(): one, or several where it is a
/// join. An add sums from the first to the last.
[[nodiscard]] std::vector<double> forward(const Operator& op, const OperatorWeights& weights,
                                          std::span<const std::span<const double>> inputs);

/// Output of every operator at the network's input `x`, views and joins included, from a forward pass in double
/// precision: result[i] has the elements of operators()[i].out_shape, result.back() is the network's output.
///
/// Throws OperatorError (its index is a position in network.operators()) where the output of an operator is NaN or
/// infinite. Throws std::invalid_argument for an input of a wrong length.
[[nodiscard]] std::vector<std::vector<double>> activations(const Network& network, const NetworkWeights& weights,
                                                           std::span<const double> x);

/// Inputs of every link of the chain at input `x`, and the network's output, from activations(): length links + 1,
/// result[i] is the input of link i, result.back() the output. Of a block only what enters it is kept.
///
/// Throws as activations().
[[nodiscard]] std::vector<std::vector<double>> link_inputs(const Network& network, const NetworkWeights& weights,
                                                           std::span<const double> x);

/// Position of the largest input of every max-pool window, the first in row-major order of the window.
/// Shapes: `x` has the elements of in_shape, the result those of out_shape. Throws std::invalid_argument for any other
/// operator.
[[nodiscard]] std::vector<std::uint32_t> max_positions(const Operator& op, std::span<const double> x);

/// What an average pooling divides by; PyTorch's rules (count_include_pad, divisor_override).
/// Shapes: one per element of out_shape. Throws std::invalid_argument for any other operator.
[[nodiscard]] std::vector<double> average_divisors(const Operator& op);

}  // namespace upsweep

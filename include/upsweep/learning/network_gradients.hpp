#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"

namespace upsweep {

/// Gradients of the parameters of one operator; both empty where it has none.
struct ParameterGradients {
  std::vector<double> values;  ///< as OperatorWeights::values; 0 where a weight is not kept
  std::vector<double> bias;    ///< as OperatorWeights::bias; empty without a bias
};

/// True for conv2d, linear, and batchnorm2d with `affine`.
[[nodiscard]] bool has_parameters(const Operator& op);

/// Writes out the parameters that a network's weights leave at their defaults: biases of 0, scales of 1. Running means
/// and variances are no parameters.
void write_out_parameters(const Network& network, NetworkWeights& weights);

/// Gradients of an operator's parameters, summed over samples, from its inputs and the gradients with respect to its
/// outputs: independent of all other operators once those are known.
///
/// Batch normalisation works in evaluation mode: scale and shift are parameters, mean and variance constants.
/// Double precision; samples are added in their order. Threads over output channels or features: the result does not
/// depend on their number. Not to be called from a chunk of parallel_chunks().
/// Throws std::invalid_argument for wrong lengths, which it names.
/// Cost: for each sample the multiplications of the forward pass, those of zero weights included.
/// Source: thesis, Equation 2.2.
[[nodiscard]] ParameterGradients operator_gradients(const Operator& op, const OperatorWeights& weights,
                                                    std::span<const OperatorSample> samples);

}  // namespace upsweep

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"

namespace upsweep {

/// One vector per sample of a batch.
using SampleVectors = std::vector<std::vector<double>>;

/// Activations of a network, or gradients with respect to them: length links + 1. Entry i belongs to the inputs of link
/// i, the last one to the outputs of the network; [i][sample][element].
using BatchVectors = std::vector<SampleVectors>;

/// Whether forward() and direct_gradient() of an operator use several threads themselves, so that they must not be
/// called from several at once: conv2d, linear.
[[nodiscard]] bool uses_threads(const OperatorKind& kind);

/// link_inputs() for every sample, operator after operator, in double precision.
///
/// Shapes: `images` has the elements of the network's input per sample. Throws OperatorError (its index is a position
/// in network.operators()) where an output is NaN or infinite and for a network with branches, std::invalid_argument
/// for a wrong length.
[[nodiscard]] BatchVectors forward_batch(const Network& network, const NetworkWeights& weights, SampleVectors images);

/// Softmax cross-entropy of a batch.
struct BatchLoss {
  double mean = 0;
  std::size_t correct = 0;  ///< samples whose largest output, the first of equal ones, is that of their label
  SampleVectors gradients;  ///< of the mean loss with respect to the outputs
};

/// Shapes: one label per sample, each below the number of outputs. Throws std::invalid_argument for other labels and
/// for an empty batch.
[[nodiscard]] BatchLoss batch_loss(const SampleVectors& outputs, std::span<const std::uint32_t> labels);

}  // namespace upsweep

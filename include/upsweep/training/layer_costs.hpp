#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "upsweep/machine/machine.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"
#include "upsweep/training/layer_work.hpp"

namespace upsweep {

/// Times and sizes of the layers 1..L of a network; every vector has length L. A cost of 0 means that there is no such
/// op: a layer without weights has no W.
struct LayerCosts {
  std::vector<std::string> names;
  std::vector<double> forward;          ///< F: seconds per micro-batch
  std::vector<double> output_gradient;  ///< O: seconds per micro-batch, layer 1 included
  std::vector<double> weight_gradient;  ///< W: seconds per micro-batch
  /// The part of O that W of the same layer waits for: through what follows its first weights. Who leaves out O of
  /// layer 1 still needs it.
  std::vector<double> inner_gradient;
  std::vector<double> output_bytes;  ///< per micro-batch, of the tensor that goes to the next layer
  std::vector<double> weight_bytes;  ///< of the weights, whatever the micro-batch

  [[nodiscard]] std::size_t layers() const { return names.size(); }
};

/// A micro-batch on a device.
struct MicroBatch {
  std::uint64_t samples = 1;  ///< at least 1
  unsigned value_bytes = 4;   ///< 4 or 8
  std::size_t workers = 0;    ///< of the machine; 0: all of them
};

/// Costs of a network's layers as sparse products with Jacobians: what the scan executes, so that both are compared on
/// the same footing.
///
/// Layers by chain_layers(). O of an operator is the product of its transposed Jacobian (guaranteed pattern) with a
/// dense gradient, counted as in the schedule `linear`; F has the same entries, and so has W of conv2d and linear (one
/// multiply and one add per entry): they count as the same op. A layer's F and O are the sums over its operators, one
/// level each, by equal_ops_seconds(). The weight gradient of a batchnorm2d costs no time, its bytes are in
/// weight_bytes; pruned weights have no bytes.
///
/// `weights`: one entry per operator. Throws std::invalid_argument for no samples, OperatorError for a network with
/// branches, CountOverflow. Patterns are made one at a time; require_pattern_memory() says beforehand whether they fit.
[[nodiscard]] LayerCosts csr_costs(const Network& network, const NetworkWeights& weights, const Machine& machine,
                                   const MicroBatch& batch);

/// Costs of layers as dense kernels by a roofline: an op takes, for each of its parts, the op latency and the larger of
/// samples · FLOPs over the machine's FLOP/s and bytes moved over its bandwidth.
///
/// By dense_rates(): a datasheet's peak is never reached, so that its times are lower bounds. Throws
/// std::invalid_argument, in words for a user, for a machine of kind pram, for one that lacks a rate, and for no
/// samples.
[[nodiscard]] LayerCosts dense_costs(std::span<const LayerWork> layers, const Machine& machine,
                                     const MicroBatch& batch);

}  // namespace upsweep

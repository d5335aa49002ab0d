#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "upsweep/base/hidden.hpp"
#include "upsweep/learning/network_batch.hpp"

namespace upsweep {

/// Computes the gradients of all activations of a batch but the images.
///
/// Shapes: `inputs` from forward_batch(); `gradients` has as many entries, the last one with the gradients of the loss,
/// the others, from 1 on, are written.
using ActivationGradients =
    std::function<void(const NetworkWeights& weights, const BatchVectors& inputs, BatchVectors& gradients)>;

/// Plain back-propagation by the definition of each operator, direct_gradient(): no Jacobian is formed. Double
/// precision; it is the reference for numbers, not tuned to be one for times. `network` must outlive the result. Throws
/// OperatorError for a network with branches.
[[nodiscard]] ActivationGradients plain_backward(const Network& network);

/// Gradients of activations by a scan over the sparse transposed Jacobians of each sample, in their guaranteed pattern:
/// the structure (patterns, products, memory) is planned once, numbers are written anew for each sample and iteration.
/// Numbers that depend on the weights alone (conv2d, linear, batchnorm2d) or on nothing (average pooling) are written
/// once for all samples.
///
/// Jacobians and products are T, float or double; dead combines are left out. Threads over samples: each runs the
/// schedule of a sample of its own, without a barrier.
template <class T>
class ScanBackward {
 public:
  /// `schedule`: what parse_schedule() reads. The masks of `weights` are part of the structure. `network` must
  /// outlive this object.
  ///
  /// Throws std::invalid_argument, "'x' is no backward pass of a network, accepted are ...", or where weights and
  /// network do not belong together; OperatorError for a network with branches; BackendError where this machine's
  /// memory is too small (says how much is needed).
  ScanBackward(const Network& network, const NetworkWeights& weights, const std::string& schedule);

  /// As ActivationGradients. `weights` has the masks of the constructor's. Not to be called by two threads at once.
  /// Throws std::overflow_error where a weight does not fit into T. The result does not depend on the number of
  /// threads.
  void run(const NetworkWeights& weights, const BatchVectors& inputs, BatchVectors& gradients);

  /// FLOPs of the products for one sample.
  [[nodiscard]] std::uint64_t flops() const;
  /// Jacobian values that are written for every sample; and for every iteration, once.
  [[nodiscard]] std::uint64_t values_per_sample() const;
  [[nodiscard]] std::uint64_t values_per_iteration() const;
  /// Memory of the plan, and of the values and products of all threads.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

/// The name of plain_backward().
inline constexpr const char* kPlainBackward = "bp";

/// The canonical name of a backward pass, of those that mean the same: "hybrid:0" is "linear".
/// Throws std::invalid_argument, "'x' is no backward pass of a network, accepted are ...", unless it is "bp" or
/// parse_schedule() reads it.
[[nodiscard]] std::string network_backward_name(const std::string& name);

}  // namespace upsweep

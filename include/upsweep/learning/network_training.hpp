#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/learning/image_data.hpp"
#include "upsweep/learning/network_backward.hpp"
#include "upsweep/learning/optimizer.hpp"
#include "upsweep/learning/train_result.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"

namespace upsweep {

/// How to train a network of operators.
struct NetworkTraining {
  std::size_t batch = 1;  ///< images of an iteration
  std::size_t iterations = 1;
  OptimizerSettings optimizer;
  std::uint64_t shuffle_seed = 0;  ///< BatchOrder
};

/// One training: its curve and what it learnt.
struct TrainedNetwork {
  LossCurve curve;
  NetworkWeights weights;
};

/// Trains from `initial` weights, by the mean softmax cross-entropy of a batch.
///
/// Weights, moments and updates are T, float or double; the forward pass, the loss and the gradients of the parameters
/// are computed from those in double precision, and the gradients rounded to T once. Weights that the masks of
/// `initial` remove stay 0. `backward` computes the gradients of the activations, in its own precision; `name` is what
/// the curve and errors call it. One iteration without update comes first, so that no time holds the first touch of
/// memory. A training that diverges ends its curve, which says so.
/// Throws std::invalid_argument where the images are not those of the network's input, or have more classes than it has
/// outputs, or where there are fewer than a batch; OperatorError for a network with branches; what `backward` and
/// `progress` throw.
template <class T>
[[nodiscard]] TrainedNetwork train_network(const Network& network, const NetworkWeights& initial,
                                           const NetworkTraining& training, const ImageData& data,
                                           const ActivationGradients& backward, const std::string& name,
                                           const TrainProgress& progress = {}, std::size_t index = 0);

/// Trains by every backward pass in turn, each from the same weights over the same batches, and compares them with the
/// first: "bp", plain_backward(); "linear", "hybrid:L" and "blelloch", ScanBackward<T>. Those after one that diverges
/// are trained all the same.
///
/// `pass_seconds` stays empty: phases of passes that run side by side on several threads have no wall-clock time.
/// Throws as train_network(); as ScanBackward for any of the passes, and std::invalid_argument
/// for no or unknown ones, before the first iteration.
template <class T>
[[nodiscard]] TrainResult train_network_by_all(const Network& network, const NetworkWeights& initial,
                                               const NetworkTraining& training, const ImageData& data,
                                               const std::vector<std::string>& backward,
                                               const TrainProgress& progress = {});

/// Numbers that training changes; masked weights are not counted.
[[nodiscard]] std::uint64_t trained_parameters(const Network& network, const NetworkWeights& weights);

}  // namespace upsweep

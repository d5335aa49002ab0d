#pragma once

#include <string>

#include "upsweep/io/yaml.hpp"
#include "upsweep/learning/train_spec.hpp"

namespace upsweep {

/// Reads a train file:
///
///     name: rnn-bitstream
///     model: ../../models/rnn-bitstream.yaml    # relative to this file
///     note: free text                           # optional
///     train:
///       data: {bitstream: {samples: 32000, seed: 1}}
///       optimizer: {adam: {learning_rate: 3.0e-5}}
///       batch: 16                               # optional for a recurrent model: its own
///       steps: 1000                             # optional, recurrent models only: its own
///       iterations: 100
///       backward: [bptt, blelloch, "blocked:4"]
///       backend: cpu                            # optional
///       shuffle_seed: 1                         # optional: 0
///
/// `data` is one of {bitstream: {samples, seed}}, {features: {inputs: x.npy, labels: y.npy, normalize: true}},
/// {synthetic_features: {samples, seed}}, {images: {cifar10: FOLDER}}, {images: {synthetic: {samples, seed}}};
/// `optimizer` {sgd: {learning_rate, momentum}} or {adam: {learning_rate, beta1, beta2, epsilon}}, all but the learning
/// rate optional. Throws InputError, "FILE:LINE: what is wrong, what was found, what is accepted"; also where the model
/// file is none, and where data or a backward pass do not go with that kind of model.
[[nodiscard]] TrainSpec load_train(const YamlDocument& document);

}  // namespace upsweep

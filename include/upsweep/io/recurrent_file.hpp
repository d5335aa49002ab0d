#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/io/yaml.hpp"
#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/sequence_batch.hpp"

namespace upsweep {

/// Sequences that a model file names.
struct RecurrentSample {
  std::uint64_t samples = 0;
  std::uint64_t steps = 0;            ///< of every sample
  std::vector<double> inputs;         ///< [sample][step][input]
  std::vector<std::uint32_t> labels;  ///< [sample]
};

/// A model file of a recurrent network, read and checked.
struct RecurrentModel {
  std::string file;  ///< as errors name it
  std::string name;
  unsigned value_bytes = 4;  ///< 4 for fp32, 8 for fp64
  CellShape shape;
  std::uint64_t layers = 1;  ///< of the stack, each fed by the states of the one below; the head is on the last
  std::uint64_t steps = 2;   ///< T >= 2
  std::uint64_t batch = 1;   ///< B: sequences of an iteration
  bool is_fused = true;      ///< one Jacobian per step; otherwise the diagonal and the weights on their own (rnn)
  std::uint64_t seed = 0;    ///< of the initial weights
  std::optional<CellWeights<double>> values = std::nullopt;  ///< weights from files, instead of a seed
  std::optional<RecurrentSample> sample = std::nullopt;      ///< sequences from files
  std::string content_hash;                                  ///< of everything but the name
};

/// Which models a reader takes.
enum class Layers : std::uint8_t {
  one,  ///< the only ones that are run
  any,  ///< stacks of layers too
};

/// Reads a recurrent model:
///
///     name: rnn-bitstream
///     dtype: fp32                         # or fp64
///     recurrent: {cell: rnn, input_size: 1, hidden_size: 20, steps: 1000, batch: 16, nonlinearity: tanh, fused: true}
///     head: {out_features: 10}            # linear, on the last hidden state
///     weights: {seed: 1}                  # optional; uniform as PyTorch initialises them; or values: FOLDER
///     sample: {inputs: x.npy, labels: y.npy}   # optional; [samples, steps, input_size] and [samples]
///
/// A folder of values has weight_ih_l0.npy, weight_hh_l0.npy, head.npy and, where they are not 0, bias_ih_l0.npy,
/// bias_hh_l0.npy, head.bias.npy, with PyTorch's shapes and gate order. Paths are relative to the file. A sample has at
/// least `batch` sequences of at least `steps` steps; the first of both are run.
/// `cell` is rnn or gru; `nonlinearity` (tanh or relu, of an rnn), `batch` (1) and `fused` (true) are optional; a gru
/// has one Jacobian per step and is fused. `layers` (1) is a stack of such cells of `hidden_size` each, which is fused
/// and has no weights from files. Throws InputError, "FILE:LINE: what is wrong, what was found, what is accepted", also
/// for a stack that `accepted` leaves out.
[[nodiscard]] RecurrentModel load_recurrent(const YamlDocument& document, Layers accepted = Layers::one);

/// The weights of a model: from its files, rounded to T, or from its seed. Throws InputError where a number is
/// infinite as a T.
template <class T>
[[nodiscard]] CellWeights<T> recurrent_weights(const RecurrentModel& model);

/// The batch that a model is run with: the first sequences of its sample, or random ones of `seed`. Throws InputError
/// where the sample has too few or too short sequences for `model.batch` and `model.steps`, or a number is infinite as
/// a T.
template <class T>
[[nodiscard]] SequenceBatch<T> recurrent_batch(const RecurrentModel& model, std::uint64_t seed);

}  // namespace upsweep

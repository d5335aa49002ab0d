#pragma once

#include <cstdint>
#include <istream>
#include <string>

#include "upsweep/recurrent/cell.hpp"

namespace upsweep {

/// A model file of a recurrent network, read and checked.
struct RecurrentModel {
  std::string file;  ///< as errors name it
  std::string name;
  unsigned value_bytes = 4;  ///< 4 for fp32, 8 for fp64
  CellShape shape;
  std::uint64_t steps = 2;   ///< T >= 2
  std::uint64_t batch = 1;   ///< B: sequences of an iteration
  bool is_fused = true;      ///< one Jacobian per step; otherwise the diagonal and the weights on their own (rnn)
  std::uint64_t seed = 0;    ///< of the initial weights
  std::string content_hash;  ///< of everything but the name
};

/// True when the file is a mapping with the key `recurrent`. Throws InputError where it is no YAML.
[[nodiscard]] bool is_recurrent_file(const std::string& path);

/// Reads a recurrent model:
///
///     name: rnn-bitstream
///     dtype: fp32                         # or fp64
///     recurrent: {cell: rnn, input_size: 1, hidden_size: 20, steps: 1000, batch: 16, nonlinearity: tanh, fused: true}
///     head: {out_features: 10}            # linear, on the last hidden state
///     weights: {seed: 1}                  # optional; uniform as PyTorch initialises them
///
/// `cell` is rnn or gru; `nonlinearity` (tanh or relu, of an rnn), `batch` (1) and `fused` (true) are optional; a gru has
/// one Jacobian per step and is fused. Throws InputError, "FILE:LINE: what is wrong, what was found, what is accepted".
[[nodiscard]] RecurrentModel load_recurrent(const std::string& path);

/// The same from a stream; `path` stands for it in errors.
[[nodiscard]] RecurrentModel load_recurrent(std::istream& in, const std::string& path);

}  // namespace upsweep

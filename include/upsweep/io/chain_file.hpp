#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/io/yaml.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/recurrent/backward_pass.hpp"

namespace upsweep {

/// A model whose chain has closed forms: a synthetic chain, or the steps of a recurrent network.
struct ChainModel {
  std::string file;  ///< as errors name it
  std::string name;
  unsigned value_bytes = 4;
  HomogeneousChain chain;
  std::uint64_t batch = 1;                         ///< of a recurrent model; 1 of a synthetic chain
  std::optional<PassShape> passes = std::nullopt;  ///< of a recurrent model: how a gpu runs it
  std::string content_hash;                        ///< of everything but the name
};

/// Reads a synthetic chain:
///
///     name: rnn-like
///     dtype: fp32
///     chain: {length: 1000, size: 20, kind: dense}       # or diagonal
///     chain: {length: 1000, size: 20, kind: banded, nnz_per_row: 3}     # odd: of a row inside the band
///     chain: {length: 1000, size: 20, kind: uniform, density: 0.1}      # or nnz_per_row; counts are expectations
///
/// `length` is n, 1 to 2^40, `size` 1 to 2^31 - 1. Throws InputError, "FILE:LINE: what is wrong, what was found, what
/// is accepted".
[[nodiscard]] ChainModel read_chain(const YamlDocument& document);

/// The Jacobians of a recurrent model of one layer.
[[nodiscard]] HomogeneousChain chain_of(const RecurrentModel& model);

/// The chain of a recurrent model of one layer. Throws InputError; also for a stack of layers.
[[nodiscard]] ChainModel recurrent_chain(const YamlDocument& document);

}  // namespace upsweep

#pragma once

#include <filesystem>
#include <vector>

#include "upsweep/io/content_hash.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/io/seeded_masks.hpp"
#include "upsweep/io/yaml.hpp"

namespace upsweep {

/// What the readers of a model file's arrays share.
struct ModelContext {
  const YamlDocument& document;
  std::filesystem::path folder;  ///< paths in the file are relative to it
  const Network& network;
  const std::vector<int>& lines;  ///< of the operators, in the order of the network
  Numbers numbers;
  ContentHash& hash;
  const NetworkWeights& constants;  ///< numbers that the list of operators states
  SeededMasks* masks = nullptr;     ///< that are kept between models; null: each makes its own
};

/// Reads `weights` (null where the file has none) for every operator of the network. Throws InputError.
[[nodiscard]] NetworkWeights read_weights(const ModelContext& context, const YamlNode* weights);

/// `count` inputs of standard normal numbers.
[[nodiscard]] SampleInputs normal_inputs(std::size_t count, std::size_t length, std::uint64_t seed);

/// Reads `sample` and checks it; the numbers are not there under Numbers::structure. Throws InputError.
[[nodiscard]] SampleInputs read_sample(const ModelContext& context, const YamlNode& sample);

}  // namespace upsweep

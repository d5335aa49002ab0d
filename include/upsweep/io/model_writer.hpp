#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "upsweep/io/model_file.hpp"

namespace upsweep {

/// What write_model() wrote.
struct WrittenModel {
  std::string arrays;       ///< the file of weights or masks; empty: the model has none
  std::uint64_t bytes = 0;  ///< of both files
  std::size_t operators = 0;
};

/// The file of weights or masks that write_model() puts beside a model file: its name with .safetensors.
[[nodiscard]] std::string arrays_beside(const std::string& path);

/// Writes a network as a model file `path` (YAML) that counts the same to the last digit. `with_values`: its weights
/// are numbers and stand in arrays_beside(); else the positions of
/// pruned weights do, where there are any. Characters that no operator's name in a model file may have become dots.
/// Sample inputs are left out. Files are replaced whole. Throws InputError where they cannot be.
WrittenModel write_model(const Model& model, bool with_values, const std::string& path);

}  // namespace upsweep

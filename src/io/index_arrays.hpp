#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "array_source.hpp"
#include "upsweep/network/operators/index_map.hpp"

namespace upsweep {

/// Lists of element numbers that operators have in files: each file is opened, and each list read, once.
class IndexArrays {
 public:
  /// Paths are relative to `folder`.
  explicit IndexArrays(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The integers of a .npy file, or, with its name, of an array of a folder, a .npz or a .safetensors file; -1 stands
  /// for IndexMap::kFill. Throws InputError.
  [[nodiscard]] IndexList read(const std::string& file, const std::string& array);

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::unique_ptr<const ArraySource>> sources_;
  std::map<std::pair<std::string, std::string>, IndexList> lists_;
};

}  // namespace upsweep

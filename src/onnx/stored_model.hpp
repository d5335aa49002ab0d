#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <unordered_map>

namespace upsweep {

/// Bytes that stay in a file until they are asked for.
struct FileRange {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// A model without the bytes of its large initializers.
struct StoredModel {
  onnx::ModelProto model;
  std::unordered_map<int, FileRange> large;  ///< by the place of an initializer in the graph
};

/// Reads an ONNX file of less than 2 GiB; weights are passed over, whatever their size: reading takes the memory of the
/// rest. Names are made printable. Throws InputError for what is no file, no model, truncated or without nodes.
[[nodiscard]] StoredModel read_stored_model(const std::string& path);

}  // namespace upsweep

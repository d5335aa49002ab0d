#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stored_model.hpp"
#include "upsweep/network/shape.hpp"

namespace upsweep {

/// A tensor that does not depend on the network's input. Its numbers may be unknown: a weight that the file leaves out.
struct Tensor {
  Shape dims;
  bool is_integer = false;                               ///< divisions round towards 0
  std::shared_ptr<const std::vector<double>> made = {};  ///< numbers that were computed
  const onnx::TensorProto* stored = nullptr;             ///< numbers in the file; read when they are asked for
  std::optional<FileRange> range = {};                   ///< where `stored` lacks its bytes, those
  std::shared_ptr<const std::string> folder = {};        ///< of external data
  std::string name = {};                                 ///< in the file; empty where it was computed

  [[nodiscard]] bool is_known() const { return made != nullptr || stored != nullptr; }
  /// The numbers, row-major. Throws std::invalid_argument where they are unknown, do not fit the shape or are NaN or
  /// infinite, or lie outside the folder.
  [[nodiscard]] std::vector<double> values() const;
  /// Where they are not 0, as 1 and 0; empty where none is 0. Throws as values() does.
  [[nodiscard]] std::vector<std::uint8_t> nonzero() const;
  /// The same as integers, for shapes and indices.
  [[nodiscard]] std::vector<std::int64_t> integers() const;

  static Tensor of(Shape dims, std::vector<double> values, bool is_integer);
};

/// The tensor of a proto, which must outlive it. Throws std::invalid_argument for types that are no numbers.
[[nodiscard]] Tensor tensor_of(const onnx::TensorProto& proto, const std::shared_ptr<const std::string>& folder);

}  // namespace upsweep

#pragma once

#include <utility>

#include "importer.hpp"

namespace upsweep {

/// The windows of a node over one or two axes of an image; an axis that is missing is one of a single position.
struct NodeWindows {
  Shape image;  ///< [channels, height, width]
  PerAxis kernel{1, 1}, stride{1, 1}, dilation{1, 1};
  PerAxis before{0, 0}, after{0, 0};  ///< padding
  std::size_t axes = 2;

  /// The shape of an output image as the node has it.
  [[nodiscard]] Shape dims(const Shape& out) const {
    if (axes == 1) return {1, out[0], out[2]};
    return {1, out[0], out[1], out[2]};
  }
};

/// Sizes for the axes of the positions, from `first` in a list on. Throws std::invalid_argument.
[[nodiscard]] PerAxis pair_of(const std::vector<std::int64_t>& sizes, std::size_t axes, std::size_t first,
                              std::int64_t least, const char* name);

/// The windows of a node with an input of shape `in`; `kernel`: the sizes that its weight has, or none.
[[nodiscard]] NodeWindows windows_of(const OnnxNode& node, const Shape& in, const Shape& kernel);

/// The image that windows read; where the padding is not the same on both sides, with the padding in it.
[[nodiscard]] std::string image_of(OnnxValue value, NodeWindows& windows, double fill, NetworkBuilder& builder);

/// What an operator of windows without a weight gives.
[[nodiscard]] OnnxValue windowed(const OperatorKind& kind, const std::string& from, const NodeWindows& windows,
                                 NetworkBuilder& builder);

}  // namespace upsweep

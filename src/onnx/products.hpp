#pragma once

#include "importer.hpp"

namespace upsweep {

/// A matrix of constants, [outputs, features] once it is ordered.
struct ConstantMatrix {
  const Tensor& tensor;
  std::uint64_t features = 0;
  std::uint64_t outputs = 0;
  bool is_transposed = false;  ///< it stands as [features, outputs]
  double factor = 1;

  [[nodiscard]] OperatorWeights weights(NetworkBuilder& builder) const;
};

/// The last axis of a value times a matrix. Where it is the channels of an image, that is a 1 × 1 convolution.
[[nodiscard]] OnnxValue times_matrix(OnnxValue value, const ConstantMatrix& matrix, NetworkBuilder& builder);

/// [batch, m, k] times constants [batch, k, n]: a 1 × 1 convolution with a group for each of the batch.
[[nodiscard]] OnnxValue times_matrices(OnnxValue value, const Tensor& matrices, NetworkBuilder& builder);

/// The product of two activations, whose axes in front are broadcast.
[[nodiscard]] OnnxValue times(OnnxValue a, OnnxValue b, NetworkBuilder& builder);

}  // namespace upsweep

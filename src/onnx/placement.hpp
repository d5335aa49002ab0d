#pragma once

#include "importer.hpp"

namespace upsweep {

/// A shape without axes of one element in front.
[[nodiscard]] Shape trimmed(Shape dims);

/// A shape without the batch.
[[nodiscard]] Shape sample_shape(Shape dims);

/// The operator that gives the whole value, which is moved if it must be.
[[nodiscard]] std::string whole(OnnxValue& value, NetworkBuilder& builder);

/// A value repeated along axes of one element.
[[nodiscard]] OnnxValue expanded(OnnxValue value, const Shape& dims, NetworkBuilder& builder);

/// Where the numbers of a constant stand: element i of an activation of `dims` has number (i / inner) mod size.
struct Placement {
  std::uint64_t size = 1;
  std::uint64_t inner = 1;
  std::vector<std::uint32_t> order = {};  ///< of the numbers in the tensor; empty: as they stand
};

[[nodiscard]] Placement placement_of(const Shape& constant, const Shape& dims);

/// The numbers of a tensor in this order; empty where they are unknown or nobody asked for them.
[[nodiscard]] std::vector<double> placed(const Tensor& tensor, const Placement& place, NetworkBuilder& builder);

}  // namespace upsweep

#pragma once

#include "node.hpp"
#include "upsweep/network/operators/interpolation.hpp"

namespace upsweep {

/// What Resize or Upsample makes of an input.
struct Resizing {
  Shape dims;                  ///< of the output
  std::vector<double> scales;  ///< by axis; 0: outputs / inputs
  SamplePlace place = SamplePlace::half_pixel;
  double shift = 0;     ///< added to places
  bool is_old = false;  ///< before opset 11: Upsample, asymmetric
};

/// Throws std::invalid_argument.
[[nodiscard]] Resizing resizing_of(const OnnxNode& node, const Shape& in);

}  // namespace upsweep

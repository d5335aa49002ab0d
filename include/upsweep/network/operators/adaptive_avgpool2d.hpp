#pragma once

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// [C, H, W] → [C, output_size.y, output_size.x].
struct AdaptiveAvgPool2d {
  static constexpr OperatorTraits kTraits{"adaptive_avgpool2d", Structure::window, JacobianNumbers::fixed};

  PerAxis output_size;

  static constexpr void settings(auto& self, auto& in) { in.required("output_size", self.output_size); }
  [[nodiscard]] Shape shape(const Shape& in) const;
  [[nodiscard]] ImageWindows windows(const Operator& op) const;
  /// Inputs of each window. Shapes: one per element of out_shape.
  [[nodiscard]] std::vector<double> divisors(const Operator& op) const;
};

}  // namespace upsweep

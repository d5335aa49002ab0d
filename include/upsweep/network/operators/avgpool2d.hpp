#pragma once

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// [C, H, W] → [C, H', W']; padding counts as zero.
struct AvgPool2d {
  static constexpr OperatorTraits kTraits{"avgpool2d", Structure::window, JacobianNumbers::fixed};

  PerAxis kernel;
  PerAxis stride;
  PerAxis padding{0, 0};
  bool ceil_mode = false;
  bool count_include_pad = true;
  std::optional<std::uint64_t> divisor_override = std::nullopt;

  static constexpr void settings(auto& self, auto& in) {
    in.required("kernel", self.kernel);
    in.setting_or("stride", self.stride, self.kernel);
    in.setting("padding", self.padding, AtLeast{0});
    in.setting("ceil_mode", self.ceil_mode);
    in.setting("count_include_pad", self.count_include_pad);
    in.setting("divisor_override", self.divisor_override);
  }
  [[nodiscard]] Shape shape(const Shape& in) const;
  [[nodiscard]] ImageWindows windows(const Operator& op) const;
  /// What the sum of each window is divided by; PyTorch's rules. Shapes: one per element of out_shape.
  [[nodiscard]] std::vector<double> divisors(const Operator& op) const;
};

}  // namespace upsweep

#pragma once

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// [C, H, W] → [C, H', W']; padding counts as minus infinity.
struct MaxPool2d {
  static constexpr OperatorTraits kTraits{"maxpool2d", Structure::window, JacobianNumbers::chosen};

  PerAxis kernel;
  PerAxis stride;
  PerAxis padding{0, 0};
  PerAxis dilation{1, 1};
  bool ceil_mode = false;

  static constexpr void settings(auto& self, auto& in) {
    in.required("kernel", self.kernel);
    in.setting_or("stride", self.stride, self.kernel);
    in.setting("padding", self.padding, AtLeast{0});
    in.setting("dilation", self.dilation);
    in.setting("ceil_mode", self.ceil_mode);
  }
  [[nodiscard]] Shape shape(const Shape& in) const;
  [[nodiscard]] ImageWindows windows(const Operator& op) const;
  /// Position of the largest input of every window, the first in row-major order of the window.
  [[nodiscard]] std::vector<std::uint32_t> chosen(const Operator& op, std::span<const double> x) const;
};

}  // namespace upsweep

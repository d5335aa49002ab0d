#pragma once

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// x, or negative_slope · x from 0 down.
struct LeakyRelu {
  static constexpr OperatorTraits kTraits{"leaky_relu", Structure::elementwise, JacobianNumbers::input};

  double negative_slope = 0.01;

  static constexpr void settings(auto& self, auto& in) {
    in.ignored("inplace", false);
    in.setting("negative_slope", self.negative_slope);
  }
  [[nodiscard]] double value(double x) const { return x > 0 ? x : negative_slope * x; }
  [[nodiscard]] double slope(double x) const { return x > 0 ? 1 : negative_slope; }
};

}  // namespace upsweep

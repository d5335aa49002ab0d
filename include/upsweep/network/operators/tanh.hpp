#pragma once

#include <cmath>

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// tanh(x).
struct Tanh {
  static constexpr OperatorTraits kTraits{"tanh", Structure::elementwise, JacobianNumbers::input};

  static constexpr void settings(auto&, auto&) {}
  [[nodiscard]] double value(double x) const { return std::tanh(x); }
  [[nodiscard]] double slope(double x) const {
    const double t = std::tanh(x);
    return 1 - t * t;
  }
};

}  // namespace upsweep

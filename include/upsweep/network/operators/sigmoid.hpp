#pragma once

#include <cmath>

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// 1 / (1 + exp(-x)).
struct Sigmoid {
  static constexpr OperatorTraits kTraits{"sigmoid", Structure::elementwise, JacobianNumbers::input};

  static constexpr void settings(auto&, auto&) {}
  [[nodiscard]] double value(double x) const { return 1 / (1 + std::exp(-x)); }
  [[nodiscard]] double slope(double x) const {
    const double s = value(x);
    return s * (1 - s);
  }
};

}  // namespace upsweep

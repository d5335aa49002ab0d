#pragma once

#include "upsweep/network/operators/sigmoid.hpp"
#include "upsweep/network/structure.hpp"

namespace upsweep {

/// x · sigmoid(x).
struct Silu {
  static constexpr OperatorTraits kTraits{"silu", Structure::elementwise, JacobianNumbers::input};

  static constexpr void settings(auto&, auto& in) { in.ignored("inplace", false); }
  [[nodiscard]] double value(double x) const { return x * Sigmoid{}.value(x); }
  [[nodiscard]] double slope(double x) const {
    const double s = Sigmoid{}.value(x);
    return s * (1 + x * (1 - s));
  }
};

}  // namespace upsweep

#pragma once

#include <cmath>

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// x, or alpha · (exp(x) - 1) from 0 down.
struct Elu {
  static constexpr OperatorTraits kTraits{"elu", Structure::elementwise, JacobianNumbers::input};

  double alpha = 1.0;

  static constexpr void settings(auto& self, auto& in) {
    in.ignored("inplace", false);
    in.setting("alpha", self.alpha);
  }
  [[nodiscard]] double value(double x) const { return x > 0 ? x : alpha * std::expm1(x); }
  [[nodiscard]] double slope(double x) const { return x > 0 ? 1 : alpha * std::exp(x); }
};

}  // namespace upsweep

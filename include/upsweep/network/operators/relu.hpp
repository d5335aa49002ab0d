#pragma once

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// max(x, 0), off at exactly 0.
struct Relu {
  static constexpr OperatorTraits kTraits{"relu", Structure::elementwise, JacobianNumbers::chosen};

  static constexpr void settings(auto&, auto& in) { in.ignored("inplace", false); }
  [[nodiscard]] double value(double x) const { return x > 0 ? x : 0; }
  [[nodiscard]] double slope(double x) const { return x > 0 ? 1 : 0; }
};

}  // namespace upsweep

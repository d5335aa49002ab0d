#pragma once

#include <cmath>
#include <numbers>

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// x·Φ(x), or its approximation by tanh. Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.
struct Gelu {
  static constexpr OperatorTraits kTraits{"gelu", Structure::elementwise, JacobianNumbers::input};

  bool tanh_approximation = false;

  static constexpr void settings(auto& self, auto& in) {
    in.choice("approximate", self.tanh_approximation, {"none", "tanh"});
  }
  [[nodiscard]] double value(double x) const { return tanh_approximation ? 0.5 * x * (1 + tanh_at(x)) : x * cdf(x); }
  [[nodiscard]] double slope(double x) const {
    if (!tanh_approximation) {
      const double density = std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
      return cdf(x) + x * density;
    }
    const double t = tanh_at(x);
    // Far out tanh is flat; x * x may then be infinite.
    const double flank = t * t == 1 ? 0 : 0.5 * x * (1 - t * t) * kScale * (1 + 3 * 0.044715 * x * x);
    return 0.5 * (1 + t) + flank;
  }

 private:
  static constexpr double kScale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;  // sqrt(2 / pi)
  static double cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }
  static double tanh_at(double x) { return std::tanh(kScale * (x + 0.044715 * x * x * x)); }
};

}  // namespace upsweep

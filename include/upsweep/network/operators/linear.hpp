#pragma once

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// [F] → [out_features], or [N, F] → [N, out_features]; weight [out_features, F].
struct Linear {
  static constexpr OperatorTraits kTraits{"linear", Structure::contraction, JacobianNumbers::weights};

  std::uint64_t out_features = 0;
  bool bias = true;

  static constexpr void settings(auto& self, auto& in) {
    in.input_size("in_features");
    in.required("out_features", self.out_features);
    in.setting("bias", self.bias);
  }
  [[nodiscard]] Shape shape(const Shape& in) const;
  [[nodiscard]] OperatorParameters parameters(const Shape& in) const;
  /// A 1 × 1 convolution of a 1 × 1 image, for each of the N.
  [[nodiscard]] WeightedWindows weighted_windows(const Operator& op) const;
  /// Adds the weight times `x` to `out`. The sums do not depend on the number of threads.
  void add_product(const Operator& op, const OperatorWeights& weights, std::span<const double> x,
                   std::span<double> out) const;
  /// Adds the gradient of the weight.
  void add_value_gradients(const Operator& op, const OperatorWeights& weights, std::span<const OperatorSample> samples,
                           std::span<double> gradient) const;
};

}  // namespace upsweep

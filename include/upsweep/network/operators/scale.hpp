#pragma once

#include "upsweep/network/operator_weights.hpp"
#include "upsweep/network/structure.hpp"

namespace upsweep {

/// Every element times a constant: element i times number (i / inner) mod size of `values`, 1 by default. With
/// `bias` a constant of the same place is added; with `negative_part` (PReLU) positive elements stay what they are.
struct Scaling {
  static constexpr OperatorTraits kTraits{"scale", Structure::elementwise, JacobianNumbers::input};

  std::uint64_t size = 1;
  std::uint64_t inner = 1;
  bool bias = false;
  bool negative_part = false;

  static constexpr void settings(auto& self, auto& in) {
    in.setting("size", self.size);
    in.setting("inner", self.inner);
    in.setting("bias", self.bias);
    in.setting("negative_part", self.negative_part);
  }
  [[nodiscard]] Shape shape(const Shape& in) const;
  [[nodiscard]] OperatorParameters parameters(const Shape&) const {
    return {.scales = size, .biases = bias ? size : 0};
  }
  /// Which of the numbers element i has.
  [[nodiscard]] std::size_t parameter_of(std::size_t i) const { return i / inner % size; }
  [[nodiscard]] double value(const OperatorWeights& weights, std::size_t at, double x) const {
    return x * slope(weights, at, x) + (weights.bias.empty() ? 0 : weights.bias[at]);
  }
  [[nodiscard]] double slope(const OperatorWeights& weights, std::size_t at, double x) const {
    return weights.values.empty() || (negative_part && x > 0) ? 1 : weights.values[at];
  }
  /// Adds the gradient of the scales.
  void add_value_gradients(const Operator&, const OperatorWeights&, std::span<const OperatorSample> samples,
                           std::span<double> gradient) const;
};

}  // namespace upsweep

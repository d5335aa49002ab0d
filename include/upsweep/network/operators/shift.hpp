#pragma once

#include "upsweep/network/operator_weights.hpp"
#include "upsweep/network/structure.hpp"

namespace upsweep {

/// A view: constants added, number (i / inner) mod size of `bias` to element i, 0 by default. Its Jacobian is I.
struct Shifting {
  static constexpr OperatorTraits kTraits{"shift", Structure::view, JacobianNumbers::fixed};

  std::uint64_t size = 1;
  std::uint64_t inner = 1;

  static constexpr void settings(auto& self, auto& in) {
    in.setting("size", self.size);
    in.setting("inner", self.inner);
  }
  [[nodiscard]] Shape shape(const Shape& in) const;
  [[nodiscard]] OperatorParameters parameters(const Shape&) const { return {.biases = size}; }
  /// Adds the constants.
  void add_to(const OperatorWeights& weights, std::span<double> x) const {
    if (weights.bias.empty()) return;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += weights.bias[i / inner % size];
  }
  void add_value_gradients(const Operator&, const OperatorWeights&, std::span<const OperatorSample>,
                           std::span<double>) const {}
};

}  // namespace upsweep

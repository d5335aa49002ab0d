#pragma once

#include "upsweep/network/operator_weights.hpp"
#include "upsweep/network/structure.hpp"

namespace upsweep {

/// The product of two activations: [..., m, k] times [..., k, n] with the same axes in front → [..., m, n].
struct MatMul {
  static constexpr OperatorTraits kTraits{"matmul", Structure::mixing, JacobianNumbers::input};

  static constexpr void settings(auto&, auto&) {}
  [[nodiscard]] Shape shape(std::span<const Shape> in) const;
  [[nodiscard]] SharedRows rows(const Operator& op, std::size_t input) const;
  [[nodiscard]] std::uint64_t entries(const Operator& op, std::size_t input) const;
  [[nodiscard]] std::uint64_t baseline_flops(const Operator& op, std::size_t input) const {
    return 2 * entries(op, input);
  }
  [[nodiscard]] std::vector<double> value(const Operator& op, const OperatorWeights&,
                                          std::span<const std::span<const double>> inputs) const;
  [[nodiscard]] double slope(const Operator& op, const OperatorWeights&, std::size_t input, const MixingSample& sample,
                             std::size_t row, std::size_t column) const;
};

}  // namespace upsweep

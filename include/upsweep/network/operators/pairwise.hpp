#pragma once

#include "upsweep/network/operator_weights.hpp"
#include "upsweep/network/structure.hpp"

namespace upsweep {

/// What two elements become.
enum class PairRule : std::uint8_t { sum, difference, product, quotient, least, largest };

/// Two activations element by element; axes of size 1, and missing ones in front, are repeated (NumPy's broadcasting).
/// At a tie of min and max the first input has the gradient.
struct Pairwise {
  static constexpr OperatorTraits kTraits{"pairwise", Structure::mixing, JacobianNumbers::input};

  PairRule rule = PairRule::product;

  static constexpr void settings(auto& self, auto& in) {
    in.choice("rule", self.rule, {"add", "sub", "mul", "div", "min", "max"});
  }
  [[nodiscard]] Shape shape(std::span<const Shape> in) const;
  [[nodiscard]] SharedRows rows(const Operator& op, std::size_t input) const;
  [[nodiscard]] std::uint64_t entries(const Operator& op, std::size_t input) const;
  [[nodiscard]] std::uint64_t baseline_flops(const Operator& op, std::size_t input) const;
  [[nodiscard]] std::vector<double> value(const Operator& op, const OperatorWeights&,
                                          std::span<const std::span<const double>> inputs) const;
  [[nodiscard]] double slope(const Operator& op, const OperatorWeights&, std::size_t input, const MixingSample& sample,
                             std::size_t row, std::size_t column) const;
};

}  // namespace upsweep

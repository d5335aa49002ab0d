#pragma once

#include "upsweep/network/operator_weights.hpp"
#include "upsweep/network/structure.hpp"

namespace upsweep {

/// What becomes of a group of elements: as many (the first three) or one.
enum class GroupRule : std::uint8_t { softmax, log_softmax, normalise, mean, sum, least, largest, product, norm };

/// Groups of `size` elements that stand `inner` apart: element (o · size + k) · inner + i is member k of group (o, i).
/// Softmax, layer, group and instance normalisation, reductions: dense within the group.
///
/// normalise: (x - mean) / sqrt(variance + eps) · scale + shift, scale and shift by number (e / affine_inner) mod
/// affine_size of element e; none where affine_size is 0. norm: the square root of the sum of squares.
struct Grouped {
  static constexpr OperatorTraits kTraits{"grouped", Structure::mixing, JacobianNumbers::input};

  GroupRule rule = GroupRule::softmax;
  std::uint64_t size = 1;
  std::uint64_t inner = 1;
  double eps = 1e-5;
  std::uint64_t affine_size = 0;
  std::uint64_t affine_inner = 1;

  static constexpr void settings(auto& self, auto& in) {
    in.choice("rule", self.rule, {"softmax", "log_softmax", "normalise", "mean", "sum", "min", "max", "prod", "norm"});
    in.required("size", self.size);
    in.setting("inner", self.inner);
    in.setting("eps", self.eps, Between{.least = 0});
    in.setting("affine_size", self.affine_size, AtLeast{0});
    in.setting("affine_inner", self.affine_inner);
  }
  [[nodiscard]] bool reduces() const { return rule >= GroupRule::mean; }
  [[nodiscard]] std::size_t group_of(std::size_t element) const {
    return element / (size * inner) * inner + element % inner;
  }
  [[nodiscard]] Shape shape(std::span<const Shape> in) const;
  [[nodiscard]] OperatorParameters parameters(const Shape&) const {
    return {.scales = affine_size, .biases = affine_size};
  }
  [[nodiscard]] SharedRows rows(const Operator& op, std::size_t) const;
  [[nodiscard]] std::uint64_t entries(const Operator& op, std::size_t) const;
  [[nodiscard]] std::uint64_t baseline_flops(const Operator& op, std::size_t) const;
  [[nodiscard]] std::vector<double> value(const Operator& op, const OperatorWeights& weights,
                                          std::span<const std::span<const double>> inputs) const;
  [[nodiscard]] double slope(const Operator& op, const OperatorWeights& weights, std::size_t,
                             const MixingSample& sample, std::size_t row, std::size_t column) const;
  void add_value_gradients(const Operator&, const OperatorWeights&, std::span<const OperatorSample> samples,
                           std::span<double> gradient) const;
};

}  // namespace upsweep

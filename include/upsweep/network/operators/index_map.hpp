#pragma once

#include <memory>
#include <string>

#include "upsweep/network/operator_weights.hpp"
#include "upsweep/network/structure.hpp"

namespace upsweep {

/// A list of element numbers, shared by copies.
struct IndexList {
  std::shared_ptr<const std::vector<std::uint32_t>> numbers = {};

  [[nodiscard]] std::size_t size() const { return numbers ? numbers->size() : 0; }
  [[nodiscard]] std::uint32_t operator[](std::size_t i) const { return (*numbers)[i]; }
  /// A text that tells lists apart: length and a hash.
  [[nodiscard]] std::string digest() const;
};

/// Output element o is element indices[o] of its inputs, which are numbered one after the other, or `fill` where that
/// is kFill: transpose, slice, split, concat, pad, gather, expand, tile, resize by nearest, flip, roll.
struct IndexMap {
  static constexpr OperatorTraits kTraits{"index_map", Structure::mixing, JacobianNumbers::fixed};
  static constexpr std::uint32_t kFill = ~std::uint32_t{0};

  Shape out;
  IndexList indices;
  double fill = 0;

  static constexpr void settings(auto& self, auto& in) {
    in.required("shape", self.out);
    in.required("indices", self.indices);
    in.setting("fill", self.fill);
  }
  [[nodiscard]] Shape shape(std::span<const Shape> in) const;
  [[nodiscard]] SharedRows rows(const Operator& op, std::size_t input) const;
  [[nodiscard]] std::uint64_t entries(const Operator& op, std::size_t input) const;
  /// Additions: one for each output beyond the first of an element.
  [[nodiscard]] std::uint64_t baseline_flops(const Operator& op, std::size_t input) const;
  [[nodiscard]] std::vector<double> value(const Operator& op, const OperatorWeights&,
                                          std::span<const std::span<const double>> inputs) const;
  [[nodiscard]] double slope(const Operator&, const OperatorWeights&, std::size_t, const MixingSample&, std::size_t,
                             std::size_t) const {
    return 1;
  }
};

}  // namespace upsweep

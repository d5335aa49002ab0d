#pragma once

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// The sum of two or more activations of one shape, from the first to the last.
struct Add {
  static constexpr OperatorTraits kTraits{"add", Structure::join, JacobianNumbers::fixed};
  static constexpr JoinRule kJoin = JoinRule::sum;

  static constexpr void settings(auto&, auto&) {}
  [[nodiscard]] Shape shape(std::span<const Shape> in) const {
    for (const Shape& one : in) require_fit(one == in[0], in, "inputs of one shape");
    return in[0];
  }
};

}  // namespace upsweep

#pragma once

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// A view in evaluation mode: the identity.
struct Dropout {
  static constexpr OperatorTraits kTraits{"dropout", Structure::view, JacobianNumbers::fixed};

  static constexpr void settings(auto&, auto& in) {
    in.ignored("inplace", false);
    in.ignored("p", 0.5, Between{0, 1});
  }
  [[nodiscard]] Shape shape(const Shape& in) const { return in; }
};

}  // namespace upsweep

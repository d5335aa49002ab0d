#pragma once

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// A view: [C, H, W] → [C·H·W].
struct Flatten {
  static constexpr OperatorTraits kTraits{"flatten", Structure::view, JacobianNumbers::fixed};

  static constexpr void settings(auto&, auto& in) {
    in.only("start_dim", "1", "one sample is flattened as a whole");
    in.only("end_dim", "-1", "one sample is flattened as a whole");
  }
  [[nodiscard]] Shape shape(const Shape& in) const { return {elements(in)}; }
};

}  // namespace upsweep

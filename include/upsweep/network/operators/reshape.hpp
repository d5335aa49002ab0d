#pragma once

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// A view: the same elements in the same order, of another shape.
struct Reshape {
  static constexpr OperatorTraits kTraits{"reshape", Structure::view, JacobianNumbers::fixed};

  Shape out;

  static constexpr void settings(auto& self, auto& in) { in.required("shape", self.out); }
  [[nodiscard]] Shape shape(const Shape& in) const {
    require_fit(elements(in) == elements(out), std::span(&in, 1),
                ("those of the elements of " + to_string(out)).c_str());
    return out;
  }
};

}  // namespace upsweep

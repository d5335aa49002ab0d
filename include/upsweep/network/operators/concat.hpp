#pragma once

#include <algorithm>

#include "upsweep/base/checked.hpp"
#include "upsweep/network/structure.hpp"

namespace upsweep {

/// Two or more activations one after the other along the first axis: channels of images, or features.
struct Concat {
  static constexpr OperatorTraits kTraits{"concat", Structure::join, JacobianNumbers::fixed};
  static constexpr JoinRule kJoin = JoinRule::parts;

  static constexpr void settings(auto&, auto&) {}
  [[nodiscard]] Shape shape(std::span<const Shape> in) const {
    Shape out = in[0];
    for (const Shape& one : in.subspan(1)) {
      const bool fits = one.size() == out.size() && std::equal(one.begin() + 1, one.end(), out.begin() + 1);
      require_fit(fits, in, "inputs that differ in the first axis only");
      out[0] = checked_add(out[0], one[0]);
    }
    return out;
  }
};

}  // namespace upsweep

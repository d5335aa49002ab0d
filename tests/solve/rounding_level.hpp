#pragma once

#include <algorithm>
#include <cmath>

#include "upsweep/solve/residual.hpp"

namespace upsweep::testing {

/// True where no element exceeds its block's rounding level, and all are finite.
[[nodiscard]] inline bool is_at_rounding_level(const Residual& residual) {
  return std::ranges::all_of(
      residual.blocks, [](const ResidualNorms& block) { return std::isfinite(block.max) && block.max <= block.level; });
}

}  // namespace upsweep::testing

#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "upsweep/learning/curve.hpp"

namespace upsweep {

/// Curves of one length for pictures, which leave out what is not finite: those that ended early go on with NaN.
/// Throws std::invalid_argument where no curve has an iteration, or one is shorter without having ended early.
[[nodiscard]] inline std::vector<LossCurve> padded_curves(std::vector<LossCurve> curves) {
  std::size_t most = 0;
  for (const LossCurve& curve : curves) most = std::max(most, curve.loss.size());
  if (most == 0) throw std::invalid_argument("a picture of no curve or no iteration, accepted is 1 or more of both");
  for (LossCurve& curve : curves) {
    if (curve.loss.size() < most && !curve.failure) {
      throw std::invalid_argument(fmt::format("a curve of {} iterations beside one of {}, accepted are equal lengths",
                                              curve.loss.size(), most));
    }
    curve.loss.resize(most, std::nan(""));
  }
  return curves;
}

}  // namespace upsweep

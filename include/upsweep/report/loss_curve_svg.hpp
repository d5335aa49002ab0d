#pragma once

#include <string>
#include <vector>

#include "upsweep/learning/curve.hpp"

namespace upsweep {

/// A picture of loss curves on top of each other, the first solid and wide, the others dashed; below it, on a
/// logarithmic scale, how far each is from the first.
///
/// Shapes: curves of equal length but for those that ended early, at least 1 iteration. Throws std::invalid_argument
/// for others. An SVG 1.1 file of its own, for light and dark pages; the numbers are rounded to the picture's
/// resolution.
[[nodiscard]] std::string loss_curve_svg(const std::string& title, const std::vector<LossCurve>& given);

}  // namespace upsweep

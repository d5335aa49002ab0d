#pragma once

#include <string>
#include <vector>

#include "upsweep/learning/curve.hpp"

namespace upsweep {

/// Loss curves on top of each other in letters: '*' where all of them are, else the number of the curve (from 1; '+'
/// from the tenth on). Iterations that share a column are averaged; what is not finite is left out, and
/// so is what a curve that ended early lacks. Shapes: at least 1 curve, one of them with an iteration.
[[nodiscard]] std::string curve_plot(const std::vector<LossCurve>& curves);

}  // namespace upsweep

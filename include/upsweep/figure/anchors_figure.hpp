#pragma once

#include <optional>

#include "upsweep/anchors/anchors.hpp"
#include "upsweep/figure/figure.hpp"

namespace upsweep {

/// Predicted against published times, logarithmic, a panel for each family. Kind "anchors"; nothing without a point.
[[nodiscard]] std::optional<Figure> anchors_figure(const AnchorReport& report);

}  // namespace upsweep

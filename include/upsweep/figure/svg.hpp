#pragma once

#include <cstdint>
#include <string>

#include "upsweep/figure/figure.hpp"

namespace upsweep {

/// Whether this program was built with the charting library (Vega).
[[nodiscard]] bool has_charts();

/// Throws BusyError where draw_svg() cannot draw: the program was built without charts, or node cannot be run.
void require_charts();

/// The charting library as JavaScript for a page: defines `upsweepCharts` with draw() and svg(), see
/// src/figure/charts.js. Empty without charts.
[[nodiscard]] const std::string& charts_script();

/// Colours of a figure.
enum class Theme : std::uint8_t { light, dark };

/// Draws a figure as SVG by Node.js, which must be on the PATH. `width`: of the picture in pixels; 0: the template's.
///
/// Throws BusyError where the program was built without charts, node cannot be run or takes more than a minute;
/// std::runtime_error with what node said where drawing fails.
[[nodiscard]] std::string draw_svg(const Figure& figure, Theme theme, unsigned width = 0);

}  // namespace upsweep

#pragma once

#include <cstddef>
#include <vector>

namespace upsweep {

/// How far predictions are from measurements; relative errors, 0.1 is 10 %.
struct ErrorFigures {
  std::size_t points = 0;
  double mean = 0;
  double median = 0;
  double p90 = 0;  ///< the smallest error that nine tenths of the points do not exceed
  double max = 0;

  friend bool operator==(const ErrorFigures&, const ErrorFigures&) = default;
};

/// The errors |predicted / measured - 1|. Shapes: one entry per point, measured > 0; zeros without points.
/// Throws std::invalid_argument when the lengths differ or a measured time is not positive.
[[nodiscard]] ErrorFigures error_figures(const std::vector<double>& predicted, const std::vector<double>& measured);

}  // namespace upsweep

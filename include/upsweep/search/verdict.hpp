#pragma once

#include <cmath>
#include <cstdint>

namespace upsweep {

/// How a scan stands to plain back-propagation.
enum class Standing : std::uint8_t {
  pays,           ///< it takes less
  gains_nothing,  ///< it takes as much
  does_not_pay,   ///< it takes more
};

/// Counts and predictions are compared as they are.
inline constexpr double kSamePrediction = 0;
/// Measured times differ by this share from run to run on a machine that is not quite quiet.
inline constexpr double kSameMeasurement = 0.05;

/// The one rule of every verdict, in terminals, JSON and pages. `ratio`: of the scan to plain back-propagation; within
/// `same` of 1 they take as much.
[[nodiscard]] inline Standing standing_of(double ratio, double same = kSamePrediction) {
  if (std::fabs(ratio - 1) <= same) return Standing::gains_nothing;
  return ratio < 1 ? Standing::pays : Standing::does_not_pay;
}

}  // namespace upsweep

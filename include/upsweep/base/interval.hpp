#pragma once

namespace upsweep {

/// Where a figure lies: low <= high.
struct Interval {
  double low = 0;
  double high = 0;

  [[nodiscard]] bool has(double value) const { return low <= value && value <= high; }

  friend bool operator==(const Interval&, const Interval&) = default;
};

}  // namespace upsweep

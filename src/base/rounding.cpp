#include "upsweep/base/rounding.hpp"

#include <algorithm>

namespace upsweep {

bool Closeness::add(double found, double expected, double allowed, double scale) {
  const double difference = std::fabs(found - expected);
  const bool agrees = difference <= allowed && std::isfinite(difference);
  ++elements;
  if (!std::isfinite(allowed)) ++unbounded;
  if (difference > 0 || !agrees) {
    const double share =
        std::isfinite(difference) && allowed > 0 ? difference / allowed : std::numeric_limits<double>::infinity();
    worst_share = std::max(worst_share, share);
  }
  if (agrees) worst_relative = std::max(worst_relative, difference / scale);
  return agrees;
}

void Closeness::add(const Closeness& more) {
  elements += more.elements;
  unbounded += more.unbounded;
  worst_share = std::max(worst_share, more.worst_share);
  worst_relative = std::max(worst_relative, more.worst_relative);
}

}  // namespace upsweep

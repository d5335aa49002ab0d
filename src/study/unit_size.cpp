#include "unit_size.hpp"

#include <algorithm>

namespace upsweep {
namespace {

constexpr double kUnitSeconds = 0.5;

}  // namespace

void UnitSize::took(std::size_t points, double seconds) {
  if (points == 0) return;
  const auto now = static_cast<double>(this->points());
  const auto limit = static_cast<double>(most_);
  const double wanted = seconds > 0 ? kUnitSeconds * static_cast<double>(points) / seconds : limit;
  const double most = std::min(limit, now * 2);
  const double least = std::min(std::max(1.0, now / 2), most);
  points_.store(static_cast<std::size_t>(std::clamp(wanted, least, most)), std::memory_order_relaxed);
}

}  // namespace upsweep

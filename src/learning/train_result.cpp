#include "upsweep/learning/train_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace upsweep {
void compare_all(TrainResult& result) {
  result.differences.clear();
  for (const LossCurve& curve : result.curves) {
    const LossCurve& reference = result.curves.front();
    std::optional<CurveDifference>& difference = result.differences.emplace_back();
    if (!reference.failure && !curve.failure) difference = compare_curves(reference, curve);
  }
}

std::size_t TrainResult::longest() const {
  std::size_t most = 0;
  for (const LossCurve& curve : curves) most = std::max(most, curve.loss.size());
  return most;
}

std::size_t TrainResult::failures() const {
  return static_cast<std::size_t>(
      std::count_if(curves.begin(), curves.end(), [](const LossCurve& curve) { return curve.failure.has_value(); }));
}

template <class T>
double relative_weight_difference(std::span<const T> reference, std::span<const T> other) {
  if (reference.size() != other.size()) {
    throw std::invalid_argument(
        fmt::format("{} and {} weights, accepted are equal numbers", reference.size(), other.size()));
  }
  double scale = 0;
  double largest = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const auto one = static_cast<double>(reference[i]);
    const auto two = static_cast<double>(other[i]);
    if (one != two && !std::isfinite(two - one)) return std::numeric_limits<double>::infinity();
    scale = std::max(scale, std::fabs(one));
    largest = std::max(largest, std::fabs(two - one));
  }
  return largest == 0 ? 0 : largest / scale;
}

template double relative_weight_difference<float>(std::span<const float>, std::span<const float>);
template double relative_weight_difference<double>(std::span<const double>, std::span<const double>);

}  // namespace upsweep

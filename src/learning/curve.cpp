#include "upsweep/learning/curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace upsweep {
namespace {

/// |a - b|; 0 of two that are the same NaN or infinity, infinite where only one of them is.
double distance(double reference, double other) {
  if (reference == other || (std::isnan(reference) && std::isnan(other))) return 0;
  const double difference = std::fabs(other - reference);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

}  // namespace

std::size_t last_iterations(std::size_t iterations) { return std::max<std::size_t>(1, iterations / 10); }

double mean_of_last(const std::vector<double>& values, std::size_t most) {
  const std::size_t count = std::min(most, values.size());
  if (count == 0) return 0;
  const auto first = values.end() - static_cast<std::ptrdiff_t>(count);
  return std::accumulate(first, values.end(), 0.0) / static_cast<double>(count);
}

CurveDifference compare_curves(const LossCurve& reference, const LossCurve& other, std::size_t first) {
  if (reference.loss.empty() || reference.loss.size() != other.loss.size()) {
    throw std::invalid_argument(fmt::format("curves of {} ({}) and {} ({}) iterations, accepted are two of one length",
                                            reference.loss.size(), reference.backward, other.loss.size(),
                                            other.backward));
  }
  CurveDifference found;
  found.first_iterations = std::min(first, reference.loss.size());
  for (std::size_t i = 0; i < reference.loss.size(); ++i) {
    const double difference = distance(reference.loss[i], other.loss[i]);
    const double relative = difference == 0 ? 0 : difference / std::fabs(reference.loss[i]);
    if (difference > found.largest) {
      found.largest = difference;
      found.largest_at = i;
    }
    // Infinite, not NaN, where the reference is the one that is not finite.
    const double counted = std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative;
    found.largest_relative = std::max(found.largest_relative, counted);
    if (i < found.first_iterations) found.first_relative = std::max(found.first_relative, counted);
  }
  return found;
}

}  // namespace upsweep

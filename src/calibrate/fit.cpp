#include "upsweep/calibrate/fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace upsweep {
namespace {

/// G x = h, the normal equations of relative errors.
struct NormalEquations {
  std::vector<std::vector<double>> gram;
  std::vector<double> target;
};

NormalEquations normal_equations(const std::vector<TimePoint>& points, const std::vector<double>& weights) {
  const std::size_t units = points.front().counts.size();
  NormalEquations sums{std::vector(units, std::vector<double>(units)), std::vector<double>(units)};
  for (std::size_t p = 0; p < points.size(); ++p) {
    const TimePoint& point = points[p];
    if (!(point.seconds > 0)) throw std::invalid_argument("a time to fit is not positive");
    std::vector<double> row = point.counts;  // relative: the error of a point is its row times the costs, minus 1
    for (double& count : row) count /= point.seconds;
    const double weight = weights.empty() ? 1 : weights[p];
    for (std::size_t i = 0; i < units; ++i) {
      sums.target[i] += weight * row[i];
      for (std::size_t j = 0; j < units; ++j) sums.gram[i][j] += weight * row[i] * row[j];
    }
  }
  return sums;
}

double log_error(const TimePoint& point, const std::vector<double>& costs) {
  double seconds = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) seconds += point.counts[i] * costs[i];
  return std::log(std::max(seconds / point.seconds, 1e-9));
}

}  // namespace

std::vector<double> fit_times(const std::vector<TimePoint>& points, const std::vector<double>& weights) {
  if (points.empty()) throw std::invalid_argument("no points to fit");
  const auto [gram, target] = normal_equations(points, weights);
  std::vector<double> costs(target.size());
  constexpr int kSweeps = 20000;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double change = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (gram[i][i] <= 0) continue;
      double rest = target[i];
      for (std::size_t j = 0; j < costs.size(); ++j) rest -= j == i ? 0 : gram[i][j] * costs[j];
      const double next = std::max(0.0, rest / gram[i][i]);
      change = std::max(change, std::fabs(next - costs[i]) * std::sqrt(gram[i][i]));
      costs[i] = next;
    }
    if (change < 1e-12) break;
  }
  return costs;
}

std::vector<double> fit_robustly(const std::vector<TimePoint>& points) {
  std::vector<double> costs = fit_times(points);
  constexpr int kRounds = 25;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> weights;
    for (const TimePoint& point : points) {
      const double error = log_error(point, costs);
      const double size = std::max(std::fabs(error), 1e-9);
      // fit_times() has the square of the relative error where the log's is wanted, of a size or its square.
      const double relative = std::max(std::fabs(std::expm1(error)), 1e-9);
      weights.push_back(size / relative / std::max(size, kSmallError));
    }
    costs = fit_times(points, weights);
  }
  return costs;
}

WorkCosts fit_costs(const std::vector<CostPoint>& points) {
  std::vector<TimePoint> times;
  times.reserve(points.size());
  for (const CostPoint& point : points)
    times.push_back({{point.counts.begin(), point.counts.end()}, point.worker_seconds});
  const std::vector<double> costs = fit_times(times);
  WorkCosts result;
  std::ranges::copy(costs, result.unit_s.begin());
  return result;
}

bool any_has(const std::vector<CostPoint>& points, std::size_t unit) {
  return std::ranges::any_of(points, [unit](const CostPoint& point) { return point.counts[unit] > 0; });
}

void take_unmeasured(WorkCosts& memory, const WorkCosts& cache, const std::vector<CostPoint>& points) {
  memory.knows = cache.knows;
  for (std::size_t i = 0; i < memory.unit_s.size(); ++i) {
    if (!any_has(points, i) || !has_unit(cache.knows, kWorkNames[i])) memory.unit_s[i] = cache.unit_s[i];
  }
}

}  // namespace upsweep

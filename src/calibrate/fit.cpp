#include "upsweep/calibrate/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace upsweep {

WorkCosts fit_costs(const std::vector<CostPoint>& points) {
  if (points.empty()) throw std::invalid_argument("no points to fit");
  constexpr std::size_t kCount = kWorkNames.size();
  std::array<WorkVector, kCount> gram{};
  WorkVector target{};
  for (const CostPoint& point : points) {
    if (!(point.worker_seconds > 0)) throw std::invalid_argument("a time to fit is not positive");
    WorkVector row = point.counts;  // relative: the error of a point is its row times the costs, minus 1
    for (double& count : row) count /= point.worker_seconds;
    for (std::size_t i = 0; i < kCount; ++i) {
      target[i] += row[i];
      for (std::size_t j = 0; j < kCount; ++j) gram[i][j] += row[i] * row[j];
    }
  }
  WorkVector costs{};
  constexpr int kSweeps = 20000;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double change = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      if (gram[i][i] <= 0) continue;
      double rest = target[i];
      for (std::size_t j = 0; j < kCount; ++j) rest -= j == i ? 0 : gram[i][j] * costs[j];
      const double next = std::max(0.0, rest / gram[i][i]);
      change = std::max(change, std::fabs(next - costs[i]) * std::sqrt(gram[i][i]));
      costs[i] = next;
    }
    if (change < 1e-12) break;
  }
  return {costs};
}

}  // namespace upsweep

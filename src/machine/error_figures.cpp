#include "upsweep/machine/error_figures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "upsweep/base/measuring.hpp"

namespace upsweep {

ErrorFigures error_figures(const std::vector<double>& predicted, const std::vector<double>& measured) {
  if (predicted.size() != measured.size()) throw std::invalid_argument("predictions and measurements differ in number");
  ErrorFigures figures;
  std::vector<double> errors;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (!(measured[i] > 0)) throw std::invalid_argument("a measured time is not positive");
    errors.push_back(std::fabs(predicted[i] / measured[i] - 1));
  }
  figures.points = errors.size();
  if (errors.empty()) return figures;
  std::sort(errors.begin(), errors.end());
  const auto count = static_cast<double>(errors.size());
  figures.mean = std::accumulate(errors.begin(), errors.end(), 0.0) / count;
  figures.median = median(errors);
  figures.p90 = errors[static_cast<std::size_t>(std::ceil(0.9 * count)) - 1];
  figures.max = errors.back();
  return figures;
}

}  // namespace upsweep

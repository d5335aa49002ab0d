#include "upsweep/base/measuring.hpp"

#include <algorithm>
#include <chrono>

namespace upsweep {

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

std::vector<double> medians(const std::vector<std::vector<double>>& runs) {
  std::vector<double> result(runs.empty() ? 0 : runs.front().size());
  std::vector<double> of_item(runs.size());
  for (std::size_t item = 0; item < result.size(); ++item) {
    std::transform(runs.begin(), runs.end(), of_item.begin(), [item](const auto& run) { return run[item]; });
    result[item] = median(of_item);
  }
  return result;
}

}  // namespace upsweep

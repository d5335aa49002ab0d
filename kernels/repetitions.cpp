#include "repetitions.hpp"

#include <algorithm>

namespace upsweep::kernels {

std::vector<double> repeat(const RunOptions& options, const std::function<double()>& once) {
  std::vector<double> seconds;
  double sum = 0;
  do {
    seconds.push_back(once());
    sum += seconds.back();
  } while (seconds.size() < options.repetitions || (sum < options.min_seconds && seconds.size() < kMostRepetitions));
  return seconds;
}

double median(std::vector<double> numbers) {
  const std::size_t middle = numbers.size() / 2;
  std::sort(numbers.begin(), numbers.end());
  return numbers.size() % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2;
}

std::vector<double> medians(const std::vector<std::vector<double>>& samples) {
  std::vector<double> result;
  std::vector<double> of_item(samples.size());
  for (std::size_t item = 0; item < samples.front().size(); ++item) {
    for (std::size_t i = 0; i < samples.size(); ++i) of_item[i] = samples[i][item];
    result.push_back(median(of_item));
  }
  return result;
}

}  // namespace upsweep::kernels

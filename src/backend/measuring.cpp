#include "measuring.hpp"

#include <algorithm>

namespace upsweep {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

void measure_iterations(const RunOptions& options, const std::function<Iteration()>& iterate,
                        Measurement& measurement) {
  constexpr std::size_t kMost = 1000;
  constexpr double kLong = 5;  // seconds: noise then is small against the time, and patience is not
  const double warm_up = iterate().seconds;
  const std::size_t wanted = warm_up > kLong ? 1 : std::max<std::size_t>(1, options.repetitions);
  std::vector<Iteration> iterations;
  double total = 0;
  while (iterations.size() < wanted || (total < options.min_seconds && iterations.size() < kMost)) {
    iterations.push_back(iterate());
    total += iterations.back().seconds;
  }
  const auto median_of = [&](const auto& member) {
    std::vector<double> values;
    values.reserve(iterations.size());
    for (const Iteration& iteration : iterations) values.push_back(member(iteration));
    return median(std::move(values));
  };
  measurement.repetitions = iterations.size();
  measurement.seconds = median_of([](const Iteration& i) { return i.seconds; });
  measurement.fastest_seconds = iterations.front().seconds;
  for (const Iteration& i : iterations) measurement.fastest_seconds = std::min(measurement.fastest_seconds, i.seconds);
  for (std::size_t id = 0; id < measurement.ops.size(); ++id) {
    measurement.ops[id].seconds = median_of([id](const Iteration& i) { return i.op_seconds[id]; });
  }
  measurement.level_seconds.clear();
  for (std::size_t level = 0; level < iterations.front().level_seconds.size(); ++level) {
    measurement.level_seconds.push_back(median_of([level](const Iteration& i) { return i.level_seconds[level]; }));
  }
}

}  // namespace upsweep

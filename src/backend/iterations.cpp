#include "upsweep/backend/iterations.hpp"

#include <algorithm>

namespace upsweep {

void measure_iterations(const RunOptions& options, const std::function<Iteration()>& iterate,
                        Measurement& measurement) {
  const std::vector<Iteration> iterations =
      repeat({options.repetitions, options.min_seconds}, iterate, &Iteration::seconds);
  const auto medians_of = [&](auto member) {
    std::vector<std::vector<double>> runs;
    for (const Iteration& iteration : iterations) runs.push_back(iteration.*member);
    return medians(runs);
  };
  std::vector<double> seconds;
  for (const Iteration& iteration : iterations) seconds.push_back(iteration.seconds);
  measurement.repetitions = iterations.size();
  measurement.fastest_seconds = *std::min_element(seconds.begin(), seconds.end());
  measurement.seconds = median(std::move(seconds));
  const std::vector<double> op_seconds = medians_of(&Iteration::op_seconds);
  for (std::size_t id = 0; id < op_seconds.size(); ++id) measurement.ops[id].seconds = op_seconds[id];
  measurement.level_seconds = medians_of(&Iteration::level_seconds);
}

}  // namespace upsweep

#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/learning/train_result.hpp"

namespace upsweep {

/// A loss, a state or a gradient became NaN or infinite.
class TrainingDiverged : public std::runtime_error {
 public:
  /// In the iteration after those of the curve. `what`: "the loss is not finite"; `step`: where infinity began.
  TrainingDiverged(const LossCurve& curve, const std::string& what, std::optional<std::size_t> step = {})
      : std::runtime_error(fmt::format(
            "training by {}, iteration {}: {}{}; accepted is what stays finite, e. g. by a smaller learning rate",
            curve.backward, curve.loss.size() + 1, what,
            step ? fmt::format(", first at step {}", *step) : std::string())) {}
};

/// Trains: compute(i) and update() of `run`, after one iteration without update, so that no time holds the first touch
/// of memory. What run.take() gives; a training that diverges ends its curve.
template <class Run>
auto train_run(Run run, std::size_t iterations, const TrainProgress& progress, std::size_t index) {
  std::optional<std::string> failure;
  try {
    run.compute(0);
    for (std::size_t i = 0; i < iterations; ++i) {
      run.compute(i);
      run.update();
      if (progress) progress(run.curve(), index);
    }
  } catch (const TrainingDiverged& error) {
    failure = error.what();
  }
  auto trained = run.take();
  trained.curve.failure = std::move(failure);
  return trained;
}

/// Adds a curve and how far its weights are from those of the first one, `reference`, which it sets.
template <class T>
void add_training(LossCurve curve, const std::vector<T>& weights, std::optional<std::vector<T>>& reference,
                  TrainResult& result) {
  std::optional<double>& difference = result.weight_differences.emplace_back();
  if (!curve.failure) {
    if (result.curves.empty()) reference = weights;
    if (reference) difference = relative_weight_difference<T>(*reference, weights);
  }
  result.curves.push_back(std::move(curve));
}

}  // namespace upsweep

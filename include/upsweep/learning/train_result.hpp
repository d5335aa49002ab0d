#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "upsweep/learning/curve.hpp"
#include "upsweep/recurrent/scan_backward.hpp"

namespace upsweep {

/// The same training by several kinds of backward pass, each from the same weights over the same batches.
struct TrainResult {
  std::vector<LossCurve> curves;  ///< the first is the reference

  /// [curve]: each from the first, which has 0; nothing where one of the two ended early.
  std::vector<std::optional<CurveDifference>> differences;

  /// [curve]: the largest |weight - reference weight| after the last update, over the largest |reference weight|;
  /// nothing where one of the two ended early.
  std::vector<std::optional<double>> weight_differences;

  /// [curve]: phases of the backward passes alone, summed; empty where nobody measures them.
  std::vector<ScanTimes> pass_seconds;
  std::vector<std::string> notes;  ///< of the passes, for people

  /// The longest curve, in iterations.
  [[nodiscard]] std::size_t longest() const;
  /// The curves that ended early.
  [[nodiscard]] std::size_t failures() const;
};

/// Fills `differences` from the curves that did not end early. Throws std::invalid_argument as compare_curves().
void compare_all(TrainResult& result);

/// Largest |a - b| over the largest |a|; infinite where one is not finite and the other differs. 0 of nothing but
/// zeros. Throws std::invalid_argument for different lengths. T is float or double.
template <class T>
[[nodiscard]] double relative_weight_difference(std::span<const T> reference, std::span<const T> other);

/// Called after every iteration: the curve so far, its index in the list of backward passes. What it throws ends the
/// training.
using TrainProgress = std::function<void(const LossCurve& curve, std::size_t index)>;

}  // namespace upsweep

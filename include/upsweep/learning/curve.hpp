#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace upsweep {

/// Wall-clock time of the phases of training iterations, in seconds, summed over the iterations.
struct PhaseTimes {
  double data = 0;        ///< making or reading the samples
  double forward = 0;     ///< the forward pass, loss included
  double backward = 0;    ///< gradients of hidden states or activations; forming Jacobians included
  double parameters = 0;  ///< gradients of the parameters from those
  double update = 0;      ///< the optimiser

  [[nodiscard]] double total() const { return data + forward + backward + parameters + update; }

  PhaseTimes& operator+=(const PhaseTimes& more) {
    data += more.data;
    forward += more.forward;
    backward += more.backward;
    parameters += more.parameters;
    update += more.update;
    return *this;
  }
};

/// One training by one kind of backward pass.
struct LossCurve {
  std::string backward;                     ///< "bptt", "blelloch", ...
  std::vector<double> loss;                 ///< by iteration: mean over its batch, before its update
  std::vector<double> accuracy;             ///< by iteration: share of the batch that is classified right, 0 to 1
  PhaseTimes seconds;                       ///< of these iterations
  std::optional<std::string> failure = {};  ///< why it ended before its last iteration, if it did
};

/// By how many iterations the end of curves is judged, the longest of which has so many: the last tenth, at least one.
[[nodiscard]] std::size_t last_iterations(std::size_t iterations);

/// The mean of the last values, at most so many; of no values 0.
[[nodiscard]] double mean_of_last(const std::vector<double>& values, std::size_t most);

/// How far a curve is from the first one, which is the reference.
struct CurveDifference {
  static constexpr std::size_t kFirst = 10;  ///< how many iterations are called the first ones, where there are as many

  double largest = 0;                ///< max |loss - reference loss|
  std::size_t largest_at = 0;        ///< iteration of that, from 0
  double largest_relative = 0;       ///< max |loss - reference loss| / |reference loss|
  double first_relative = 0;         ///< the same over the first iterations alone
  std::size_t first_iterations = 0;  ///< how many those are
};

/// Compares two curves of equal length. `first` is cut at their length. NaN in one of them, not in the other, is an
/// infinite difference. Throws std::invalid_argument for different lengths or none.
[[nodiscard]] CurveDifference compare_curves(const LossCurve& reference, const LossCurve& other,
                                             std::size_t first = CurveDifference::kFirst);

}  // namespace upsweep

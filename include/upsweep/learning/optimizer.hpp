#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace upsweep {

/// Stochastic gradient descent: v = momentum · v + g, w = w - learning_rate · v.
/// Source: torch.optim.SGD without damping, weight decay and Nesterov's step.
struct SgdSettings {
  double learning_rate = 1e-3;
  double momentum = 0;

  friend bool operator==(const SgdSettings&, const SgdSettings&) = default;
};

/// Adam with bias correction and without weight decay; PyTorch's defaults.
/// Source: Kingma and Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015, Algorithm 1.
struct AdamSettings {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;

  friend bool operator==(const AdamSettings&, const AdamSettings&) = default;
};

using OptimizerSettings = std::variant<SgdSettings, AdamSettings>;

/// "SGD, learning rate 0.001, momentum 0.9", "Adam, learning rate 3e-05", for people.
[[nodiscard]] std::string to_string(const OptimizerSettings& settings);

/// Throws std::invalid_argument that names the number: a learning rate below 0, momentum or betas out of [0, 1), an
/// epsilon that is not positive, or one that is not finite.
void require_valid(const OptimizerSettings& settings);

/// The same for a training in numbers of `value_bytes`, 4 or 8: also an epsilon that is 0 or infinite in these.
void require_valid(const OptimizerSettings& settings, unsigned value_bytes);

/// Updates lists of parameters; it holds their moments. T is float or double; moments and steps have that precision.
template <class T>
class Optimizer {
 public:
  /// `lengths`: of the arrays of parameters. Throws std::invalid_argument as require_valid() for T.
  Optimizer(const OptimizerSettings& settings, const std::vector<std::size_t>& lengths);

  /// One update. Shapes: both lists as `lengths`; e. g. CellWeights::arrays() of the weights and of their gradient.
  /// Throws std::invalid_argument for others, and then changes nothing.
  void step(std::span<const std::span<T>> parameters, std::span<const std::span<const T>> gradients);

  /// Updates so far.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  void step_sgd(const SgdSettings& sgd, std::size_t array, std::span<T> parameters, std::span<const T> gradients);
  void step_adam(const AdamSettings& adam, std::size_t array, std::span<T> parameters, std::span<const T> gradients);

  OptimizerSettings settings_;
  std::uint64_t steps_ = 0;
  std::vector<std::vector<T>> first_;   // momentum, or mean of the gradients
  std::vector<std::vector<T>> second_;  // mean of their squares; empty for sgd
};

}  // namespace upsweep

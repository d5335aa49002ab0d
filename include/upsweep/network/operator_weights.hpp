#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "upsweep/network/shape.hpp"

namespace upsweep {

/// Weights of one operator; vectors are empty where there is nothing to say.
struct OperatorWeights {
  std::vector<std::uint8_t> kept;    ///< of a product's weight: 1 where it is nonzero; row-major; empty: all of them
  std::vector<double> values;        ///< the numbers, same order, 0 where not kept; of others the scales
  std::vector<double> bias;          ///< per output channel or feature; empty: 0
  std::vector<double> running_mean;  ///< batchnorm2d, per channel; empty: 0
  std::vector<double> running_var;   ///< batchnorm2d, per channel; empty: 1

  /// True where weight i of a product is nonzero.
  [[nodiscard]] bool keeps(std::size_t i) const { return kept.empty() || kept[i] != 0; }
};

/// Which of the OperatorWeights an operator has.
struct OperatorParameters {
  std::optional<Shape> weight = {};  ///< of a product: `values` are these; masks and pruning work on them
  std::uint64_t scales = 0;          ///< length of `values` where they are scales per channel, 1 by default
  std::uint64_t biases = 0;          ///< length of `bias`
  std::uint64_t statistics = 0;      ///< length of `running_mean` and of `running_var`, which are not learned
  double variance_shift = 0;         ///< variances plus this must be positive

  /// Length of `values`. Throws CountOverflow.
  [[nodiscard]] std::uint64_t values() const { return weight ? elements(*weight) : scales; }
};

/// What an operator met in one sample.
struct OperatorSample {
  std::span<const double> input;     ///< elements of in_shape
  std::span<const double> upstream;  ///< elements of out_shape: the gradient with respect to its output
};

}  // namespace upsweep

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"

namespace upsweep {

/// Values of an elementwise operator at elements [first, first + x.size()) of its input, which are `x`.
///
/// Shapes: `values` as `x`. Throws std::invalid_argument for any other operator.
void elementwise_values(const Operator& op, const OperatorWeights& weights, std::size_t first,
                        std::span<const double> x, std::span<double> values);

/// Derivatives of the same elements; at a kink those of the left side. Shapes and throws alike.
void elementwise_slopes(const Operator& op, const OperatorWeights& weights, std::size_t first,
                        std::span<const double> x, std::span<double> slopes);

}  // namespace upsweep

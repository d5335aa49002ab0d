#pragma once

#include <cstddef>

#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"

namespace upsweep {

/// Value of an elementwise operator at input element `i` < elements of in_shape, which is x.
///
/// Throws std::invalid_argument for any other kind.
[[nodiscard]] double elementwise_value(const Operator& op, const OperatorWeights& weights, std::size_t i, double x);

/// Derivative of an elementwise operator at input element `i`, which is x; at a kink that of the left side. Throws
/// alike.
[[nodiscard]] double elementwise_slope(const Operator& op, const OperatorWeights& weights, std::size_t i, double x);

}  // namespace upsweep

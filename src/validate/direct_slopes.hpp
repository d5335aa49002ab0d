#pragma once

#include <cstddef>

#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"

namespace upsweep {

/// A derivative of an elementwise operator.
struct DirectSlope {
  double value;  ///< accurate to a few units in the last place of `terms`, and where it can be of itself
  double terms;  ///< sum of the absolute values of the terms of the textbook formula; at least |value|, up to rounding
};

/// Derivative at input element `i` < elements of in_shape, which is `x`; at a kink that of the left side.
///
/// Throws std::invalid_argument for an operator that is not elementwise.
[[nodiscard]] DirectSlope direct_slope(const Operator& op, const OperatorWeights& weights, std::size_t i, double x);

}  // namespace upsweep

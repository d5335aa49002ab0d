#pragma once

#include <span>
#include <vector>

#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"

namespace upsweep {

/// One step of plain back-propagation: the gradient with respect to an operator's input from that with respect to its
/// output, by the operator's definition. The gradients of direct_backprop() without the bounds, which cost more.
///
/// Shapes: `x` the elements of in_shape, `upstream` those of out_shape; `weights` as direct_backprop(). Double
/// precision. Throws std::invalid_argument for wrong lengths of those two, for views and for joins.
/// Cost: the multiplications of the forward pass. A convolution runs on several threads and must not be called from a
/// chunk of parallel_chunks(); the others run on the calling thread.
[[nodiscard]] std::vector<double> direct_gradient(const Operator& op, const OperatorWeights& weights,
                                                  std::span<const double> x, std::span<const double> upstream);

}  // namespace upsweep

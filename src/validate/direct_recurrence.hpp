#pragma once

#include "direct_operators.hpp"

namespace upsweep {

/// Back-propagation through time of a recurrent layer, to its input. Of magnitudes and squares it gives bounds: every
/// factor of every step is taken by its absolute value, and deviations add up as if they were the same ones.
[[nodiscard]] std::vector<double> through_time(const Operator& op, const Recurrence& kind,
                                               const OperatorWeights& weights, std::span<const double> x,
                                               std::span<const double> upstream, PassKind pass);

}  // namespace upsweep

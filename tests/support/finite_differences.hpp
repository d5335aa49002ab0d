#pragma once

#include <cmath>
#include <vector>

#include "upsweep/jacobian/forward.hpp"
#include "upsweep/network/operator.hpp"

namespace upsweep::testing {

/// The transposed Jacobian of `op` at `x` by central differences: row-major, elements of in_shape × elements of
/// out_shape.
[[nodiscard]] inline std::vector<double> transposed_jacobian_by_differences(const Operator& op,
                                                                            const OperatorWeights& weights,
                                                                            std::vector<double> x) {
  constexpr double kStep = 1e-5;
  std::vector<double> jacobian;
  for (double& element : x) {
    const double middle = element;
    element = middle + kStep;
    const std::vector<double> above = forward(op, weights, x);
    element = middle - kStep;
    const std::vector<double> below = forward(op, weights, x);
    element = middle;
    for (std::size_t o = 0; o < above.size(); ++o) jacobian.push_back((above[o] - below[o]) / (2 * kStep));
  }
  return jacobian;
}

}  // namespace upsweep::testing

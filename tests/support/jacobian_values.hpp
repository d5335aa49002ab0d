#pragma once

#include <span>

#include "upsweep/jacobian/numeric_chain.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/sparse/csr.hpp"

namespace upsweep::testing {

/// The transposed Jacobian at input `x`, in the guaranteed pattern.
[[nodiscard]] inline CsrMatrix<double> jacobian_values(const Operator& op, const OperatorWeights& weights,
                                                       std::span<const double> x) {
  const Pattern pattern = guaranteed_pattern(op, weights);
  CsrMatrix<double> jacobian{pattern.to_csr(), std::vector<double>(pattern.nnz())};
  fill_jacobian_values<double>(op, weights, x, pattern, jacobian.values);
  return jacobian;
}

}  // namespace upsweep::testing

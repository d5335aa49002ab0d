#pragma once

#include <string>

#include "case.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep::bench {

/// The matrix–matrix products of a schedule by Eigen::SparseMatrix, one thread; values are int8 and may wrap around,
/// which costs Eigen less than float. The conversion is not timed.
///
/// The run makes the nnz of every product, its counts().
[[nodiscard]] Task eigen_products(const JacobianChain& chain, const Schedule& schedule);

/// "Eigen 3.4.0".
[[nodiscard]] std::string eigen_version();

}  // namespace upsweep::bench

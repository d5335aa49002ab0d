#pragma once

#include <cstddef>
#include <string>

#include "case.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep::bench {

/// The matrix–matrix products of a schedule by SuiteSparse:GraphBLAS on `threads` threads: GrB_mxm with the semiring
/// ANY_PAIR_BOOL on iso-valued matrices, which computes the structure and no values. The import is not timed.
///
/// The run makes the nnz of every product, its counts(), after GrB_wait (measured: no slower than without). Throws
/// std::bad_alloc when memory runs out.
[[nodiscard]] Task graphblas_products(const JacobianChain& chain, const Schedule& schedule, std::size_t threads);

/// "SuiteSparse:GraphBLAS 7.4.0".
[[nodiscard]] std::string graphblas_version();

}  // namespace upsweep::bench

#pragma once

#include <memory>

#include "upsweep/backend/backend.hpp"

namespace upsweep {

/// "cuda": planned products. The structure of every value is known ahead, kernels compute numbers only; one iteration
/// is a CUDA graph.
///
/// Where the program was built without CUDA, this and the two below are stand-ins that say so.
[[nodiscard]] std::unique_ptr<Backend> make_cuda_backend();

/// "cusparse": cusparseSpGEMM with all of its steps in every iteration, cusparseSpMV for products with the gradient.
[[nodiscard]] std::unique_ptr<Backend> make_cusparse_backend();

/// "cusparse-reuse": cusparseSpGEMMreuse, structure once and numbers in every iteration; cusparseSpMV.
[[nodiscard]] std::unique_ptr<Backend> make_cusparse_reuse_backend();

}  // namespace upsweep

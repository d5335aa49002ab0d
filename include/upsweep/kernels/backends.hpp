#pragma once

#include <cstdint>
#include <memory>

#include "upsweep/backend/backend.hpp"
#include "upsweep/recurrent/recurrent_backend.hpp"

/// The backends of a GPU. Where the program was built without CUDA, or cuDNN, the module devices has stand-ins for
/// these functions, which say so.
namespace upsweep {

/// "cuda": planned products. The structure of every value is known ahead, kernels compute numbers only; one iteration
/// is a CUDA graph.
[[nodiscard]] std::unique_ptr<Backend> make_cuda_backend();

/// "cusparse": cusparseSpGEMM with all of its steps in every iteration, cusparseSpMV for products with the gradient.
[[nodiscard]] std::unique_ptr<Backend> make_cusparse_backend();

/// "cusparse-reuse": cusparseSpGEMMreuse, structure once and numbers in every iteration; cusparseSpMV.
[[nodiscard]] std::unique_ptr<Backend> make_cusparse_reuse_backend();

/// Bytes per second, read and written, of a copy in the memory of CUDA device 0. Throws BackendError.
[[nodiscard]] double cuda_copy_bytes_per_s();

/// FLOP/s of products of dense matrices of 4096 x 4096 numbers of 4 or 8 bytes by cuBLAS on CUDA device 0, without
/// tensor cores for 4; 0 where the library is not found. Throws BackendError.
[[nodiscard]] double cuda_dense_flops_per_s(unsigned value_bytes);

/// "cuda": our kernels.
[[nodiscard]] const RecurrentBackend& cuda_recurrent_backend();

/// How cuDNN runs a recurrent network.
enum class CudnnRegime : std::uint8_t {
  best,  ///< "cudnn": one kernel that keeps the state where that is small enough, as PyTorch asks for it; else standard
  standard,  ///< "cudnn-standard": kernels for every step
};

/// cuDNN's own backward pass through time, loaded at run time.
[[nodiscard]] const RecurrentBackend& cudnn_recurrent_backend(CudnnRegime regime);

}  // namespace upsweep

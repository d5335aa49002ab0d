#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "upsweep/backend/backend.hpp"

namespace upsweep::kernels {

/// Throws BackendError that names the call and CUDA's text where `status` is an error.
inline void cuda_check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // so that a later check does not report this one again
  throw BackendError(std::string(call) + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")");
}

}  // namespace upsweep::kernels

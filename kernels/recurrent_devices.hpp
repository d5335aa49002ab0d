#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "upsweep/backend/backend.hpp"
#include "upsweep/recurrent/backward_pass.hpp"

namespace upsweep {

/// A place other than this processor where backward passes run; the functions that backward_pass.hpp asks.
struct RecurrentDevice {
  Availability (*availability)() = nullptr;
  DeviceFacts (*facts)() = nullptr;                                               ///< throws BackendError
  std::string (*unsupported)(const BackwardMethod&, const PassShape&) = nullptr;  ///< empty where it is supported
  std::uint64_t (*bytes)(const BackwardMethod&, const PassShape&, unsigned value_bytes) = nullptr;
  std::unique_ptr<BackwardPass<float>> (*make_fp32)(const BackwardMethod&, const PassShape&) = nullptr;
  std::unique_ptr<BackwardPass<double>> (*make_fp64)(const BackwardMethod&, const PassShape&) = nullptr;
};

/// "cuda": our kernels on a GPU. Where the program was built without CUDA, a stand-in that says so.
[[nodiscard]] RecurrentDevice cuda_recurrent_device();

/// "cudnn": cuDNN's own backward pass through time, loaded at run time. Likewise.
[[nodiscard]] RecurrentDevice cudnn_recurrent_device();

}  // namespace upsweep

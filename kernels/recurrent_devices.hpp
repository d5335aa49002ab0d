#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "upsweep/backend/backend.hpp"
#include "upsweep/recurrent/backward_pass.hpp"
#include "upsweep/recurrent/outer_passes.hpp"

namespace upsweep {

/// Forward pass and parameter gradients there; the functions that outer_passes.hpp asks.
struct OuterDevice {
  std::string (*unsupported_forward)(const PassShape&) = nullptr;  ///< empty where it is supported
  std::uint64_t (*forward_bytes)(const PassShape&, unsigned value_bytes) = nullptr;
  std::uint64_t (*parameter_bytes)(const PassShape&, unsigned value_bytes) = nullptr;
  std::unique_ptr<ForwardPass<float>> (*make_forward_fp32)(const PassShape&) = nullptr;
  std::unique_ptr<ForwardPass<double>> (*make_forward_fp64)(const PassShape&) = nullptr;
  std::unique_ptr<ParameterPass<float>> (*make_parameters_fp32)(const PassShape&) = nullptr;
  std::unique_ptr<ParameterPass<double>> (*make_parameters_fp64)(const PassShape&) = nullptr;
};

/// A place other than this processor where backward passes run; the functions that backward_pass.hpp asks.
struct RecurrentDevice {
  Availability (*availability)() = nullptr;
  DeviceFacts (*facts)() = nullptr;                                               ///< throws BackendError
  std::string (*unsupported)(const BackwardMethod&, const PassShape&) = nullptr;  ///< empty where it is supported
  std::uint64_t (*bytes)(const BackwardMethod&, const PassShape&, unsigned value_bytes) = nullptr;
  std::unique_ptr<BackwardPass<float>> (*make_fp32)(const BackwardMethod&, const PassShape&) = nullptr;
  std::unique_ptr<BackwardPass<double>> (*make_fp64)(const BackwardMethod&, const PassShape&) = nullptr;
  OuterDevice outer = {};  ///< of cuda alone, which does this for cudnn too
};

/// "cuda": our kernels on a GPU. Where the program was built without CUDA, a stand-in that says so.
[[nodiscard]] RecurrentDevice cuda_recurrent_device();

/// "cudnn": cuDNN's own backward pass through time, loaded at run time. Likewise.
[[nodiscard]] RecurrentDevice cudnn_recurrent_device();

}  // namespace upsweep

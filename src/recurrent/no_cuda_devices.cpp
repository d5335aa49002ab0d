#include "recurrent_devices.hpp"
#include "upsweep/backend/registry.hpp"

namespace upsweep {
namespace {

// The backend that was not compiled knows why.
Availability not_built() { return make_backend("cuda")->availability(); }

[[noreturn]] void refuse() { throw BackendError(not_built().reason); }

/// Stands in for a device that was not compiled; which passes it has is not the question.
RecurrentDevice stand_in() {
  RecurrentDevice device;
  device.availability = not_built;
  device.facts = []() -> DeviceFacts { refuse(); };
  device.unsupported = [](const BackwardMethod&, const PassShape&) { return std::string(); };
  device.bytes = [](const BackwardMethod&, const PassShape&, unsigned) -> std::uint64_t { refuse(); };
  device.make_fp32 = [](const BackwardMethod&, const PassShape&) -> std::unique_ptr<BackwardPass<float>> { refuse(); };
  device.make_fp64 = [](const BackwardMethod&, const PassShape&) -> std::unique_ptr<BackwardPass<double>> { refuse(); };
  device.outer.unsupported_forward = [](const PassShape&) { return std::string(); };
  device.outer.forward_bytes = [](const PassShape&, unsigned) -> std::uint64_t { refuse(); };
  device.outer.parameter_bytes = [](const PassShape&, unsigned) -> std::uint64_t { refuse(); };
  device.outer.make_forward_fp32 = [](const PassShape&) -> std::unique_ptr<ForwardPass<float>> { refuse(); };
  device.outer.make_forward_fp64 = [](const PassShape&) -> std::unique_ptr<ForwardPass<double>> { refuse(); };
  device.outer.make_parameters_fp32 = [](const PassShape&) -> std::unique_ptr<ParameterPass<float>> { refuse(); };
  device.outer.make_parameters_fp64 = [](const PassShape&) -> std::unique_ptr<ParameterPass<double>> { refuse(); };
  return device;
}

}  // namespace

RecurrentDevice cuda_recurrent_device() { return stand_in(); }
RecurrentDevice cudnn_recurrent_device() { return stand_in(); }

}  // namespace upsweep

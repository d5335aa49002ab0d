#include "recurrent_devices.hpp"

/// "cudnn" in a program that was built with CUDA where cuDNN's headers were not found.
namespace upsweep {
namespace {

constexpr const char* kReason = "this program was built without cuDNN's headers, needed are those of cuDNN 9";

[[noreturn]] void refuse() { throw BackendError(kReason); }

}  // namespace

RecurrentDevice cudnn_recurrent_device() {
  RecurrentDevice device;
  device.availability = [] { return Availability{false, kReason}; };
  device.facts = []() -> DeviceFacts { refuse(); };
  device.unsupported = [](const BackwardMethod&, const PassShape&) { return std::string(); };
  device.bytes = [](const BackwardMethod&, const PassShape&, unsigned) -> std::uint64_t { refuse(); };
  device.make_fp32 = [](const BackwardMethod&, const PassShape&) -> std::unique_ptr<BackwardPass<float>> { refuse(); };
  device.make_fp64 = [](const BackwardMethod&, const PassShape&) -> std::unique_ptr<BackwardPass<double>> { refuse(); };
  return device;
}

}  // namespace upsweep

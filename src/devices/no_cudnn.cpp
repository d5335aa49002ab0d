#include "stand_ins.hpp"
#include "upsweep/kernels/backends.hpp"

/// cuDNN's backends in a program that was built with CUDA where cuDNN's headers were not found.
namespace upsweep {
namespace {

constexpr const char* kNoHeaders = "this program was built without cuDNN's headers, needed are those of cuDNN 9";

}  // namespace

const RecurrentBackend& cudnn_recurrent_backend(CudnnRegime regime) {
  static const MissingRecurrent best("cudnn", kNoHeaders, false, &cuda_recurrent_backend().outer());
  static const MissingRecurrent standard("cudnn-standard", kNoHeaders, false, &cuda_recurrent_backend().outer());
  return regime == CudnnRegime::best ? best : standard;
}

}  // namespace upsweep

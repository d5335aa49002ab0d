#include "stand_ins.hpp"
#include "upsweep/kernels/backends.hpp"

/// "cudnn" in a program that was built with CUDA where cuDNN's headers were not found.
namespace upsweep {

const RecurrentBackend& cudnn_recurrent_backend() {
  static const MissingRecurrent backend("cudnn",
                                        "this program was built without cuDNN's headers, needed are those of cuDNN 9",
                                        false, &cuda_recurrent_backend().outer());
  return backend;
}

}  // namespace upsweep

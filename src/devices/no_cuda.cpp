#include "stand_ins.hpp"
#include "upsweep/kernels/backends.hpp"

/// The backends of a GPU in a program that was built without CUDA.
namespace upsweep {
namespace {

constexpr const char* kNoCuda = "built without CUDA: no CUDA compiler was found when this program was built";

}  // namespace

std::unique_ptr<Backend> make_cuda_backend() { return std::make_unique<MissingBackend>("cuda", kNoCuda); }
std::unique_ptr<Backend> make_cusparse_backend() { return std::make_unique<MissingBackend>("cusparse", kNoCuda); }
std::unique_ptr<Backend> make_cusparse_reuse_backend() {
  return std::make_unique<MissingBackend>("cusparse-reuse", kNoCuda);
}

double cuda_copy_bytes_per_s() { throw BackendError(kNoCuda); }
double cuda_dense_flops_per_s(unsigned /*value_bytes*/) { throw BackendError(kNoCuda); }

const RecurrentBackend& cuda_recurrent_backend() {
  static const MissingRecurrent backend("cuda", kNoCuda, true, nullptr);
  return backend;
}

const RecurrentBackend& cudnn_recurrent_backend(CudnnRegime regime) {
  static const MissingRecurrent best("cudnn", kNoCuda, false, &cuda_recurrent_backend().outer());
  static const MissingRecurrent standard("cudnn-standard", kNoCuda, false, &cuda_recurrent_backend().outer());
  return regime == CudnnRegime::best ? best : standard;
}

}  // namespace upsweep

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "cuda_check.hpp"
#include "device_resources.hpp"
#include "shared_library.hpp"
#include "timed_work.hpp"
#include "upsweep/kernels/backends.hpp"

namespace upsweep {
namespace {

/// The functions of cuBLAS that are in use, by its C interface: neither its headers nor the library are needed before.
struct CublasLibrary {
  int (*create)(void** handle) = nullptr;
  int (*destroy)(void* handle) = nullptr;
  int (*set_stream)(void* handle, cudaStream_t stream) = nullptr;
  int (*multiply_floats)(void* handle, int transposed_a, int transposed_b, int m, int n, int k, const float* alpha,
                         const float* a, int lda, const float* b, int ldb, const float* beta, float* c,
                         int ldc) = nullptr;
  int (*multiply_doubles)(void* handle, int transposed_a, int transposed_b, int m, int n, int k, const double* alpha,
                          const double* a, int lda, const double* b, int ldb, const double* beta, double* c,
                          int ldc) = nullptr;

  int multiply(void* handle, int side, const float* one, const float* a, const float* b, const float* zero,
               float* c) const {
    return multiply_floats(handle, 0, 0, side, side, side, one, a, side, b, side, zero, c, side);
  }
  int multiply(void* handle, int side, const double* one, const double* a, const double* b, const double* zero,
               double* c) const {
    return multiply_doubles(handle, 0, 0, side, side, side, one, a, side, b, side, zero, c, side);
  }
};

const kernels::Loaded<CublasLibrary>& load_cublas() {
  static CublasLibrary library;
  static const kernels::Loaded<CublasLibrary> loaded = kernels::load_library(
      "cuBLAS", {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}, {{"CUDA_HOME", "/lib64/"}}, library,
      [](const std::string& file, void* opened) {
        kernels::Symbols symbols(opened);
        symbols.bind(library.create, "cublasCreate_v2");
        symbols.bind(library.destroy, "cublasDestroy_v2");
        symbols.bind(library.set_stream, "cublasSetStream_v2");
        symbols.bind(library.multiply_floats, "cublasSgemm_v2");
        symbols.bind(library.multiply_doubles, "cublasDgemm_v2");
        return symbols.missing().empty() ? std::string() : fmt::format("{} has no {}", file, symbols.missing());
      });
  return loaded;
}

void check(int status, const char* call) {
  if (status != 0) throw BackendError(fmt::format("{}: status {} of cuBLAS", call, status));
}

template <class T>
double measured(const CublasLibrary& library) {
  constexpr int kSide = 4096;
  constexpr std::size_t kNumbers = std::size_t{kSide} * kSide;
  constexpr int kRuns = 5;
  // Numbers without a pattern: a device takes more power for them than for zeros, and its clock shows it.
  std::vector<T> numbers(kNumbers);
  std::uint32_t state = 1;
  for (T& number : numbers) {
    state = state * 1664525U + 1013904223U;
    number = static_cast<T>(static_cast<double>(state >> 8U) / (1 << 24) - 0.5);
  }
  const kernels::DeviceBuffer from(kNumbers * sizeof(T));
  const kernels::DeviceBuffer to(kNumbers * sizeof(T));
  kernels::cuda_check(cudaMemcpy(from.data(), numbers.data(), from.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  void* created = nullptr;
  check(library.create(&created), "cublasCreate");
  const auto destroy = [&library](void* handle) { static_cast<void>(library.destroy(handle)); };
  const std::unique_ptr<void, decltype(destroy)> handle(created, destroy);
  const T one = 1;
  const T zero = 0;
  kernels::TimedWork product("a dense product", [&](cudaStream_t stream) {
    check(library.set_stream(handle.get(), stream), "cublasSetStream");
    check(library.multiply(handle.get(), kSide, &one, from.as<T>(), from.as<T>(), &zero, to.as<T>()), "cublasGemm");
  });
  double fastest = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) fastest = std::min(fastest, product.run());
  return 2. * kSide * static_cast<double>(kNumbers) / fastest;
}

}  // namespace

double cuda_dense_flops_per_s(unsigned value_bytes) {
  const CublasLibrary* const library = load_cublas().library;
  if (library == nullptr) return 0;
  kernels::cuda_check(cudaSetDevice(0), "cudaSetDevice");
  return value_bytes == 8 ? measured<double>(*library) : measured<float>(*library);
}

}  // namespace upsweep

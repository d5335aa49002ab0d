#include "recurrent_cudnn_library.hpp"

#include <fmt/format.h>

#include "upsweep/backend/backend.hpp"

namespace upsweep::kernels {
namespace {

/// Returns the name of a function that the library lacks, or nothing.
std::string bind_all(void* file, CudnnLibrary& library) {
  Symbols symbols(file);
  symbols.bind(library.get_error_string, "cudnnGetErrorString");
  symbols.bind(library.get_version, "cudnnGetVersion");
  symbols.bind_optional(library.adv_version_check, "cudnnAdvVersionCheck");
  symbols.bind(library.create, "cudnnCreate");
  symbols.bind(library.destroy, "cudnnDestroy");
  symbols.bind(library.set_stream, "cudnnSetStream");
  symbols.bind(library.create_tensor, "cudnnCreateTensorDescriptor");
  symbols.bind(library.destroy_tensor, "cudnnDestroyTensorDescriptor");
  symbols.bind(library.set_tensor, "cudnnSetTensorNdDescriptor");
  symbols.bind(library.get_tensor, "cudnnGetTensorNdDescriptor");
  symbols.bind(library.create_dropout, "cudnnCreateDropoutDescriptor");
  symbols.bind(library.destroy_dropout, "cudnnDestroyDropoutDescriptor");
  symbols.bind(library.set_dropout, "cudnnSetDropoutDescriptor");
  symbols.bind(library.create_rnn_data, "cudnnCreateRNNDataDescriptor");
  symbols.bind(library.destroy_rnn_data, "cudnnDestroyRNNDataDescriptor");
  symbols.bind(library.set_rnn_data, "cudnnSetRNNDataDescriptor");
  symbols.bind(library.create_rnn, "cudnnCreateRNNDescriptor");
  symbols.bind(library.destroy_rnn, "cudnnDestroyRNNDescriptor");
  symbols.bind(library.set_rnn, "cudnnSetRNNDescriptor_v8");
  symbols.bind(library.weight_space_size, "cudnnGetRNNWeightSpaceSize");
  symbols.bind(library.weight_params, "cudnnGetRNNWeightParams");
  symbols.bind(library.temp_space_sizes, "cudnnGetRNNTempSpaceSizes");
  symbols.bind(library.forward, "cudnnRNNForward");
  symbols.bind(library.backward_data, "cudnnRNNBackwardData_v8");
  return symbols.missing();
}

/// What is wrong with an open file, or nothing.
std::string fault_of(const std::string& name, void* file, CudnnLibrary& library) {
  const std::string missing = bind_all(file, library);
  if (!missing.empty()) return fmt::format("{} has no {}, needed is cuDNN 8 or 9", name, missing);
  if (library.adv_version_check == nullptr) return {};
  const cudnnStatus_t status = library.adv_version_check();
  if (status == CUDNN_STATUS_SUCCESS) return {};
  return fmt::format("{} does not find its part with recurrent cells (libcudnn_adv): {}", name,
                     library.get_error_string(status));
}

}  // namespace

const Loaded<CudnnLibrary>& load_cudnn() {
  static CudnnLibrary library{};
  static const Loaded<CudnnLibrary> loaded = load_library(
      "cuDNN", {"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so"}, {{"CUDNN_HOME", "/lib/"}, {"CUDA_HOME", "/lib64/"}},
      library, [](const std::string& file, void* opened) { return fault_of(file, opened, library); });
  return loaded;
}

const CudnnLibrary& cudnn() {
  const Loaded<CudnnLibrary>& loaded = load_cudnn();
  if (loaded.library == nullptr) throw BackendError(loaded.reason);
  return *loaded.library;
}

std::string cudnn_version() {
  const std::size_t version = cudnn().get_version();
  const std::size_t major = version >= 90000 ? 10000 : 1000;  // 90100 is 9.1.0, 8907 is 8.9.7
  return fmt::format("{}.{}.{}", version / major, version % major / 100, version % 100);
}

void cudnn_check(cudnnStatus_t status, const char* call) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  throw BackendError(fmt::format("{}: {}", call, cudnn().get_error_string(status)));
}

}  // namespace upsweep::kernels

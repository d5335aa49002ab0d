#include "recurrent_cudnn_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <vector>

#include "upsweep/backend/backend.hpp"

namespace upsweep::kernels {
namespace {

std::vector<std::string> candidate_files() {
  std::vector<std::string> folders = {""};
  for (const auto& [variable, folder] : {std::pair("CUDNN_HOME", "/lib/"), std::pair("CUDA_HOME", "/lib64/")}) {
    const char* const home = std::getenv(variable);
    if (home != nullptr && *home != '\0') folders.push_back(fmt::format("{}{}", home, folder));
  }
  folders.emplace_back("/usr/local/cuda/lib64/");
  std::vector<std::string> files;
  for (const std::string& folder : folders) {
    for (const char* name : {"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so"}) files.push_back(folder + name);
  }
  return files;
}

/// Finds symbols; remembers the first that is missing.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <class F>
  void bind_optional(F& function, const char* name) const {
    function = reinterpret_cast<F>(dlsym(library_, name));
  }
  template <class F>
  void bind(F& function, const char* name) {
    bind_optional(function, name);
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

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

LoadedCudnn load() {
  static CudnnLibrary library{};
  std::string problem;
  const std::vector<std::string> files = candidate_files();
  for (const std::string& name : files) {
    void* const file = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (file == nullptr) continue;
    problem = fault_of(name, file, library);
    if (problem.empty()) return {&library, ""};
    static_cast<void>(dlclose(file));
  }
  if (problem.empty()) problem = fmt::format("cuDNN was not found, tried {}", fmt::join(files, ", "));
  return {nullptr, problem};
}

}  // namespace

const LoadedCudnn& load_cudnn() {
  static const LoadedCudnn loaded = load();
  return loaded;
}

const CudnnLibrary& cudnn() {
  const LoadedCudnn& loaded = load_cudnn();
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

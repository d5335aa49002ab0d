#include "cusparse_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <vector>

#include "buffer_cache.hpp"

namespace upsweep::kernels {
namespace {

std::vector<std::string> candidate_files() {
  std::vector<std::string> folders = {""};
  if (const char* home = std::getenv("CUDA_HOME"); home != nullptr && *home != '\0') {
    folders.push_back(std::string(home) + "/lib64/");
  }
  folders.emplace_back("/usr/local/cuda/lib64/");
  std::vector<std::string> files;
  for (const std::string& folder : folders) {
    for (const char* name : {"libcusparse.so.12", "libcusparse.so"}) files.push_back(folder + name);
  }
  return files;
}

/// Finds symbols; remembers the first that is missing.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <class F>
  void bind(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(library_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

/// Returns the name of a function that the library lacks, or nothing.
std::string bind_all(void* file, CusparseLibrary& library) {
  Symbols symbols(file);
  symbols.bind(library.get_error_string, "cusparseGetErrorString");
  symbols.bind(library.get_version, "cusparseGetVersion");
  symbols.bind(library.create, "cusparseCreate");
  symbols.bind(library.destroy, "cusparseDestroy");
  symbols.bind(library.set_stream, "cusparseSetStream");
  symbols.bind(library.create_csr, "cusparseCreateCsr");
  symbols.bind(library.destroy_sp_mat, "cusparseDestroySpMat");
  symbols.bind(library.sp_mat_get_size, "cusparseSpMatGetSize");
  symbols.bind(library.csr_set_pointers, "cusparseCsrSetPointers");
  symbols.bind(library.create_dn_vec, "cusparseCreateDnVec");
  symbols.bind(library.destroy_dn_vec, "cusparseDestroyDnVec");
  symbols.bind(library.spmv_buffer_size, "cusparseSpMV_bufferSize");
  symbols.bind(library.spmv, "cusparseSpMV");
  symbols.bind(library.spgemm_create_descr, "cusparseSpGEMM_createDescr");
  symbols.bind(library.spgemm_destroy_descr, "cusparseSpGEMM_destroyDescr");
  symbols.bind(library.spgemm_work_estimation, "cusparseSpGEMM_workEstimation");
  symbols.bind(library.spgemm_estimate_memory, "cusparseSpGEMM_estimateMemory");
  symbols.bind(library.spgemm_compute, "cusparseSpGEMM_compute");
  symbols.bind(library.spgemm_copy, "cusparseSpGEMM_copy");
  symbols.bind(library.reuse_work_estimation, "cusparseSpGEMMreuse_workEstimation");
  symbols.bind(library.reuse_nnz, "cusparseSpGEMMreuse_nnz");
  symbols.bind(library.reuse_copy, "cusparseSpGEMMreuse_copy");
  symbols.bind(library.reuse_compute, "cusparseSpGEMMreuse_compute");
  return symbols.missing();
}

LoadedCusparse load() {
  static CusparseLibrary library{};
  std::string problem;
  const std::vector<std::string> files = candidate_files();
  for (const std::string& name : files) {
    void* const file = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (file == nullptr) continue;
    const std::string missing = bind_all(file, library);
    if (missing.empty()) return {&library, ""};
    problem = fmt::format("{} has no {}, needed is cuSPARSE 12 or newer", name, missing);
    static_cast<void>(dlclose(file));
  }
  if (problem.empty()) problem = fmt::format("cuSPARSE was not found, tried {}", fmt::join(files, ", "));
  return {nullptr, problem};
}

}  // namespace

const LoadedCusparse& load_cusparse() {
  static const LoadedCusparse loaded = load();
  return loaded;
}

const CusparseLibrary& cusparse() {
  const LoadedCusparse& loaded = load_cusparse();
  if (loaded.library == nullptr) throw BackendError(loaded.reason);
  return *loaded.library;
}

void cusparse_check(cusparseStatus_t status, const char* call) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  const std::string text = fmt::format("{}: {}", call, cusparse().get_error_string(status));
  if (status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES || status == CUSPARSE_STATUS_ALLOC_FAILED) {
    throw NotEnoughMemory(text);
  }
  throw BackendError(text);
}

}  // namespace upsweep::kernels

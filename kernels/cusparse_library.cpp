#include "cusparse_library.hpp"

#include <fmt/format.h>

#include "buffer_cache.hpp"

namespace upsweep::kernels {
namespace {

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

}  // namespace

const Loaded<CusparseLibrary>& load_cusparse() {
  static CusparseLibrary library{};
  static const Loaded<CusparseLibrary> loaded = load_library(
      "cuSPARSE", {"libcusparse.so.12", "libcusparse.so"}, {{"CUDA_HOME", "/lib64/"}}, library,
      [](const std::string& file, void* opened) {
        const std::string missing = bind_all(opened, library);
        return missing.empty() ? std::string()
                               : fmt::format("{} has no {}, needed is cuSPARSE 12 or newer", file, missing);
      });
  return loaded;
}

const CusparseLibrary& cusparse() {
  const Loaded<CusparseLibrary>& loaded = load_cusparse();
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

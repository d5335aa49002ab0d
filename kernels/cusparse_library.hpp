#pragma once

#include <cusparse.h>

#include <string>

#include "shared_library.hpp"

namespace upsweep::kernels {

/// The functions of cuSPARSE that are in use, found when the program runs: it starts without the library too.
struct CusparseLibrary {
  decltype(&cusparseGetErrorString) get_error_string;
  decltype(&cusparseGetVersion) get_version;
  decltype(&cusparseCreate) create;
  decltype(&cusparseDestroy) destroy;
  decltype(&cusparseSetStream) set_stream;
  decltype(&cusparseCreateCsr) create_csr;
  decltype(&cusparseDestroySpMat) destroy_sp_mat;
  decltype(&cusparseSpMatGetSize) sp_mat_get_size;
  decltype(&cusparseCsrSetPointers) csr_set_pointers;
  decltype(&cusparseCreateDnVec) create_dn_vec;
  decltype(&cusparseDestroyDnVec) destroy_dn_vec;
  decltype(&cusparseSpMV_bufferSize) spmv_buffer_size;
  decltype(&cusparseSpMV) spmv;
  decltype(&cusparseSpGEMM_createDescr) spgemm_create_descr;
  decltype(&cusparseSpGEMM_destroyDescr) spgemm_destroy_descr;
  decltype(&cusparseSpGEMM_workEstimation) spgemm_work_estimation;
  decltype(&cusparseSpGEMM_estimateMemory) spgemm_estimate_memory;
  decltype(&cusparseSpGEMM_compute) spgemm_compute;
  decltype(&cusparseSpGEMM_copy) spgemm_copy;
  decltype(&cusparseSpGEMMreuse_workEstimation) reuse_work_estimation;
  decltype(&cusparseSpGEMMreuse_nnz) reuse_nnz;
  decltype(&cusparseSpGEMMreuse_copy) reuse_copy;
  decltype(&cusparseSpGEMMreuse_compute) reuse_compute;
};

/// Looks for the library at the first call, as libcusparse.so.12 and libcusparse.so: where the system looks for
/// libraries, in $CUDA_HOME/lib64 and in /usr/local/cuda/lib64. It stays loaded.
[[nodiscard]] const Loaded<CusparseLibrary>& load_cusparse();

/// The library. Throws BackendError with the reason where it was not found.
[[nodiscard]] const CusparseLibrary& cusparse();

/// Throws where `status` is an error, with the call and cuSPARSE's text: NotEnoughMemory where resources are short,
/// else BackendError.
void cusparse_check(cusparseStatus_t status, const char* call);

}  // namespace upsweep::kernels

#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "buffer_cache.hpp"
#include "cusparse_library.hpp"
#include "host_structure.hpp"

namespace upsweep::kernels {

struct DestroyCusparse {
  void operator()(cusparseHandle_t handle) const noexcept { static_cast<void>(cusparse().destroy(handle)); }
  void operator()(cusparseSpMatDescr_t matrix) const noexcept { static_cast<void>(cusparse().destroy_sp_mat(matrix)); }
  void operator()(cusparseDnVecDescr_t vector) const noexcept { static_cast<void>(cusparse().destroy_dn_vec(vector)); }
  void operator()(cusparseSpGEMMDescr_t product) const noexcept {
    static_cast<void>(cusparse().spgemm_destroy_descr(product));
  }
};

using CusparseHandle = std::unique_ptr<std::remove_pointer_t<cusparseHandle_t>, DestroyCusparse>;
using SparseDescriptor = std::unique_ptr<std::remove_pointer_t<cusparseSpMatDescr_t>, DestroyCusparse>;
using VectorDescriptor = std::unique_ptr<std::remove_pointer_t<cusparseDnVecDescr_t>, DestroyCusparse>;
using ProductDescriptor = std::unique_ptr<std::remove_pointer_t<cusparseSpGEMMDescr_t>, DestroyCusparse>;

/// What all calls of a run share. T is float or double.
template <class T>
struct CusparseContext {
  static constexpr cudaDataType kType = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;

  cudaStream_t stream = nullptr;
  CusparseHandle handle;
  BufferCache* memory = nullptr;
};

/// A context on a stream. Throws BackendError.
template <class T>
[[nodiscard]] CusparseContext<T> make_context(cudaStream_t stream, BufferCache& memory);

/// A value of a schedule on the device: a CSR matrix with 32-bit offsets, or a dense vector, which has values only and
/// `rows` of them. T is float or double.
template <class T>
struct DeviceValue {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  BufferCache::Block offsets;
  BufferCache::Block indices;
  BufferCache::Block values;
  SparseDescriptor descriptor;  ///< of a finished matrix
};

/// A matrix of no entries so far, with room for its offsets and without descriptor. Throws BackendError.
template <class T>
[[nodiscard]] DeviceValue<T> make_matrix(const CusparseContext<T>& context, std::int64_t rows, std::int64_t cols);

/// Gives a matrix room for `nnz` entries. Throws BackendError, also where 32-bit offsets do not suffice.
template <class T>
void make_room(const CusparseContext<T>& context, DeviceValue<T>& matrix, std::int64_t nnz);

/// Makes a matrix one without entries: its offsets are 0. Throws BackendError.
template <class T>
void make_empty(const CusparseContext<T>& context, DeviceValue<T>& matrix);

/// A descriptor of a matrix as it is now. Throws BackendError.
template <class T>
[[nodiscard]] SparseDescriptor describe(const DeviceValue<T>& matrix);

/// A vector, uninitialised. Throws BackendError.
template <class T>
[[nodiscard]] DeviceValue<T> make_vector(const CusparseContext<T>& context, std::int64_t length);

/// Copies to the device; returns when it is there. Shapes: `values` has one number per entry. Throws BackendError.
template <class T>
[[nodiscard]] DeviceValue<T> upload_matrix(const CusparseContext<T>& context, const HostStructure& structure,
                                           const std::vector<T>& values);
template <class T>
[[nodiscard]] DeviceValue<T> upload_vector(const CusparseContext<T>& context, const std::vector<T>& values);

/// Waits for the stream and copies a matrix's structure back. Throws BackendError.
template <class T>
[[nodiscard]] HostStructure download_structure(const CusparseContext<T>& context, const DeviceValue<T>& matrix);

/// Waits for the stream and copies the elements of a vector back. Throws BackendError.
template <class T>
[[nodiscard]] std::vector<double> download_vector(const CusparseContext<T>& context, const DeviceValue<T>& vector);

}  // namespace upsweep::kernels

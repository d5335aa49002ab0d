#include "cusparse_products.hpp"

#include "cuda_check.hpp"

namespace upsweep::kernels {
namespace {

constexpr cusparseOperation_t kAsIs = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr float kChunkFraction = 0.2F;

// The factors of C = 1·X·Y + 0·C; cuSPARSE reads them while a call runs.
template <class T>
constexpr T kOne = 1;
template <class T>
constexpr T kZero = 0;

ProductDescriptor make_product() {
  cusparseSpGEMMDescr_t product = nullptr;
  cusparse_check(cusparse().spgemm_create_descr(&product), "cusparseSpGEMM_createDescr");
  return ProductDescriptor(product);
}

std::int64_t entries_of(const SparseDescriptor& matrix) {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  cusparse_check(cusparse().sp_mat_get_size(matrix.get(), &rows, &cols, &nnz), "cusparseSpMatGetSize");
  return nnz;
}

template <class T>
void set_pointers(const SparseDescriptor& descriptor, const DeviceValue<T>& matrix) {
  cusparse_check(cusparse().csr_set_pointers(descriptor.get(), matrix.offsets.template as<void>(),
                                             matrix.indices.template as<void>(), matrix.values.template as<void>()),
                 "cusparseCsrSetPointers");
}

/// One product by cusparseSpGEMM: the arguments that its calls share.
template <class T>
class SpgemmCalls {
 public:
  SpgemmCalls(const CusparseContext<T>& context, const DeviceValue<T>& x, const DeviceValue<T>& y,
              const SparseDescriptor& result, cusparseSpGEMMAlg_t algorithm)
      : context_(context), x_(x), y_(y), result_(result), algorithm_(algorithm), product_(make_product()) {}

  BufferCache::Block estimate_work() const {
    std::size_t bytes = 0;
    estimate_work(bytes, nullptr);
    BufferCache::Block buffer = context_.memory->take(bytes, MemoryUse::workspace);
    estimate_work(bytes, buffer.as<void>());
    return buffer;
  }

  /// The workspace of compute(), for the algorithms that can do with less.
  std::size_t estimate_memory() const {
    std::size_t scratch_bytes = 0;
    std::size_t bytes = 0;
    estimate_memory(scratch_bytes, nullptr, nullptr);
    const BufferCache::Block scratch = context_.memory->take(scratch_bytes, MemoryUse::workspace);
    estimate_memory(scratch_bytes, scratch.as<void>(), &bytes);
    return bytes;
  }

  std::size_t compute_bytes() const {
    std::size_t bytes = 0;
    compute_call(bytes, nullptr);
    return bytes;
  }

  void compute(std::size_t bytes, void* buffer) const { compute_call(bytes, buffer); }

  void copy() const {
    cusparse_check(
        cusparse().spgemm_copy(context_.handle.get(), kAsIs, kAsIs, &kOne<T>, x_.descriptor.get(), y_.descriptor.get(),
                               &kZero<T>, result_.get(), CusparseContext<T>::kType, algorithm_, product_.get()),
        "cusparseSpGEMM_copy");
  }

 private:
  void estimate_work(std::size_t& bytes, void* buffer) const {
    cusparse_check(cusparse().spgemm_work_estimation(
                       context_.handle.get(), kAsIs, kAsIs, &kOne<T>, x_.descriptor.get(), y_.descriptor.get(),
                       &kZero<T>, result_.get(), CusparseContext<T>::kType, algorithm_, product_.get(), &bytes, buffer),
                   "cusparseSpGEMM_workEstimation");
  }
  void estimate_memory(std::size_t& scratch_bytes, void* scratch, std::size_t* bytes) const {
    cusparse_check(
        cusparse().spgemm_estimate_memory(context_.handle.get(), kAsIs, kAsIs, &kOne<T>, x_.descriptor.get(),
                                          y_.descriptor.get(), &kZero<T>, result_.get(), CusparseContext<T>::kType,
                                          algorithm_, product_.get(), kChunkFraction, &scratch_bytes, scratch, bytes),
        "cusparseSpGEMM_estimateMemory");
  }
  void compute_call(std::size_t& bytes, void* buffer) const {
    cusparse_check(cusparse().spgemm_compute(context_.handle.get(), kAsIs, kAsIs, &kOne<T>, x_.descriptor.get(),
                                             y_.descriptor.get(), &kZero<T>, result_.get(), CusparseContext<T>::kType,
                                             algorithm_, product_.get(), &bytes, buffer),
                   "cusparseSpGEMM_compute");
  }

  const CusparseContext<T>& context_;
  const DeviceValue<T>& x_;
  const DeviceValue<T>& y_;
  const SparseDescriptor& result_;
  cusparseSpGEMMAlg_t algorithm_;
  ProductDescriptor product_;
};

}  // namespace

template <class T>
DeviceValue<T> spgemm(const CusparseContext<T>& context, const DeviceValue<T>& x, const DeviceValue<T>& y,
                      const SpgemmWay& way) {
  DeviceValue<T> result = make_matrix(context, x.rows, y.cols);
  if (x.nnz > 0 && y.nnz > 0) {  // cuSPARSE need not take matrices without entries
    const SparseDescriptor descriptor = describe(result);
    const SpgemmCalls<T> calls(context, x, y, descriptor, way.algorithm);
    const BufferCache::Block work = calls.estimate_work();
    const bool limits_itself = way.algorithm != CUSPARSE_SPGEMM_DEFAULT;
    const std::size_t bytes = limits_itself ? calls.estimate_memory() : calls.compute_bytes();
    const BufferCache::Block buffer = context.memory->take(bytes, MemoryUse::workspace);
    calls.compute(bytes, buffer.as<void>());
    if (const std::int64_t nnz = entries_of(descriptor); nnz > 0) {
      make_room(context, result, nnz);
      set_pointers(descriptor, result);
      calls.copy();
    }
  }
  if (result.nnz == 0) make_empty(context, result);
  result.descriptor = describe(result);
  return result;
}

template <class T>
ReusedProduct<T>::ReusedProduct(const CusparseContext<T>& context, const DeviceValue<T>& x, const DeviceValue<T>& y,
                                DeviceValue<T>& result) {
  result = make_matrix(context, x.rows, y.cols);
  if (x.nnz > 0 && y.nnz > 0) find_structure(context, x, y, result);
  empty_ = result.nnz == 0;
  if (empty_) make_empty(context, result);
  result.descriptor = describe(result);
}

template <class T>
void ReusedProduct<T>::find_structure(const CusparseContext<T>& context, const DeviceValue<T>& x,
                                      const DeviceValue<T>& y, DeviceValue<T>& result) {
  const CusparseLibrary& library = cusparse();
  constexpr cusparseSpGEMMAlg_t kAlgorithm = CUSPARSE_SPGEMM_DEFAULT;
  const auto take = [&](std::size_t bytes, MemoryUse use) { return context.memory->take(bytes, use); };
  product_ = make_product();
  result_ = describe(result);
  std::size_t bytes[6] = {};
  const auto estimate = [&](void* buffer1) {
    cusparse_check(
        library.reuse_work_estimation(context.handle.get(), kAsIs, kAsIs, x.descriptor.get(), y.descriptor.get(),
                                      result_.get(), kAlgorithm, product_.get(), &bytes[1], buffer1),
        "cusparseSpGEMMreuse_workEstimation");
  };
  estimate(nullptr);
  const BufferCache::Block buffer1 = take(bytes[1], MemoryUse::workspace);
  estimate(buffer1.as<void>());
  const auto count = [&](void* buffer2, void* buffer3, void* buffer4) {
    cusparse_check(
        library.reuse_nnz(context.handle.get(), kAsIs, kAsIs, x.descriptor.get(), y.descriptor.get(), result_.get(),
                          kAlgorithm, product_.get(), &bytes[2], buffer2, &bytes[3], buffer3, &bytes[4], buffer4),
        "cusparseSpGEMMreuse_nnz");
  };
  count(nullptr, nullptr, nullptr);
  const BufferCache::Block buffer2 = take(bytes[2], MemoryUse::workspace);
  const BufferCache::Block buffer3 = take(bytes[3], MemoryUse::workspace);
  lasting4_ = take(bytes[4], MemoryUse::structure);
  count(buffer2.as<void>(), buffer3.as<void>(), lasting4_.as<void>());
  const std::int64_t nnz = entries_of(result_);
  if (nnz == 0) return;
  make_room(context, result, nnz);
  set_pointers(result_, result);
  const auto copy = [&](void* buffer5) {
    cusparse_check(library.reuse_copy(context.handle.get(), kAsIs, kAsIs, x.descriptor.get(), y.descriptor.get(),
                                      result_.get(), kAlgorithm, product_.get(), &bytes[5], buffer5),
                   "cusparseSpGEMMreuse_copy");
  };
  copy(nullptr);
  lasting5_ = take(bytes[5], MemoryUse::structure);
  copy(lasting5_.as<void>());
}

template <class T>
void ReusedProduct<T>::compute(const CusparseContext<T>& context, const DeviceValue<T>& x,
                               const DeviceValue<T>& y) const {
  if (empty_) return;
  cusparse_check(cusparse().reuse_compute(context.handle.get(), kAsIs, kAsIs, &kOne<T>, x.descriptor.get(),
                                          y.descriptor.get(), &kZero<T>, result_.get(), CusparseContext<T>::kType,
                                          CUSPARSE_SPGEMM_DEFAULT, product_.get()),
                 "cusparseSpGEMMreuse_compute");
}

template <class T>
VectorProduct<T>::VectorProduct(const CusparseContext<T>& context, const DeviceValue<T>& x, const DeviceValue<T>& v,
                                const DeviceValue<T>& result) {
  if (x.nnz == 0) return;
  const auto describe_vector = [](const DeviceValue<T>& vector) {
    cusparseDnVecDescr_t descriptor = nullptr;
    cusparse_check(cusparse().create_dn_vec(&descriptor, vector.rows, vector.values.template as<void>(),
                                            CusparseContext<T>::kType),
                   "cusparseCreateDnVec");
    return VectorDescriptor(descriptor);
  };
  v_ = describe_vector(v);
  result_ = describe_vector(result);
  std::size_t bytes = 0;
  cusparse_check(
      cusparse().spmv_buffer_size(context.handle.get(), kAsIs, &kOne<T>, x.descriptor.get(), v_.get(), &kZero<T>,
                                  result_.get(), CusparseContext<T>::kType, CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
      "cusparseSpMV_bufferSize");
  workspace_ = context.memory->take(bytes, MemoryUse::workspace);
}

template <class T>
void VectorProduct<T>::compute(const CusparseContext<T>& context, const DeviceValue<T>& x,
                               const DeviceValue<T>& result) const {
  if (x.nnz == 0) {
    if (result.rows == 0) return;
    cuda_check(cudaMemsetAsync(result.values.template as<void>(), 0, static_cast<std::size_t>(result.rows) * sizeof(T),
                               context.stream),
               "cudaMemsetAsync");
    return;
  }
  cusparse_check(
      cusparse().spmv(context.handle.get(), kAsIs, &kOne<T>, x.descriptor.get(), v_.get(), &kZero<T>, result_.get(),
                      CusparseContext<T>::kType, CUSPARSE_SPMV_ALG_DEFAULT, workspace_.template as<void>()),
      "cusparseSpMV");
}

template DeviceValue<float> spgemm(const CusparseContext<float>&, const DeviceValue<float>&, const DeviceValue<float>&,
                                   const SpgemmWay&);
template DeviceValue<double> spgemm(const CusparseContext<double>&, const DeviceValue<double>&,
                                    const DeviceValue<double>&, const SpgemmWay&);
template class ReusedProduct<float>;
template class ReusedProduct<double>;
template class VectorProduct<float>;
template class VectorProduct<double>;

}  // namespace upsweep::kernels

#pragma once

#include <array>

#include "cusparse_objects.hpp"

namespace upsweep::kernels {

/// A way to compute a product with cusparseSpGEMM.
struct SpgemmWay {
  cusparseSpGEMMAlg_t algorithm;
  const char* name;
};

/// From the fastest to the one that needs the least memory.
inline constexpr std::array<SpgemmWay, 3> kSpgemmWays = {
    SpgemmWay{CUSPARSE_SPGEMM_DEFAULT, "CUSPARSE_SPGEMM_DEFAULT"},
    SpgemmWay{CUSPARSE_SPGEMM_ALG3, "CUSPARSE_SPGEMM_ALG3 in chunks of 0.2 of the products"},
    SpgemmWay{CUSPARSE_SPGEMM_ALG2, "CUSPARSE_SPGEMM_ALG2"}};

/// X·Y with all steps of cusparseSpGEMM. Throws NotEnoughMemory where another way may do, else BackendError.
template <class T>
[[nodiscard]] DeviceValue<T> spgemm(const CusparseContext<T>& context, const DeviceValue<T>& x, const DeviceValue<T>& y,
                                    const SpgemmWay& way);

/// A product X·Y whose structure is computed once, by cusparseSpGEMMreuse, and its numbers as often as one likes.
/// Moves; X, Y and the result must stay where they are on the device.
template <class T>
class ReusedProduct {
 public:
  /// Computes the structure of X·Y and hands it over as `result`, with room for its numbers. Throws BackendError.
  ReusedProduct(const CusparseContext<T>& context, const DeviceValue<T>& x, const DeviceValue<T>& y,
                DeviceValue<T>& result);

  /// Puts the computation of the numbers into the stream. Throws BackendError.
  void compute(const CusparseContext<T>& context, const DeviceValue<T>& x, const DeviceValue<T>& y) const;

 private:
  void find_structure(const CusparseContext<T>& context, const DeviceValue<T>& x, const DeviceValue<T>& y,
                      DeviceValue<T>& result);

  bool empty_ = false;  // no entries, nothing to compute
  ProductDescriptor product_;
  SparseDescriptor result_;
  BufferCache::Block lasting4_;  // the two buffers that cuSPARSE needs from its first step to its last
  BufferCache::Block lasting5_;
};

/// X·v for a dense vector v by cusparseSpMV. Moves; X, v and the result must stay where they are on the device.
template <class T>
class VectorProduct {
 public:
  /// Takes what compute() needs. Throws BackendError.
  VectorProduct(const CusparseContext<T>& context, const DeviceValue<T>& x, const DeviceValue<T>& v,
                const DeviceValue<T>& result);

  /// Puts the product into the stream. Throws BackendError.
  void compute(const CusparseContext<T>& context, const DeviceValue<T>& x, const DeviceValue<T>& result) const;

 private:
  VectorDescriptor v_;
  VectorDescriptor result_;
  BufferCache::Block workspace_;
};

}  // namespace upsweep::kernels

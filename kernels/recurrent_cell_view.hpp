#pragma once

#include <cstdint>

#include "row_views.hpp"
#include "upsweep/recurrent/cell.hpp"

// Loops over arrays that must live in registers; the compiler of the host code would warn.
#ifdef __CUDA_ARCH__
#define UPSWEEP_UNROLL _Pragma("unroll")
#else
#define UPSWEEP_UNROLL
#endif

namespace upsweep::kernels {

/// Numbers from row to row of a matrix with `hidden` columns: rows begin at multiples of 16 bytes, zeros fill them.
[[nodiscard]] constexpr UPSWEEP_HOST_DEVICE std::uint32_t padded_row(std::uint32_t hidden) {
  return (hidden + 3) / 4 * 4;
}

/// Operands and result of a backward pass where a kernel can read them. Layouts as ForwardStates; owns nothing.
template <class T>
struct CellView {
  const T* w_hh = nullptr;    ///< gates · hidden rows, padded_row(hidden) apart
  const T* states = nullptr;  ///< h_t: [t][b][hidden], t = 0..T
  const T* r = nullptr;       ///< gru: [t - 1][b][hidden], likewise z, n, m
  const T* z = nullptr;
  const T* n = nullptr;
  const T* m = nullptr;
  T* gradients = nullptr;  ///< [t][b][hidden], t = 0..T; g_T is there
  std::uint64_t batch = 0;
  std::uint32_t hidden = 0;
  bool is_relu = false;

  /// Numbers from step to step.
  [[nodiscard]] UPSWEEP_HOST_DEVICE std::uint64_t stride() const { return batch * hidden; }
  /// Where h_t of sample b stands in `states`, and g_t in `gradients`.
  [[nodiscard]] UPSWEEP_HOST_DEVICE std::uint64_t place(std::uint64_t t, std::uint64_t b) const {
    return (t * batch + b) * hidden;
  }
};

/// Steps that are gone through backwards: from g_from to g_to.
struct StepRange {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

/// kCount neighbours that are read and written at once.
template <class T, unsigned kCount>
struct alignas(sizeof(T) * kCount > 16 ? 16 : sizeof(T) * kCount) Pack {
  T x[kCount];
};

/// Numbers in 16 bytes.
template <class T>
inline constexpr unsigned kPack = 16 / sizeof(T);

/// `from` must be aligned as a pack.
template <unsigned kCount, class T>
[[nodiscard]] UPSWEEP_HOST_DEVICE Pack<T, kCount> load_pack(const T* from) {
  return *reinterpret_cast<const Pack<T, kCount>*>(from);
}
template <unsigned kCount, class T>
UPSWEEP_HOST_DEVICE void store_pack(T* to, const Pack<T, kCount>& pack) {
  *reinterpret_cast<Pack<T, kCount>*>(to) = pack;
}

}  // namespace upsweep::kernels

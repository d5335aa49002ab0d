#pragma once

#include <cblas.h>

#include <cstddef>
#include <type_traits>

namespace upsweep {

/// Sets the threads of OpenBLAS while it lives.
class BlasThreads {
 public:
  explicit BlasThreads(std::size_t threads) : before_(openblas_get_num_threads()) {
    openblas_set_num_threads(static_cast<int>(threads));
  }
  ~BlasThreads() { openblas_set_num_threads(before_); }
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int before_;
};

/// A matrix in row-major order, or its transpose.
template <class T>
struct BlasMatrix {
  const T* values = nullptr;
  std::size_t stride = 0;  ///< of the rows as they are stored
  bool is_transposed = false;
};

/// c = a · b with a of shape m × k, b of k × n.
template <class T>
void multiply_dense(std::size_t m, std::size_t n, std::size_t k, BlasMatrix<T> a, BlasMatrix<T> b, T* c) {
  const auto number = [](std::size_t count) { return static_cast<blasint>(count); };
  const auto shape = [](const BlasMatrix<T>& x) { return x.is_transposed ? CblasTrans : CblasNoTrans; };
  if constexpr (std::is_same_v<T, double>) {
    cblas_dgemm(CblasRowMajor, shape(a), shape(b), number(m), number(n), number(k), 1, a.values, number(a.stride),
                b.values, number(b.stride), 0, c, number(n));
  } else {
    cblas_sgemm(CblasRowMajor, shape(a), shape(b), number(m), number(n), number(k), 1, a.values, number(a.stride),
                b.values, number(b.stride), 0, c, number(n));
  }
}

/// y = aᵀ · x, a of shape rows × cols.
template <class T>
void multiply_transposed(std::size_t rows, std::size_t cols, const T* a, const T* x, T* y) {
  const auto number = [](std::size_t count) { return static_cast<blasint>(count); };
  if constexpr (std::is_same_v<T, double>) {
    cblas_dgemv(CblasRowMajor, CblasTrans, number(rows), number(cols), 1, a, number(cols), x, 1, 0, y, 1);
  } else {
    cblas_sgemv(CblasRowMajor, CblasTrans, number(rows), number(cols), 1, a, number(cols), x, 1, 0, y, 1);
  }
}

}  // namespace upsweep

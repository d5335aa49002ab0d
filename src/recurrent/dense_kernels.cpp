#include "dense_kernels.hpp"

#include <algorithm>

#include "vectorised.hpp"

namespace upsweep {
namespace {

template <class T, std::size_t Bytes>
struct VectorOf {
  using Type [[gnu::vector_size(Bytes), gnu::aligned(sizeof(T)), gnu::may_alias]] = T;
};

/// Writes a vector whole, or its first `count` numbers.
template <class T, class Vector>
[[gnu::always_inline]] inline void store(T* to, Vector from, std::size_t count, bool whole) {
  if (whole) {
    *reinterpret_cast<Vector*>(to) = from;
    return;
  }
  T numbers[sizeof(Vector) / sizeof(T)];  // a vector with a variable index would have to live in memory
  *reinterpret_cast<Vector*>(numbers) = from;
  for (std::size_t i = 0; i < count; ++i) to[i] = numbers[i];
}

/// The sums of a tile, R rows of V vectors, twice: for even and for odd k. In a struct of its own and with unrolled
/// loops it lives in registers.
template <class T, std::size_t Bytes, std::size_t R, std::size_t V>
struct Tile {
  using Vector = typename VectorOf<T, Bytes>::Type;
  static constexpr std::size_t kLanes = Bytes / sizeof(T);

  /// sums += column k of A · row k of B.
  [[gnu::always_inline]] static inline void add(Vector (&sums)[R][V], const T* a, std::size_t a_row, const T* b) {
    Vector row[V];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < V; ++v) row[v] = *reinterpret_cast<const Vector*>(b + v * kLanes);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < R; ++r) {
      const T factor = a[r * a_row];
#pragma GCC unroll 2
      for (std::size_t v = 0; v < V; ++v) sums[r][v] += factor * row[v];
    }
  }

  /// Rows [i, i + R) of C from column j on.
  [[gnu::always_inline]] static inline void compute(const SmallProduct<T>& p, std::size_t i, std::size_t j) {
    const T* a = p.a + i * p.a_row;
    const T* b = p.b + j;
    Vector even[R][V] = {};
    Vector odd[R][V] = {};
    std::size_t k = 0;
    for (; k + 2 <= p.k; k += 2) {
      add(even, a + k * p.a_step, p.a_row, b + k * p.b_row);
      add(odd, a + (k + 1) * p.a_step, p.a_row, b + (k + 1) * p.b_row);
    }
    if (k < p.k) add(even, a + k * p.a_step, p.a_row, b + k * p.b_row);
    // A row's surplus lands where the next row starts, which is written later, unless rows have several tiles.
    const bool one_tile = p.n <= V * kLanes && p.c_row + p.n >= V * kLanes;
#pragma GCC unroll 4
    for (std::size_t r = 0; r < R; ++r) {
#pragma GCC unroll 2
      for (std::size_t v = 0; v < V; ++v) {
        const std::size_t left = p.n - (j + v * kLanes);
        const bool whole = left >= kLanes || (one_tile && i + r + 1 < p.m);
        store(p.c + (i + r) * p.c_row + j + v * kLanes, even[r][v] + odd[r][v], left, whole);
      }
    }
  }
};

template <class T, std::size_t Bytes, std::size_t R>
[[gnu::always_inline]] inline void multiply_rows(const SmallProduct<T>& p, std::size_t i) {
  constexpr std::size_t kLanes = Bytes / sizeof(T);
  std::size_t j = 0;
  for (; j + kLanes < p.n; j += 2 * kLanes) Tile<T, Bytes, R, 2>::compute(p, i, j);
  if (j < p.n) Tile<T, Bytes, R, 1>::compute(p, i, j);
}

/// R rows at a time keep the sums of a tile, 4 · R vectors, in registers.
template <class T, std::size_t Bytes, std::size_t R>
[[gnu::always_inline]] inline void multiply_all(const SmallProduct<T>& p) {
  std::size_t i = 0;
  for (; i + R <= p.m; i += R) multiply_rows<T, Bytes, R>(p, i);
  for (; i < p.m; ++i) multiply_rows<T, Bytes, 1>(p, i);
}

template <class T, std::size_t Bytes, std::size_t Gates>
[[gnu::always_inline]] inline void form_rows(const JacobianTask<T>& task) {
  using Vector = typename VectorOf<T, Bytes>::Type;
  constexpr std::size_t kLanes = Bytes / sizeof(T);
  const std::size_t h = task.h;
  // As in Tile: a surplus lands in the next row before that is written.
  for (std::size_t i = 0; i < h; ++i) {
    T* to = task.jacobian + i * task.row;
    for (std::size_t j = 0; j < h; j += kLanes) {
      Vector sum = task.factors[i] * *reinterpret_cast<const Vector*>(task.w_hh + i * task.w_row + j);
      for (std::size_t q = 1; q < Gates; ++q) {
        const std::size_t at = q * h + i;
        sum += task.factors[at] * *reinterpret_cast<const Vector*>(task.w_hh + at * task.w_row + j);
      }
      const bool whole = j + kLanes <= h || (i + 1 < h && j + kLanes <= task.row + h);
      store(to + j, sum, h - j, whole);
    }
    if (task.direct != nullptr) to[i] += task.direct[i];
  }
}

template <class T, std::size_t Bytes>
[[gnu::always_inline]] inline void form_all(const JacobianTask<T>& task) {
  if (task.gates == 1) {
    form_rows<T, Bytes, 1>(task);
  } else {
    form_rows<T, Bytes, 3>(task);
  }
}

// A version per width of the vector registers: vectors wider than those compile to poor code. The loader picks one for
// calls from this file, the only one that sees them all.
#if defined(UPSWEEP_VECTOR_CLONES)
#define UPSWEEP_VERSIONS(type)                                                                               \
  __attribute__((target("avx512f"))) void run(const SmallProduct<type>& p) { multiply_all<type, 64, 4>(p); } \
  __attribute__((target("avx512f"))) void run(const JacobianTask<type>& task) { form_all<type, 64>(task); }  \
  __attribute__((target("avx2"))) void run(const SmallProduct<type>& p) { multiply_all<type, 32, 2>(p); }    \
  __attribute__((target("avx2"))) void run(const JacobianTask<type>& task) { form_all<type, 32>(task); }     \
  __attribute__((target("default"))) void run(const SmallProduct<type>& p) { multiply_all<type, 16, 2>(p); } \
  __attribute__((target("default"))) void run(const JacobianTask<type>& task) { form_all<type, 16>(task); }
#else
#define UPSWEEP_VERSIONS(type)                                            \
  void run(const SmallProduct<type>& p) { multiply_all<type, 16, 2>(p); } \
  void run(const JacobianTask<type>& task) { form_all<type, 16>(task); }
#endif

UPSWEEP_VERSIONS(float)
UPSWEEP_VERSIONS(double)

template <class T>
[[gnu::always_inline]] inline void multiply_elements_of(const T* x, const T* y, T* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = x[i] * y[i];
}

template <class T>
[[gnu::always_inline]] inline void scale_rows_of(const DiagonalProduct<T>& p) {
  for (std::size_t i = 0; i < p.h; ++i) {
    const T factor = p.diagonal[i];
    const T* from = p.a + i * p.a_row;
    T* to = p.c + i * p.h;
    for (std::size_t j = 0; j < p.h; ++j) to[j] = factor * from[j];
  }
}

template <class T>
[[gnu::always_inline]] inline void scale_columns_of(const DiagonalProduct<T>& p) {
  for (std::size_t i = 0; i < p.h; ++i) multiply_elements_of(p.a + i * p.a_row, p.diagonal, p.c + i * p.h, p.h);
}

}  // namespace

void multiply(const SmallProduct<float>& product) { run(product); }
void multiply(const SmallProduct<double>& product) { run(product); }
void form_jacobian(const JacobianTask<float>& task) { run(task); }
void form_jacobian(const JacobianTask<double>& task) { run(task); }

template <class T>
void multiply_in_place(SmallProduct<T> product, T* scratch) {
  const bool into_a = product.c == product.a;
  const bool into_b = product.c == product.b;
  if (into_a || into_b) std::copy_n(product.c, product.m * product.n, scratch);
  if (into_a) product.a = scratch;
  if (into_b) product.b = scratch;
  multiply(product);
}

template void multiply_in_place<float>(SmallProduct<float>, float*);
template void multiply_in_place<double>(SmallProduct<double>, double*);

UPSWEEP_VECTORISED void multiply_elements(const float* x, const float* y, float* to, std::size_t count) {
  multiply_elements_of(x, y, to, count);
}
UPSWEEP_VECTORISED void multiply_elements(const double* x, const double* y, double* to, std::size_t count) {
  multiply_elements_of(x, y, to, count);
}
UPSWEEP_VECTORISED void scale_rows(const DiagonalProduct<float>& product) { scale_rows_of(product); }
UPSWEEP_VECTORISED void scale_rows(const DiagonalProduct<double>& product) { scale_rows_of(product); }
UPSWEEP_VECTORISED void scale_columns(const DiagonalProduct<float>& product) { scale_columns_of(product); }
UPSWEEP_VECTORISED void scale_columns(const DiagonalProduct<double>& product) { scale_columns_of(product); }

}  // namespace upsweep

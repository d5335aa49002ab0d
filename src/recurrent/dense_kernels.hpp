#pragma once

#include <cstddef>

namespace upsweep {

/// C = A · B, small and dense. C overlaps neither A nor B.
///
/// Every element is the sum over even k plus the sum over odd k, each ascending: the same on every machine and for
/// every m. The kernel may read a vector (kVectorBytes) past the last row of B, and write anything between the rows of
/// C; behind the last row of C it writes nothing.
template <class T>
struct SmallProduct {
  const T* a;          ///< element (i, k) at i · a_row + k · a_step
  std::size_t a_row;   ///< numbers from row to row of A
  std::size_t a_step;  ///< numbers from column to column of A
  const T* b;
  std::size_t b_row;  ///< numbers from row to row of B
  T* c;
  std::size_t c_row;  ///< numbers from row to row of C, at least n
  std::size_t m;
  std::size_t k;
  std::size_t n;
};

void multiply(const SmallProduct<float>& product);
void multiply(const SmallProduct<double>& product);

/// multiply() of square matrices, where C may be A or B: rows then have no gaps. `scratch` has room for one matrix and
/// a vector (kVectorBytes), and overlaps nothing.
template <class T>
void multiply_in_place(SmallProduct<T> product, T* scratch);

/// to[i] = x[i] · y[i].
void multiply_elements(const float* x, const float* y, float* to, std::size_t count);
void multiply_elements(const double* x, const double* y, double* to, std::size_t count);

/// A square matrix with its rows or columns scaled: diagonal · A, or A · diagonal.
template <class T>
struct DiagonalProduct {
  const T* diagonal;  ///< h
  const T* a;
  std::size_t a_row;  ///< numbers from row to row of A
  T* c;               ///< rows h apart; may be A where those are, too
  std::size_t h;
};

void scale_rows(const DiagonalProduct<float>& product);
void scale_rows(const DiagonalProduct<double>& product);
void scale_columns(const DiagonalProduct<float>& product);
void scale_columns(const DiagonalProduct<double>& product);

/// The Jacobian ∂h_t/∂h_{t-1} of one sample, not transposed: row i is the sum over gates q of
/// factors[q · h + i] · (row q · h + i of W_hh), plus direct[i] on the diagonal.
template <class T>
struct JacobianTask {
  const T* factors;  ///< gates · h
  const T* direct;   ///< h, or null for none
  const T* w_hh;     ///< (gates · h) × h, rows w_row apart; a vector past the last row may be read
  std::size_t w_row;
  T* jacobian;  ///< h × h, rows `row` apart; what lies between rows is undefined
  std::size_t row;
  std::size_t gates;  ///< 1 or 3
  std::size_t h;
};

void form_jacobian(const JacobianTask<float>& task);
void form_jacobian(const JacobianTask<double>& task);

}  // namespace upsweep

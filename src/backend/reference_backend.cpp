#include <algorithm>

#include "sequential_run.hpp"
#include "upsweep/backend/backends.hpp"
#include "upsweep/backend/schedule_plan.hpp"
#include "upsweep/sparse/csr.hpp"

namespace upsweep {
namespace {

/// Sparse products as one would write them down.
template <class T>
struct Naive {
  using Vector = std::vector<T>;
  using Matrix = CsrMatrix<T>;

  static Matrix matrix(const NumericChain<T>& chain, std::size_t i) {
    return {chain.structure.jacobians[i]->to_csr(), chain.values[i]};
  }
  static Vector vector(const std::vector<T>& gradient) { return gradient; }

  static Matrix multiply(const Matrix& left, const Matrix& right) {
    const CsrPattern& x = left.pattern;
    const CsrPattern& y = right.pattern;
    Matrix c;
    c.pattern = {x.rows, y.cols, {0}, {}};
    std::vector<T> sums(y.cols);
    std::vector<bool> met(y.cols);
    std::vector<Index> columns;
    for (Index r = 0; r < x.rows; ++r) {
      columns.clear();
      for (std::uint64_t e = x.indptr[r]; e < x.indptr[r + std::size_t{1}]; ++e) {
        const Index k = x.indices[e];
        for (std::uint64_t f = y.indptr[k]; f < y.indptr[k + std::size_t{1}]; ++f) {
          const Index column = y.indices[f];
          if (!met[column]) columns.push_back(column);
          met[column] = true;
          sums[column] += left.values[e] * right.values[f];
        }
      }
      std::sort(columns.begin(), columns.end());
      for (const Index column : columns) {
        c.pattern.indices.push_back(column);
        c.values.push_back(sums[column]);
        sums[column] = 0;
        met[column] = false;
      }
      c.pattern.indptr.push_back(c.pattern.indices.size());
    }
    return c;
  }

  static Vector apply(const Matrix& matrix, const Vector& v) {
    const CsrPattern& x = matrix.pattern;
    Vector result(x.rows);
    for (Index r = 0; r < x.rows; ++r) {
      for (std::uint64_t e = x.indptr[r]; e < x.indptr[r + std::size_t{1}]; ++e) {
        result[r] += matrix.values[e] * v[x.indices[e]];
      }
    }
    return result;
  }

  static std::uint64_t nnz(const Matrix& matrix) { return matrix.values.size(); }
  static std::uint64_t size(const Vector& v) { return v.size(); }
  static std::uint64_t products(const Matrix& x, const Matrix& y) {
    std::uint64_t products = 0;
    const std::vector<std::uint64_t>& indptr = y.pattern.indptr;
    for (const Index k : x.pattern.indices) products += indptr[k + std::size_t{1}] - indptr[k];
    return products;
  }
  static std::uint64_t bytes(const Matrix& matrix) { return csr_bytes(matrix.pattern.rows, nnz(matrix), sizeof(T)); }
  static std::uint64_t digest(const Matrix& matrix) {
    const CsrPattern& pattern = matrix.pattern;
    StructureDigest digest(pattern.rows, pattern.cols);
    for (Index r = 0; r < pattern.rows; ++r) {
      const std::uint64_t begin = pattern.indptr[r];
      digest.row(std::span(pattern.indices).subspan(begin, pattern.indptr[r + std::size_t{1}] - begin));
    }
    return digest.value();
  }
  static std::vector<double> numbers(const Vector& v) { return {v.begin(), v.end()}; }
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend() {
  return std::make_unique<SequentialBackend<Naive>>("reference", "");
}

}  // namespace upsweep

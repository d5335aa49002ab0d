#include <fmt/format.h>

#include <Eigen/SparseCore>
#include <limits>

#include "sequential_run.hpp"
#include "upsweep/backend/backends.hpp"
#include "upsweep/backend/schedule_plan.hpp"

namespace upsweep {
namespace {

/// Eigen's row-major sparse matrices; 64-bit offsets, so that any number of entries fits.
template <class T>
struct EigenLibrary {
  using Matrix = Eigen::SparseMatrix<T, Eigen::RowMajor, std::int64_t>;
  using Vector = Eigen::Vector<T, Eigen::Dynamic>;

  static Matrix matrix(const NumericChain<T>& chain, std::size_t i) {
    const Pattern& pattern = *chain.structure.jacobians[i];
    Matrix matrix(pattern.rows(), pattern.cols());
    matrix.resizeNonZeros(static_cast<Eigen::Index>(pattern.nnz()));
    std::int64_t at = 0;
    for (Index r = 0; r < pattern.rows(); ++r) {
      matrix.outerIndexPtr()[r] = at;
      pattern.row(r).for_each([&](Index column) { matrix.innerIndexPtr()[at++] = column; });
    }
    matrix.outerIndexPtr()[pattern.rows()] = at;
    std::copy(chain.values[i].begin(), chain.values[i].end(), matrix.valuePtr());
    return matrix;
  }
  static Vector vector(const std::vector<T>& gradient) {
    return Eigen::Map<const Vector>(gradient.data(), static_cast<Eigen::Index>(gradient.size()));
  }
  static Matrix multiply(const Matrix& x, const Matrix& y) { return x * y; }
  static Vector apply(const Matrix& x, const Vector& v) { return x * v; }

  static std::uint64_t nnz(const Matrix& matrix) { return static_cast<std::uint64_t>(matrix.nonZeros()); }
  static std::uint64_t size(const Vector& v) { return static_cast<std::uint64_t>(v.size()); }
  static std::uint64_t products(const Matrix& x, const Matrix& y) {
    std::int64_t products = 0;
    for (std::int64_t e = 0; e < x.nonZeros(); ++e) {
      const std::int64_t k = x.innerIndexPtr()[e];
      products += y.outerIndexPtr()[k + 1] - y.outerIndexPtr()[k];
    }
    return static_cast<std::uint64_t>(products);
  }
  static std::uint64_t bytes(const Matrix& matrix) {
    return nnz(matrix) * (sizeof(T) + sizeof(std::int64_t)) +
           static_cast<std::uint64_t>(matrix.rows() + 1) * sizeof(std::int64_t);
  }
  static std::uint64_t digest(const Matrix& matrix) {
    StructureDigest digest(static_cast<std::uint64_t>(matrix.rows()), static_cast<std::uint64_t>(matrix.cols()));
    std::vector<Index> columns;
    for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
      columns.clear();
      for (typename Matrix::InnerIterator entry(matrix, r); entry; ++entry) {
        columns.push_back(static_cast<Index>(entry.col()));
      }
      digest.row(columns);
    }
    return digest.value();
  }
  static std::vector<double> numbers(const Vector& v) { return {v.begin(), v.end()}; }
};

}  // namespace

std::unique_ptr<Backend> make_eigen_backend() {
  return std::make_unique<SequentialBackend<EigenLibrary>>(
      "eigen", fmt::format(", Eigen {}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION));
}

}  // namespace upsweep

#include "eigen_bicgstab.hpp"

#include <Eigen/IterativeLinearSolvers>
#include <algorithm>
#include <cmath>
#include <limits>

namespace upsweep {
namespace {

template <class T>
class MatrixFree;

}  // namespace
}  // namespace upsweep

namespace Eigen::internal {

/// What Eigen asks of a matrix type.
template <class T>
struct traits<upsweep::MatrixFree<T>> : traits<SparseMatrix<T>> {};

}  // namespace Eigen::internal

namespace upsweep {
namespace {

/// I - M as a matrix of Eigen's that has no entries but a product; it counts them.
template <class T>
class MatrixFree : public Eigen::EigenBase<MatrixFree<T>> {
 public:
  using Scalar = T;
  using RealScalar = T;
  using StorageIndex = int;
  enum { ColsAtCompileTime = Eigen::Dynamic, MaxColsAtCompileTime = Eigen::Dynamic, IsRowMajor = false };  // NOLINT

  explicit MatrixFree(const GroupedProduct<T>& grouped) : grouped_(grouped), image_(grouped.system().unknowns()) {}

  [[nodiscard]] Eigen::Index rows() const { return static_cast<Eigen::Index>(image_.size()); }
  [[nodiscard]] Eigen::Index cols() const { return rows(); }

  template <class Vector>
  Eigen::Product<MatrixFree, Vector, Eigen::AliasFreeProduct> operator*(const Eigen::MatrixBase<Vector>& v) const {
    return {*this, v.derived()};
  }

  /// y += alpha (v - M v)
  template <class Out>
  void add_product(const Eigen::VectorX<T>& v, T alpha, Out& y) const {
    grouped_.product({v.data(), image_.size()}, std::span<T>(image_));
    y += alpha * (v - Eigen::Map<const Eigen::VectorX<T>>(image_.data(), rows()));
    ++products_;
  }
  [[nodiscard]] std::size_t products() const { return products_; }

 private:
  const GroupedProduct<T>& grouped_;
  mutable std::vector<T> image_;
  mutable std::size_t products_ = 0;
};

/// The identity as a preconditioner that counts its uses: two per iteration.
class CountingIdentity {
 public:
  CountingIdentity() = default;
  template <class Matrix>
  CountingIdentity& analyzePattern(const Matrix&) {  // NOLINT(readability-identifier-naming): Eigen's name
    return *this;
  }
  template <class Matrix>
  CountingIdentity& factorize(const Matrix&) {
    return *this;
  }
  template <class Matrix>
  CountingIdentity& compute(const Matrix&) {
    return *this;
  }
  template <class Vector>
  [[nodiscard]] const Vector& solve(const Vector& v) const {
    ++uses_;
    return v;
  }
  [[nodiscard]] static Eigen::ComputationInfo info() { return Eigen::Success; }
  [[nodiscard]] std::size_t uses() const { return uses_; }

 private:
  mutable std::size_t uses_ = 0;
};

}  // namespace
}  // namespace upsweep

namespace Eigen::internal {

/// The product of MatrixFree with a vector.
template <class T, class Vector>
struct generic_product_impl<upsweep::MatrixFree<T>, Vector, SparseShape, DenseShape, GemvProduct>
    : generic_product_impl_base<upsweep::MatrixFree<T>, Vector, generic_product_impl<upsweep::MatrixFree<T>, Vector>> {
  template <class Out>
  static void scaleAndAddTo(Out& y, const upsweep::MatrixFree<T>& matrix, const Vector& v,  // NOLINT: Eigen's name
                            const T& alpha) {
    matrix.add_product(v, alpha, y);
  }
};

}  // namespace Eigen::internal

namespace upsweep {

template <class T>
EigenRun<T> eigen_bicgstab(const GroupedProduct<T>& grouped, const std::vector<T>& start, std::size_t most,
                           double tolerance) {
  using Vector = Eigen::VectorX<T>;
  const std::vector<T> c = grouped.system().right_side();
  const auto size = static_cast<Eigen::Index>(c.size());
  T largest = 0;
  for (const T number : c) largest = std::max(largest, std::fabs(number));
  // Eigen squares norms: a right side near 1 keeps them in the range of fp32. A power of two rounds nothing.
  constexpr int kMost = std::numeric_limits<T>::max_exponent - 2;
  const int exponent = largest > 0 && std::isfinite(largest) ? std::clamp(std::ilogb(largest), -kMost, kMost) : 0;
  const T down = std::ldexp(T{1}, -exponent);
  const T up = std::ldexp(T{1}, exponent);

  const MatrixFree<T> matrix(grouped);
  Eigen::BiCGSTAB<MatrixFree<T>, CountingIdentity> solver;
  solver.setMaxIterations(static_cast<Eigen::Index>(most));
  solver.setTolerance(static_cast<T>(tolerance));
  solver.compute(matrix);
  const Vector right = down * Eigen::Map<const Vector>(c.data(), size);
  const Vector guess = down * Eigen::Map<const Vector>(start.data(), size);
  const Vector found = solver.solveWithGuess(right, guess);

  EigenRun<T> run;
  run.v.resize(c.size());
  for (std::size_t i = 0; i < c.size(); ++i) run.v[i] = up * found[static_cast<Eigen::Index>(i)];
  run.iterations = solver.preconditioner().uses() / 2;
  run.products = matrix.products();
  run.claims_convergence = solver.info() == Eigen::Success;
  return run;
}

template EigenRun<float> eigen_bicgstab(const GroupedProduct<float>&, const std::vector<float>&, std::size_t, double);
template EigenRun<double> eigen_bicgstab(const GroupedProduct<double>&, const std::vector<double>&, std::size_t,
                                         double);

}  // namespace upsweep

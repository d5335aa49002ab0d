#include "eigen_products.hpp"

#include <fmt/format.h>

#include <Eigen/SparseCore>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "product_list.hpp"
#include "upsweep/sparse/pattern.hpp"

namespace upsweep::bench {
namespace {

using Sparse = Eigen::SparseMatrix<std::int8_t, Eigen::RowMajor, std::int64_t>;
using Matrix = std::unique_ptr<Sparse>;

Matrix convert(const Pattern& pattern) {
  const CsrPattern csr = pattern.to_csr();
  auto matrix = std::make_unique<Sparse>(csr.rows, csr.cols);
  matrix->makeCompressed();
  matrix->resizeNonZeros(static_cast<Eigen::Index>(csr.indices.size()));
  std::copy(csr.indptr.begin(), csr.indptr.end(), matrix->outerIndexPtr());
  std::copy(csr.indices.begin(), csr.indices.end(), matrix->innerIndexPtr());
  std::fill_n(matrix->valuePtr(), csr.indices.size(), std::int8_t{1});
  return matrix;
}

}  // namespace

Task eigen_products(const JacobianChain& chain, const Schedule& schedule) {
  struct State {
    ProductList list;
    std::vector<Matrix> elements;
    Counts nnz;
  };
  const auto state = std::make_shared<State>();
  state->list = matrix_products(schedule);
  state->elements.resize(1);
  for (const auto& jacobian : chain.jacobians) state->elements.push_back(convert(*jacobian));
  const auto multiply = [](const Matrix& later, const Matrix& earlier) {
    auto product = std::make_unique<Sparse>();
    *product = *later * *earlier;
    return product;
  };
  const auto count = [](const Matrix& matrix) { return static_cast<std::uint64_t>(matrix->nonZeros()); };
  Task task;
  task.run = [state, multiply, count] { state->nnz = replay(state->list, state->elements, multiply, count); };
  task.counts = [state] { return state->nnz; };
  return task;
}

std::string eigen_version() {
  return fmt::format("Eigen {}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
}

}  // namespace upsweep::bench

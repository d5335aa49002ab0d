#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "upsweep/network/network.hpp"

namespace upsweep::testing {

/// A dense matrix, row-major: numbers, or 0 and 1 for a structure.
struct DenseMatrix {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<double> entries;

  DenseMatrix(std::size_t r, std::size_t c) : rows(r), cols(c), entries(r * c) {}
  [[nodiscard]] double& at(std::size_t r, std::size_t c) { return entries[r * cols + c]; }
  [[nodiscard]] double at(std::size_t r, std::size_t c) const { return entries[r * cols + c]; }
};

[[nodiscard]] inline DenseMatrix identity(std::size_t n) {
  DenseMatrix one(n, n);
  for (std::size_t i = 0; i < n; ++i) one.at(i, i) = 1;
  return one;
}

[[nodiscard]] inline DenseMatrix times(const DenseMatrix& a, const DenseMatrix& b) {
  DenseMatrix product(a.rows, b.cols);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t k = 0; k < a.cols; ++k) {
      for (std::size_t j = 0; j < b.cols; ++j) product.at(i, j) += a.at(i, k) * b.at(k, j);
    }
  }
  return product;
}

/// The transposed Jacobian of the operator at a position, neither view nor join.
using DenseJacobian = std::function<DenseMatrix(std::size_t position)>;

/// The transposed Jacobian of operator `o` with respect to its input number `k`, joins and views included.
[[nodiscard]] inline DenseMatrix jacobian_of_input(const Network& network, const DenseJacobian& jacobian, std::size_t o,
                                                   std::size_t k) {
  const Operator& op = network.operators()[o];
  if (!is_view(op.kind) && !is_join(op.kind)) return jacobian(o);
  const std::vector<std::size_t>& inputs = network.inputs_of(o);
  const std::size_t rows = elements(network.shape_of(inputs[k]));
  if (!std::holds_alternative<Concat>(op.kind)) return identity(rows);
  std::size_t before = 0;
  for (std::size_t i = 0; i < k; ++i) before += elements(network.shape_of(inputs[i]));
  DenseMatrix part(rows, elements(op.out_shape));
  for (std::size_t r = 0; r < rows; ++r) part.at(r, before + r) = 1;
  return part;
}

/// The definition of the transposed Jacobian between two activations: the sum over all paths from `from` to `to` of the
/// products along them, path by path.
[[nodiscard]] inline DenseMatrix path_sum(const Network& network, const DenseJacobian& jacobian, std::size_t from,
                                          std::size_t to) {
  DenseMatrix sum(elements(network.shape_of(from)), elements(network.shape_of(to)));
  const std::function<void(std::size_t, const DenseMatrix&)> walk = [&](std::size_t at, const DenseMatrix& product) {
    if (at == to) {
      for (std::size_t e = 0; e < sum.entries.size(); ++e) sum.entries[e] += product.entries[e];
      return;
    }
    for (std::size_t o = 0; o <= to; ++o) {
      const std::vector<std::size_t>& inputs = network.inputs_of(o);
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (inputs[k] == at) walk(o, times(product, jacobian_of_input(network, jacobian, o, k)));
      }
    }
  };
  walk(from, identity(sum.rows));
  return sum;
}

}  // namespace upsweep::testing

#include "recurrent_outer_arrays.hpp"

#include <algorithm>
#include <cassert>

#include "upsweep/recurrent/forward.hpp"

namespace upsweep::kernels {
namespace {

template <class T>
std::vector<T> transposed(const std::vector<T>& matrix, std::size_t cols) {
  const std::size_t rows = matrix.size() / cols;
  std::vector<T> result(matrix.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) result[c * rows + r] = matrix[r * cols + c];
  }
  return result;
}

/// To a matrix, and to a bias what the column of ones gave.
template <class T>
void write_product(const OuterProduct& product, std::span<const T> sums, std::vector<T>& matrix, std::vector<T>& bias) {
  assert(matrix.size() == std::size_t{product.left} * product.right && bias.size() == product.left);
  const T* from = sums.data() + product.first_sum;
  for (std::size_t r = 0; r < product.left; ++r) {
    std::copy_n(from, product.right, matrix.data() + r * product.right);
    bias[r] = from[product.right];
    from += product.right + 1;
  }
}

}  // namespace

template <class T>
ForwardArrays<T> forward_arrays(const CellWeights<T>& weights) {
  const CellShape& shape = weights.shape;
  ForwardArrays<T> arrays{
      transposed(weights.w_ih, shape.input), transposed(weights.w_hh, shape.hidden), weights.b_ih, {}};
  const bool is_gru = shape.kind == CellKind::gru;
  const std::size_t outside = (is_gru ? 2 : 1) * shape.hidden;
  for (std::size_t i = 0; i < outside; ++i) arrays.bias[i] += weights.b_hh[i];
  if (is_gru) {
    arrays.hidden_bias.assign(weights.b_hh.begin() + static_cast<std::ptrdiff_t>(outside), weights.b_hh.end());
  }
  return arrays;
}

void require_no_fault(std::span<const std::uint64_t> faults, std::size_t hidden) {
  std::size_t first = faults.size();
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (faults[i] != 0 && (first == faults.size() || faults[i] < faults[first])) first = i;
  }
  if (first < faults.size()) throw NonFiniteState(faults[first], first / hidden);
}

template <class T>
void write_gradients(const OuterPlan& plan, std::span<const T> sums, CellWeights<T>& gradients) {
  write_product(plan.products[0], sums, gradients.w_hh, gradients.b_hh);
  write_product(plan.products[1], sums, gradients.w_ih, gradients.b_ih);
  write_product(plan.products[2], sums, gradients.w_head, gradients.b_head);
}

template ForwardArrays<float> forward_arrays<float>(const CellWeights<float>&);
template ForwardArrays<double> forward_arrays<double>(const CellWeights<double>&);
template void write_gradients<float>(const OuterPlan&, std::span<const float>, CellWeights<float>&);
template void write_gradients<double>(const OuterPlan&, std::span<const double>, CellWeights<double>&);

}  // namespace upsweep::kernels

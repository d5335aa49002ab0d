#include "upsweep/network/operators/matmul.hpp"

#include <algorithm>

#include "upsweep/base/checked.hpp"
#include "upsweep/network/operator.hpp"

namespace upsweep {
namespace {

/// Sizes of the products, of which there are `batch`: (m × k) · (k × n).
struct Sizes {
  std::size_t batch, m, k, n;

  explicit Sizes(const Operator& op) {
    const Shape& a = op.input_shape(0);
    m = a[a.size() - 2];
    k = a.back();
    n = op.input_shape(1).back();
    batch = elements(a) / (m * k);
  }
};

}  // namespace

Shape MatMul::shape(std::span<const Shape> in) const {
  const bool fits = in.size() == 2 && in[0].size() == in[1].size() && in[0].size() >= 2 &&
                    std::equal(in[0].begin(), in[0].end() - 2, in[1].begin()) &&
                    in[0].back() == in[1][in[1].size() - 2];
  require_fit(fits, in, "[..., m, k] and [..., k, n]");
  Shape out = in[0];
  out.back() = in[1].back();
  return out;
}

SharedRows MatMul::rows(const Operator& op, std::size_t input) const {
  const Sizes s(op);
  SharedRows rows;
  const std::size_t count = elements(op.input_shape(input));
  rows.number_of.resize(count);
  // Of the left factor, element (i, l) meets row i of the product; of the right one, (l, j) meets column j.
  for (std::size_t e = 0; e < count; ++e) {
    const std::size_t number = input == 0 ? e / s.k : e / (s.k * s.n) * s.n + e % s.n;
    rows.number_of[e] = static_cast<std::uint32_t>(number);
  }
  rows.count = static_cast<std::uint32_t>(s.batch * (input == 0 ? s.m : s.n));
  rows.write = [=](std::uint32_t r, std::vector<std::uint32_t>& columns) {
    const std::size_t first = input == 0 ? r * s.n : r / s.n * s.m * s.n + r % s.n;
    for (std::size_t i = 0; i < (input == 0 ? s.n : s.m); ++i)
      columns.push_back(static_cast<std::uint32_t>(first + i * (input == 0 ? 1 : s.n)));
  };
  return rows;
}

std::uint64_t MatMul::entries(const Operator& op, std::size_t) const {
  return checked_mul(elements(op.out_shape), op.in_shape.back());
}

std::vector<double> MatMul::value(const Operator& op, const OperatorWeights&,
                                  std::span<const std::span<const double>> inputs) const {
  const Sizes s(op);
  std::vector<double> out(elements(op.out_shape), 0.0);
  for (std::size_t b = 0; b < s.batch; ++b) {
    for (std::size_t i = 0; i < s.m; ++i) {
      double* row = out.data() + (b * s.m + i) * s.n;
      for (std::size_t l = 0; l < s.k; ++l) {
        const double factor = inputs[0][(b * s.m + i) * s.k + l];
        const double* other = inputs[1].data() + (b * s.k + l) * s.n;
        for (std::size_t j = 0; j < s.n; ++j) row[j] += factor * other[j];
      }
    }
  }
  return out;
}

double MatMul::slope(const Operator& op, const OperatorWeights&, std::size_t input, const MixingSample& sample,
                     std::size_t row, std::size_t column) const {
  const Sizes s(op);
  const std::size_t b = column / (s.m * s.n);
  const std::size_t i = column / s.n % s.m;
  const std::size_t j = column % s.n;
  if (input == 0) return sample.inputs[1][(b * s.k + row % s.k) * s.n + j];
  return sample.inputs[0][(b * s.m + i) * s.k + row / s.n % s.k];
}

}  // namespace upsweep

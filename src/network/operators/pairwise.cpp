#include "upsweep/network/operators/pairwise.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/network/operator.hpp"

namespace upsweep {
namespace {

/// Steps of an input along the axes of the output: 0 where it is repeated.
std::vector<std::uint64_t> strides_of(const Shape& in, const Shape& out) {
  std::vector<std::uint64_t> strides(out.size());
  std::uint64_t step = 1;
  for (std::size_t back = 1; back <= in.size(); ++back) {
    strides[out.size() - back] = in[in.size() - back] == 1 ? 0 : step;
    step *= in[in.size() - back];
  }
  return strides;
}

/// Element of an input that output `o` reads.
std::size_t source_of(std::size_t o, const Shape& out, const std::vector<std::uint64_t>& strides) {
  std::size_t source = 0;
  for (std::size_t a = out.size(); a-- > 0; o /= out[a]) source += o % out[a] * strides[a];
  return source;
}

double pair_value(PairRule rule, double a, double b) {
  switch (rule) {
    case PairRule::sum:
      return a + b;
    case PairRule::difference:
      return a - b;
    case PairRule::product:
      return a * b;
    case PairRule::quotient:
      return a / b;
    case PairRule::least:
      return std::min(a, b);
    case PairRule::largest:
      return std::max(a, b);
  }
  return 0;
}

double pair_slope(PairRule rule, std::size_t input, double a, double b) {
  const bool first = input == 0;
  switch (rule) {
    case PairRule::sum:
      return 1;
    case PairRule::difference:
      return first ? 1 : -1;
    case PairRule::product:
      return first ? b : a;
    case PairRule::quotient:
      return first ? 1 / b : -a / (b * b);
    case PairRule::least:
      return (a <= b) == first ? 1 : 0;
    case PairRule::largest:
      return (a >= b) == first ? 1 : 0;
  }
  return 0;
}

}  // namespace

Shape Pairwise::shape(std::span<const Shape> in) const {
  require_fit(in.size() == 2, in, "two");
  Shape out(std::max(in[0].size(), in[1].size()), 1);
  for (const Shape& one : in) {
    for (std::size_t back = 1; back <= one.size(); ++back) {
      std::uint64_t& size = out[out.size() - back];
      const std::uint64_t mine = one[one.size() - back];
      require_fit(size == 1 || mine == 1 || mine == size, in, "shapes whose axes are equal or 1");
      size = std::max(size, mine);
    }
  }
  return out;
}

SharedRows Pairwise::rows(const Operator& op, std::size_t input) const {
  const Shape& mine = op.input_shape(input);
  const auto count = static_cast<std::uint32_t>(elements(mine));
  if (count == elements(op.out_shape))
    return {{}, count, [](std::uint32_t r, std::vector<std::uint32_t>& columns) { columns.push_back(r); }};
  auto outputs = std::make_shared<std::vector<std::vector<std::uint32_t>>>(count);
  const std::vector<std::uint64_t> strides = strides_of(mine, op.out_shape);
  for (std::size_t o = 0; o < elements(op.out_shape); ++o)
    (*outputs)[source_of(o, op.out_shape, strides)].push_back(static_cast<std::uint32_t>(o));
  return {{}, count, [outputs](std::uint32_t r, std::vector<std::uint32_t>& columns) { columns = (*outputs)[r]; }};
}

std::uint64_t Pairwise::entries(const Operator& op, std::size_t) const { return elements(op.out_shape); }

std::uint64_t Pairwise::baseline_flops(const Operator& op, std::size_t input) const {
  return checked_add(elements(op.input_shape(input)), elements(op.out_shape));
}

std::vector<double> Pairwise::value(const Operator& op, const OperatorWeights&,
                                    std::span<const std::span<const double>> inputs) const {
  const auto a = strides_of(op.input_shape(0), op.out_shape);
  const auto b = strides_of(op.input_shape(1), op.out_shape);
  std::vector<double> result(elements(op.out_shape));
  for (std::size_t o = 0; o < result.size(); ++o) {
    result[o] = pair_value(rule, inputs[0][source_of(o, op.out_shape, a)], inputs[1][source_of(o, op.out_shape, b)]);
  }
  return result;
}

double Pairwise::slope(const Operator& op, const OperatorWeights&, std::size_t input, const MixingSample& sample,
                       std::size_t, std::size_t column) const {
  const auto at = [&](std::size_t k) {
    return sample.inputs[k][source_of(column, op.out_shape, strides_of(op.input_shape(k), op.out_shape))];
  };
  return pair_slope(rule, input, at(0), at(1));
}

}  // namespace upsweep

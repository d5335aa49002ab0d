#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

#include "made_nodes.hpp"
#include "products.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

using Values = std::vector<OnnxValue>;

/// Where the last axis of a value is the channels of an image, the position of every vector in it; else nothing.
std::optional<std::vector<std::uint32_t>> positions_in_image(const OnnxValue& value, std::uint64_t features) {
  if (!value.map || !is_permutation(value)) return std::nullopt;
  const std::vector<std::uint32_t>& map = *value.map;
  const std::uint64_t plane = map.size() / features;
  std::vector<std::uint32_t> positions;
  for (std::size_t e = 0; e < map.size(); ++e) {
    if (e % features == 0) positions.push_back(map[e]);
    if (positions.back() >= plane || map[e] != e % features * plane + positions.back()) return std::nullopt;
  }
  return positions;
}

Shape transposed_dims(Shape dims) {
  std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  return dims;
}

Tensor transposed_constant(const Tensor& tensor) {
  std::vector<std::int64_t> perm(tensor.dims.size());
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return *folded_node("Transpose", {{"perm", perm}}, {OnnxValue{tensor.dims, tensor}}).constant;
}

OnnxValue transposed(const OnnxValue& value, NetworkBuilder& builder) {
  std::vector<std::size_t> perm(value.rank());
  std::iota(perm.begin(), perm.end(), std::size_t{0});
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return builder.moved(transposition(value.dims, perm), {value});
}

/// Products of which one factor is a constant with axes in front.
OnnxValue batched_product(const OnnxValue& a, const OnnxValue& b, NetworkBuilder& builder) {
  if (a.is_constant()) {
    const OnnxValue turned{transposed_dims(a.dims), transposed_constant(*a.constant)};
    return transposed(batched_product(transposed(b, builder), turned, builder), builder);
  }
  if (a.rank() < 2 || a.dims.back() != b.dims[b.rank() - 2]) {
    throw std::invalid_argument(
        fmt::format("{} times {}, accepted are [..., m, k] and [..., k, n]", to_string(a.dims), to_string(b.dims)));
  }
  const Shape front = broadcast_shape({a.dims.begin(), a.dims.end() - 2}, {b.dims.begin(), b.dims.end() - 2});
  const auto with_front = [&](const OnnxValue& value) {
    Shape dims = front;
    dims.insert(dims.end(), value.dims.end() - 2, value.dims.end());
    return dims == value.dims
               ? value
               : made_node("Expand", {}, {value, constant_value({dims.begin(), dims.end()}, true)}, builder);
  };
  OnnxValue left = with_front(a);
  OnnxValue right = with_front(b);
  Shape dims = left.dims;
  dims.back() = right.dims.back();
  left.dims = {elements(front), a.dims[a.rank() - 2], a.dims.back()};
  right.constant->dims = {elements(front), b.dims[b.rank() - 2], b.dims.back()};
  OnnxValue result = times_matrices(left, *right.constant, builder);
  result.dims = dims;
  return result;
}

/// A vector of constants as a matrix of one column or row, whose axis is dropped again.
OnnxValue vector_product(OnnxValue a, OnnxValue b, NetworkBuilder& builder) {
  OnnxValue& vector = a.is_constant() ? a : b;
  const std::uint64_t size = vector.dims.empty() ? 1 : vector.dims[0];
  const bool is_left = a.is_constant();
  vector.dims = vector.constant->dims = is_left ? Shape{1, size} : Shape{size, 1};
  OnnxValue result = made_node("MatMul", {}, {a, b}, builder);
  result.dims.erase(is_left ? result.dims.end() - 2 : result.dims.end() - 1);
  return result;
}

Values matmul(OnnxNode& node, NetworkBuilder& builder) {
  const OnnxValue &a = node.input(0), &b = node.input(1);
  if (!a.is_constant() && !b.is_constant()) return {times(a, b, builder)};
  const Tensor& constant = *(a.is_constant() ? a : b).constant;
  const Shape& dims = constant.dims;
  if (dims.size() < 2) return {vector_product(a, b, builder)};
  std::size_t front = 0;
  while (dims.size() - front > 2 && dims[front] == 1) ++front;
  if (dims.size() - front > 2) return {batched_product(a, b, builder)};
  if (b.is_constant()) return {times_matrix(a, {constant, dims[front], dims[front + 1], true}, builder)};
  return {transposed(times_matrix(transposed(b, builder), {constant, dims[front + 1], dims[front]}, builder), builder)};
}

Values gemm(OnnxNode& node, NetworkBuilder& builder) {
  OnnxValue a = node.input(0);
  const OnnxValue& b = node.input(1);
  if (node.integer("transA", 0) != 0) a = transposed(a, builder);
  const bool is_transposed = node.integer("transB", 0) != 0;
  OnnxValue result;
  const double alpha = node.number("alpha", 1);
  if (b.is_constant()) {
    const Shape& dims = b.constant->dims;
    if (dims.size() != 2) throw std::invalid_argument(fmt::format("a weight of shape {}", to_string(dims)));
    result = times_matrix(
        a, {*b.constant, dims[is_transposed ? 1 : 0], dims[is_transposed ? 0 : 1], !is_transposed, alpha}, builder);
  } else {
    result = times(a, is_transposed ? transposed(b, builder) : b, builder);
    const Tensor factor = Tensor::of({}, {alpha}, false);
    if (alpha != 1) result = scale_and_shift(result, &factor, false, nullptr, false, builder);
  }
  if (!node.has(2)) return {result};
  const OnnxValue& c = node.input(2);
  const double beta = node.number("beta", 1);
  if (!c.is_constant()) return {combine_pair(result, c, PairRule::sum, builder)};
  Tensor shift = *c.constant;
  if (beta != 1 && shift.is_known()) {
    std::vector<double> values = shift.values();
    for (double& value : values) value *= beta;
    shift = Tensor::of(shift.dims, std::move(values), false);
  }
  const std::string producer = result.producer;
  result = scale_and_shift(result, nullptr, false, &shift, false, builder);
  if (result.sources.size() == 1 && result.sources[0] == producer) result.producer = producer;
  return {result};
}

}  // namespace

OperatorWeights ConstantMatrix::weights(NetworkBuilder& builder) const {
  const auto turned = [this] {
    std::vector<std::uint32_t> order;
    for (std::uint64_t e = 0; e < features * outputs; ++e)
      order.push_back(static_cast<std::uint32_t>(e % features * outputs + e / features));
    return order;
  };
  OperatorWeights weights = builder.weights_of(tensor, is_transposed ? turned : NetworkBuilder::ElementOrder());
  for (double& value : weights.values) value *= factor;
  return weights;
}

OnnxValue times_matrix(OnnxValue value, const ConstantMatrix& matrix, NetworkBuilder& builder) {
  if (value.rank() == 0 || value.dims.back() != matrix.features) {
    throw std::invalid_argument(fmt::format("{} times a matrix of {} rows", to_string(value.dims), matrix.features));
  }
  const std::uint64_t vectors = elements(value.dims) / matrix.features;
  add_to(builder.network().macs.linear, checked_mul(vectors, checked_mul(matrix.features, matrix.outputs)));
  OnnxValue result{value.dims};
  result.dims.back() = matrix.outputs;
  if (const auto positions = positions_in_image(value, matrix.features); positions && vectors > 1) {
    const Shape& shape = builder.shape_of(value.sources[0]);
    const bool is_image = shape.size() == 3 && shape[0] == matrix.features;
    OnnxValue image{value.dims, {}, value.sources};
    const std::string from = builder.source(image, is_image ? shape : Shape{matrix.features, vectors, 1});
    Conv2d conv{matrix.outputs, {1, 1}};
    conv.bias = false;
    result.sources = {builder.add(conv, {from}, matrix.weights(builder))};
    auto map = std::make_shared<std::vector<std::uint32_t>>();
    for (const std::uint32_t position : *positions) {
      for (std::uint64_t o = 0; o < matrix.outputs; ++o)
        map->push_back(static_cast<std::uint32_t>(o * vectors + position));
    }
    result.map = map;
  } else {
    const Shape shape = vectors == 1 ? Shape{matrix.features} : Shape{vectors, matrix.features};
    const std::string from = builder.source(value, shape);
    result.sources = {builder.add(Linear{matrix.outputs, false}, {from}, matrix.weights(builder))};
  }
  result.producer = result.sources[0];
  return result;
}

OnnxValue times_matrices(OnnxValue value, const Tensor& matrices, NetworkBuilder& builder) {
  const std::uint64_t batch = matrices.dims[0];
  const std::uint64_t inner = matrices.dims[1];
  const std::uint64_t n = matrices.dims[2];
  if (value.rank() != 3 || value.dims[0] != batch || value.dims[2] != inner) {
    throw std::invalid_argument(
        fmt::format("{} times constants of shape {}", to_string(value.dims), to_string(matrices.dims)));
  }
  const std::uint64_t m = value.dims[1];
  OnnxValue channels = builder.moved(transposition(value.dims, {0, 2, 1}), {value});
  Conv2d conv{batch * n, {1, 1}};
  conv.groups = batch;
  conv.bias = false;
  const auto order = [=] {
    std::vector<std::uint32_t> places;
    for (std::uint64_t e = 0; e < batch * n * inner; ++e)
      places.push_back(static_cast<std::uint32_t>((e / (n * inner) * inner + e % inner) * n + e / inner % n));
    return places;
  };
  const std::string from = builder.source(channels, {batch * inner, m, 1});
  const std::string name = builder.add(conv, {from}, builder.weights_of(matrices, order));
  add_to(builder.network().macs.linear, checked_mul(checked_mul(batch, m), checked_mul(inner, n)));
  const OnnxValue product{{batch, n, m}, {}, {name}};
  return builder.moved(transposition(product.dims, {0, 2, 1}), {product});
}

OnnxValue times(OnnxValue a, OnnxValue b, NetworkBuilder& builder) {
  if (a.rank() < 2 || b.rank() < 2 || a.dims.back() != b.dims[b.rank() - 2]) {
    throw std::invalid_argument(
        fmt::format("{} times {}, accepted are [..., m, k] and [..., k, n]", to_string(a.dims), to_string(b.dims)));
  }
  const Shape front = broadcast_shape({a.dims.begin(), a.dims.end() - 2}, {b.dims.begin(), b.dims.end() - 2});
  const std::uint64_t batch = elements(front);
  const auto as_matrices = [&](OnnxValue& value) {
    const std::uint64_t rows = value.dims[value.rank() - 2];
    const std::uint64_t cols = value.dims.back();
    Shape dims = front;
    dims.insert(dims.end(), {rows, cols});
    if (elements(dims) != elements(value.dims)) {
      value = made_node("Expand", {}, {value, constant_value({dims.begin(), dims.end()}, true)}, builder);
    }
    return builder.source(value, {batch, rows, cols});
  };
  const std::uint64_t m = a.dims[a.rank() - 2];
  const std::uint64_t inner = a.dims.back();
  const std::uint64_t n = b.dims.back();
  Shape dims = front;
  dims.insert(dims.end(), {m, n});
  const std::string left = as_matrices(a);
  const std::string right = as_matrices(b);
  add_to(builder.network().macs.matmul, checked_mul(elements(dims), inner));
  return {dims, {}, {builder.add(MatMul{}, {left, right})}};
}

const LoweringTable& product_lowerings() {
  static const LoweringTable table = {{"MatMul", matmul}, {"Gemm", gemm}};
  return table;
}

}  // namespace upsweep

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

#include "importer.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

using Values = std::vector<OnnxValue>;

/// A matrix of constants, [outputs, features] once it is ordered.
struct ConstantMatrix {
  const Tensor& tensor;
  std::uint64_t features = 0;
  std::uint64_t outputs = 0;
  bool is_transposed = false;  ///< it stands as [features, outputs]
  double factor = 1;

  [[nodiscard]] OperatorWeights weights(NetworkBuilder& builder) const {
    std::vector<std::uint32_t> order;
    for (std::uint64_t e = 0; is_transposed && e < features * outputs; ++e)
      order.push_back(static_cast<std::uint32_t>(e % features * outputs + e / features));
    OperatorWeights weights = builder.weights_of(tensor, order);
    for (double& value : weights.values) value *= factor;
    return weights;
  }
};

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

/// The last axis of a value times a matrix. Where it is the channels of an image, that is a 1 × 1 convolution.
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

OnnxValue transposed(const OnnxValue& value, NetworkBuilder& builder) {
  std::vector<std::size_t> perm(value.rank());
  std::iota(perm.begin(), perm.end(), std::size_t{0});
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return builder.moved(transposition(value.dims, perm), {value});
}

/// The product of two activations, whose axes in front are broadcast.
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
      onnx::NodeProto expand;
      expand.set_op_type("Expand");
      const Tensor shape = Tensor::of({dims.size()}, {dims.begin(), dims.end()}, true);
      const std::vector<std::optional<OnnxValue>> inputs = {value, OnnxValue{shape.dims, shape}};
      value = builder.moved(moves_of({expand, 13, inputs})[0], {value});
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

Values matmul(OnnxNode& node, NetworkBuilder& builder) {
  const OnnxValue &a = node.input(0), &b = node.input(1);
  if (!a.is_constant() && !b.is_constant()) return {times(a, b, builder)};
  const Tensor& constant = *(a.is_constant() ? a : b).constant;
  const Shape& dims = constant.dims;
  std::size_t front = 0;
  while (dims.size() - front > 2 && dims[front] == 1) ++front;
  if (dims.size() - front != 2) {
    throw std::invalid_argument(fmt::format("a constant of shape {}, accepted is one matrix for all", to_string(dims)));
  }
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

/// A value with its axes in the order of `labels`, which are some of `mine`.
OnnxValue ordered(const OnnxValue& value, const std::string& mine, const std::string& labels, NetworkBuilder& builder) {
  std::vector<std::size_t> perm;
  for (const char label : labels) perm.push_back(mine.find(label));
  return builder.moved(transposition(value.dims, perm), {value});
}

/// Two activations, or one and a constant, by the labels of their axes: a product of matrices, or of many.
Values einsum(OnnxNode& node, NetworkBuilder& builder) {
  std::string equation = node.text("equation", "");
  std::erase(equation, ' ');
  const std::size_t comma = equation.find(',');
  const std::size_t arrow = equation.find("->");
  const bool is_taken = node.inputs.size() == 2 && comma != std::string::npos && arrow != std::string::npos &&
                        comma < arrow && equation.find('.') == std::string::npos;
  if (!is_taken)
    throw std::invalid_argument(fmt::format("equation '{}', accepted are two inputs 'ab,bc->ac'", equation));
  OnnxValue values[] = {node.input(0), node.input(1)};
  std::string labels[] = {equation.substr(0, comma), equation.substr(comma + 1, arrow - comma - 1)};
  const std::string out = equation.substr(arrow + 2);
  std::map<char, std::uint64_t> size;
  for (std::size_t k = 0; k < 2; ++k) {
    if (labels[k].size() != values[k].rank() ||
        std::set<char>(labels[k].begin(), labels[k].end()).size() != labels[k].size())
      throw std::invalid_argument(
          fmt::format("equation '{}' for an input of shape {}", equation, to_string(values[k].dims)));
    for (std::size_t a = 0; a < labels[k].size(); ++a) size[labels[k][a]] = values[k].dims[a];
  }
  std::string batch, inner, left, right;
  for (const auto& [label, count] : size) {
    const bool in_a = labels[0].find(label) != std::string::npos;
    const bool in_b = labels[1].find(label) != std::string::npos;
    const bool in_out = out.find(label) != std::string::npos;
    if (!in_out && !(in_a && in_b))
      throw std::invalid_argument(fmt::format("equation '{}' sums over '{}' of one input", equation, label));
    (in_a && in_b ? (in_out ? batch : inner) : in_a ? left : right) += label;
  }
  const auto count = [&](const std::string& of) {
    std::uint64_t product = 1;
    for (const char label : of) product *= size[label];
    return product;
  };
  OnnxValue result;
  if (values[1].is_constant() && batch.empty()) {
    // The constant as [inner, right].
    std::vector<std::size_t> perm;
    for (const char label : inner + right) perm.push_back(labels[1].find(label));
    onnx::NodeProto transpose;
    transpose.set_op_type("Transpose");
    auto* attribute = transpose.add_attribute();
    attribute->set_name("perm");
    for (const std::size_t axis : perm) attribute->add_ints(static_cast<std::int64_t>(axis));
    const std::vector<std::optional<OnnxValue>> inputs = {values[1]};
    const Tensor matrix = fold({transpose, 13, inputs})[0];
    OnnxValue a = ordered(values[0], labels[0], left + inner, builder);
    a.dims = {count(left), count(inner)};
    result = times_matrix(a, {matrix, count(inner), count(right), true}, builder);
  } else {
    for (const OnnxValue& value : values) {
      if (value.is_constant())
        throw std::invalid_argument("a constant, accepted is the second input without common axes");
    }
    OnnxValue a = ordered(values[0], labels[0], batch + left + inner, builder);
    OnnxValue b = ordered(values[1], labels[1], batch + inner + right, builder);
    a.dims = {count(batch), count(left), count(inner)};
    b.dims = {count(batch), count(inner), count(right)};
    result = times(a, b, builder);
  }
  result.producer.clear();
  result.dims.clear();
  for (const char label : batch + left + right) result.dims.push_back(size[label]);
  return {ordered(result, batch + left + right, out, builder)};
}

}  // namespace

const LoweringTable& product_lowerings() {
  static const LoweringTable table = {{"MatMul", matmul}, {"Gemm", gemm}, {"Einsum", einsum}};
  return table;
}

}  // namespace upsweep

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "node.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/network/operators/index_map.hpp"

namespace upsweep {
namespace {

using Unary = double (*)(double);
using Binary = double (*)(double, double);

double truth(bool is_true) { return is_true ? 1 : 0; }

const std::map<std::string, Unary>& unary_functions() {
  static const std::map<std::string, Unary> all = {{"Neg", [](double x) { return -x; }},
                                                   {"Abs", [](double x) { return std::fabs(x); }},
                                                   {"Sqrt", [](double x) { return std::sqrt(x); }},
                                                   {"Exp", [](double x) { return std::exp(x); }},
                                                   {"Log", [](double x) { return std::log(x); }},
                                                   {"Floor", [](double x) { return std::floor(x); }},
                                                   {"Ceil", [](double x) { return std::ceil(x); }},
                                                   {"Round", [](double x) { return std::nearbyint(x); }},
                                                   {"Reciprocal", [](double x) { return 1 / x; }},
                                                   {"Sin", [](double x) { return std::sin(x); }},
                                                   {"Cos", [](double x) { return std::cos(x); }},
                                                   {"Tanh", [](double x) { return std::tanh(x); }},
                                                   {"Erf", [](double x) { return std::erf(x); }},
                                                   {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
                                                   {"Relu", [](double x) { return std::max(x, 0.0); }},
                                                   {"Sign", [](double x) { return truth(x > 0) - truth(x < 0); }},
                                                   {"Not", [](double x) { return truth(x == 0); }}};
  return all;
}

const std::map<std::string, Binary>& binary_functions() {
  static const std::map<std::string, Binary> all = {
      {"Add", [](double a, double b) { return a + b; }},
      {"Sub", [](double a, double b) { return a - b; }},
      {"Mul", [](double a, double b) { return a * b; }},
      {"Div", [](double a, double b) { return a / b; }},
      {"Pow", [](double a, double b) { return std::pow(a, b); }},
      {"Min", [](double a, double b) { return std::min(a, b); }},
      {"Max", [](double a, double b) { return std::max(a, b); }},
      {"Equal", [](double a, double b) { return truth(a == b); }},
      {"Greater", [](double a, double b) { return truth(a > b); }},
      {"GreaterOrEqual", [](double a, double b) { return truth(a >= b); }},
      {"Less", [](double a, double b) { return truth(a < b); }},
      {"LessOrEqual", [](double a, double b) { return truth(a <= b); }},
      {"And", [](double a, double b) { return truth(a != 0 && b != 0); }},
      {"Or", [](double a, double b) { return truth(a != 0 || b != 0); }}};
  return all;
}

/// Which element of a tensor every element of a shape that it is broadcast to has.
std::vector<std::size_t> broadcast_from(const Shape& in, const Shape& out) {
  std::vector<std::size_t> from(elements(out));
  for (std::size_t e = 0; e < from.size(); ++e) {
    std::size_t step = 1;
    for (std::size_t back = 1, rest = e; back <= in.size(); ++back) {
      const std::size_t at = rest % out[out.size() - back];
      rest /= out[out.size() - back];
      if (in[in.size() - back] != 1) from[e] += at * step;
      step *= in[in.size() - back];
    }
  }
  return from;
}

Tensor unknown(Shape dims) { return {std::move(dims)}; }

Tensor fold_unary(const OnnxNode& node, Unary function) {
  const Tensor& in = node.constant(0);
  if (!in.is_known()) return unknown(in.dims);
  std::vector<double> values = in.values();
  std::ranges::transform(values, values.begin(), function);
  return Tensor::of(in.dims, std::move(values), in.is_integer);
}

Tensor fold_pair(const Tensor& a, const Tensor& b, const std::function<double(double, double)>& function) {
  const Shape dims = broadcast_shape(a.dims, b.dims);
  require_size(dims);
  if (!a.is_known() || !b.is_known()) return unknown(dims);
  const std::vector<double> left = a.values();
  const std::vector<double> right = b.values();
  const auto from_left = broadcast_from(a.dims, dims);
  const auto from_right = broadcast_from(b.dims, dims);
  std::vector<double> values(from_left.size());
  for (std::size_t e = 0; e < values.size(); ++e) values[e] = function(left[from_left[e]], right[from_right[e]]);
  return Tensor::of(dims, std::move(values), a.is_integer);
}

Tensor fold_binary(const OnnxNode& node, Binary function) {
  Tensor result = node.constant(0);
  const bool divides_integers = node.type() == "Div" && result.is_integer;
  for (std::size_t k = 1; k < node.inputs.size(); ++k) {
    result = fold_pair(result, node.constant(k), [&](double a, double b) {
      if (divides_integers && b == 0) throw std::invalid_argument("a division of integers by 0");
      const double value = function(a, b);
      return divides_integers ? std::trunc(value) : value;
    });
  }
  return result;
}

Tensor fold_range(const OnnxNode& node) {
  const auto number = [&](std::size_t i) {
    const std::vector<double> values = node.constant(i).values();
    if (values.size() != 1) throw std::invalid_argument("a bound that is not one number");
    return values[0];
  };
  const double start = number(0);
  const double step = number(2);
  const double count = std::max(0.0, std::ceil((number(1) - start) / step));
  if (!(count <= static_cast<double>(kMostMoved))) throw std::invalid_argument("a range of too many numbers");
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = start + static_cast<double>(i) * step;
  const Shape dims = {values.size()};
  return Tensor::of(dims, std::move(values), node.constant(0).is_integer);
}

Tensor fold_where(const OnnxNode& node) {
  const Shape dims =
      broadcast_shape(node.constant(0).dims, broadcast_shape(node.constant(1).dims, node.constant(2).dims));
  require_size(dims);
  for (std::size_t k = 0; k < 3; ++k) {
    if (!node.constant(k).is_known()) return unknown(dims);
  }
  const auto expanded = [&](std::size_t k) {
    const std::vector<double> from = node.constant(k).values();
    std::vector<double> values;
    for (const std::size_t e : broadcast_from(node.constant(k).dims, dims)) values.push_back(from[e]);
    return values;
  };
  std::vector<double> values = expanded(1);
  const std::vector<double> condition = expanded(0);
  const std::vector<double> otherwise = expanded(2);
  for (std::size_t e = 0; e < values.size(); ++e) values[e] = condition[e] != 0 ? values[e] : otherwise[e];
  return Tensor::of(dims, std::move(values), node.constant(1).is_integer);
}

Tensor fold_fill(const OnnxNode& node) {
  Shape dims;
  for (const std::int64_t size : node.constant(0).integers()) {
    if (size < 0) throw std::invalid_argument(fmt::format("an axis of {} elements", size));
    dims.push_back(static_cast<std::uint64_t>(size));
  }
  require_size(dims);
  const auto* value = node.find("value");
  double number = 0;
  bool is_integer = false;
  if (value != nullptr) {
    const Tensor one = tensor_of(value->t(), nullptr);
    const std::vector<double> values = one.values();
    if (values.size() != 1) throw std::invalid_argument("a value that is not one number");
    number = values[0];
    is_integer = one.is_integer;
  }
  return Tensor::of(dims, std::vector<double>(elements(dims), number), is_integer);
}

/// The product of two matrices; of very large ones the shape alone.
Tensor fold_product(const Tensor& a, const Tensor& b) {
  const Shape dims = {a.dims[0], b.dims[1]};
  if (a.dims[1] != b.dims[0])
    throw std::invalid_argument(fmt::format("{} times {}", to_string(a.dims), to_string(b.dims)));
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  require_size(dims);
  if (!a.is_known() || !b.is_known() || elements(dims) > kMost / std::max<std::uint64_t>(1, a.dims[1]))
    return unknown(dims);
  const std::vector<double> left = a.values();
  const std::vector<double> right = b.values();
  std::vector<double> values(elements(dims), 0.0);
  for (std::size_t i = 0; i < dims[0]; ++i) {
    for (std::size_t l = 0; l < a.dims[1]; ++l) {
      for (std::size_t j = 0; j < dims[1]; ++j)
        values[i * dims[1] + j] += left[i * a.dims[1] + l] * right[l * dims[1] + j];
    }
  }
  return Tensor::of(dims, std::move(values), a.is_integer);
}

/// Sum, mean, product, least or largest of all numbers, or of those along some axes.
Tensor fold_reduction(const OnnxNode& node) {
  const Tensor& in = node.constant(0);
  const auto stated = node.integers("axes", 1);
  const bool takes_all = (!stated || stated->empty()) && node.integer("noop_with_empty_axes", 0) == 0;
  std::vector<bool> gone(in.dims.size(), takes_all);
  if (stated) {
    for (const std::int64_t axis : *stated) gone[axis_of(axis, in.dims.size())] = true;
  }
  Shape kept = in.dims;
  Shape dims;
  for (std::size_t a = 0; a < kept.size(); ++a) {
    if (gone[a]) kept[a] = 1;
    if (!gone[a] || node.integer("keepdims", 1) != 0) dims.push_back(kept[a]);
  }
  if (!in.is_known()) return unknown(dims);
  const std::string& type = node.type();
  const std::vector<double> from = in.values();
  const std::vector<std::size_t> to = broadcast_from(kept, in.dims);
  std::vector<double> values(elements(kept), type == "ReduceProd" ? 1 : 0);
  std::vector<bool> begun(values.size());
  const bool sums_squares = type == "ReduceL2" || type == "ReduceSumSquare";
  const bool sums_absolute = type == "ReduceL1";
  const auto count = static_cast<double>(from.size()) / static_cast<double>(std::max<std::size_t>(1, values.size()));
  for (std::size_t e = 0; e < from.size(); ++e) {
    double& sum = values[to[e]];
    if (type == "ReduceProd") {
      sum *= from[e];
    } else if (type == "ReduceMin" || type == "ReduceMax") {
      if (!begun[to[e]] || (type == "ReduceMin" ? from[e] < sum : from[e] > sum)) sum = from[e];
    } else {
      sum += sums_squares ? from[e] * from[e] : sums_absolute ? std::fabs(from[e]) : from[e];
    }
    begun[to[e]] = true;
  }
  for (double& value : values) {
    if (type == "ReduceMean") value /= count;
    if (type == "ReduceL2") value = std::sqrt(value);
  }
  return Tensor::of(dims, std::move(values), in.is_integer);
}

std::vector<Tensor> fold_moves(const OnnxNode& node) {
  std::vector<double> all;
  bool is_known = true;
  for (const std::size_t k : moved_inputs(node)) is_known = is_known && node.constant(k).is_known();
  bool is_integer = node.constant(0).is_integer;
  if (node.type() == "Cast") {
    const std::int64_t to = node.integer("to", 1);
    is_integer = to != onnx::TensorProto::FLOAT && to != onnx::TensorProto::DOUBLE &&
                 to != onnx::TensorProto::FLOAT16 && to != onnx::TensorProto::BFLOAT16;
  }
  for (const std::size_t k : moved_inputs(node)) {
    if (!is_known) break;
    const std::vector<double> values = node.constant(k).values();
    all.insert(all.end(), values.begin(), values.end());
  }
  std::vector<Tensor> results;
  for (Move& move : moves_of(node)) {
    if (!is_known) {
      results.push_back(unknown(std::move(move.dims)));
      continue;
    }
    std::vector<double> values;
    values.reserve(move.from.size());
    for (const std::uint32_t from : move.from) {
      const double value = from == IndexMap::kFill ? move.fill : all[from];
      values.push_back(node.type() == "Cast" && is_integer ? std::trunc(value) : value);
    }
    results.push_back(Tensor::of(std::move(move.dims), std::move(values), is_integer));
  }
  return results;
}

}  // namespace

std::vector<Tensor> fold(const OnnxNode& node) {
  const std::string& type = node.type();
  if (is_move(type)) return fold_moves(node);
  if (const auto found = unary_functions().find(type); found != unary_functions().end())
    return {fold_unary(node, found->second)};
  if (const auto found = binary_functions().find(type); found != binary_functions().end())
    return {fold_binary(node, found->second)};
  if (type == "Mod") {
    const bool keeps_sign = node.integer("fmod", 0) != 0;
    return {fold_pair(node.constant(0), node.constant(1), [=](double a, double b) {
      if (b == 0) throw std::invalid_argument("a remainder by 0");
      return keeps_sign ? std::fmod(a, b) : a - std::floor(a / b) * b;
    })};
  }
  if (type == "Shape" || type == "Size") {
    const Shape& dims = node.input(0).dims;
    if (type == "Size") return {Tensor::of({}, {static_cast<double>(elements(dims))}, true)};
    const auto rank = static_cast<std::int64_t>(dims.size());
    const auto place = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
    const std::int64_t first = place(node.integer("start", 0));
    const std::int64_t last = std::max(first, place(node.integer("end", rank)));
    std::vector<double> values(dims.begin() + first, dims.begin() + last);
    const Shape shape = {values.size()};
    return {Tensor::of(shape, std::move(values), true)};
  }
  if (type == "Range") return {fold_range(node)};
  if (type == "Where") return {fold_where(node)};
  if (type == "ConstantOfShape") return {fold_fill(node)};
  if (type.starts_with("Reduce") && !type.starts_with("ReduceLog")) return {fold_reduction(node)};
  if (type == "MatMul" && node.constant(0).dims.size() == 2 && node.constant(1).dims.size() == 2)
    return {fold_product(node.constant(0), node.constant(1))};
  throw std::invalid_argument("of constants alone, which is not folded");
}

}  // namespace upsweep

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "placement.hpp"

namespace upsweep {
namespace {

using Values = std::vector<OnnxValue>;

/// A constant added to what an operator with a weight gives becomes its bias.
bool becomes_bias(const OnnxValue& value, const Tensor& shift, bool subtracts, NetworkBuilder& builder) {
  if (value.producer.empty()) return false;
  OperatorSpec& spec = builder.spec(value.producer);
  const Shape mine = trimmed(shift.dims);
  const auto take = [&](auto& kind, std::uint64_t outputs) {
    if (kind.bias || mine != Shape{outputs} || value.dims.back() != outputs) return false;
    kind.bias = true;
    std::vector<double>& bias = builder.weights(value.producer).bias;
    bias = builder.numbers_of(shift);
    for (double& number : bias) number = subtracts ? -number : number;
    return true;
  };
  if (auto* linear = std::get_if<Linear>(&spec.kind)) return take(*linear, linear->out_features);
  auto* conv = std::get_if<Conv2d>(&spec.kind);
  return conv != nullptr && value.map && take(*conv, conv->out_channels);
}

enum class Arithmetic { add, sub, mul, div, min, max };

OnnxValue with_constant(const OnnxValue& a, const OnnxValue& b, Arithmetic rule, NetworkBuilder& builder) {
  const bool is_left = a.is_constant();
  const Tensor& constant = *(is_left ? a : b).constant;
  OnnxValue value = is_left ? b : a;
  switch (rule) {
    case Arithmetic::add:
      return scale_and_shift(value, nullptr, false, &constant, false, builder);
    case Arithmetic::mul:
      return scale_and_shift(value, &constant, false, nullptr, false, builder);
    case Arithmetic::sub:
      if (!is_left) return scale_and_shift(value, nullptr, false, &constant, true, builder);
      value = apply_function(value, Activation{Function::negative}, builder);
      return scale_and_shift(value, nullptr, false, &constant, false, builder);
    case Arithmetic::div:
      if (!is_left) return scale_and_shift(value, &constant, true, nullptr, false, builder);
      value = apply_function(value, Activation{Function::reciprocal}, builder);
      return scale_and_shift(value, &constant, false, nullptr, false, builder);
    default:
      break;
  }
  Activation clip{Function::clip, -1e300, 1e300};
  double& bound = rule == Arithmetic::min ? clip.beta : clip.alpha;
  if (elements(constant.dims) == 1) {
    bound = std::clamp(constant.values()[0], -1e300, 1e300);
    return apply_function(value, clip, builder);
  }
  // Bounds of their own for every place: what is beyond them is cut off.
  bound = 0;
  value = scale_and_shift(value, nullptr, false, &constant, true, builder);
  return scale_and_shift(apply_function(value, clip, builder), nullptr, false, &constant, false, builder);
}

template <Arithmetic rule>
Values arithmetic(OnnxNode& node, NetworkBuilder& builder) {
  OnnxValue result = node.input(0);
  for (std::size_t k = 1; k < node.inputs.size(); ++k) {
    const OnnxValue& next = node.input(k);
    if (result.is_constant() && next.is_constant()) {
      onnx::NodeProto proto;
      proto.set_op_type(node.type() == "Sum" || node.type() == "Mean" ? "Add" : node.type());
      const std::vector<std::optional<OnnxValue>> constants = {result, next};
      const Tensor folded = fold({proto, node.opset, constants})[0];
      result = {folded.dims, folded};
    } else if (result.is_constant() || next.is_constant()) {
      result = with_constant(result, next, rule, builder);
    } else {
      result = combine_pair(result, next, static_cast<PairRule>(rule), builder);
    }
  }
  return {result};
}

Values mean_of(OnnxNode& node, NetworkBuilder& builder) {
  const Tensor count = Tensor::of({}, {static_cast<double>(node.inputs.size())}, false);
  return {scale_and_shift(arithmetic<Arithmetic::add>(node, builder)[0], &count, true, nullptr, false, builder)};
}

/// A constant condition chooses elements: a move.
Values choose(OnnxNode& node, NetworkBuilder& builder) {
  const std::vector<double> condition = node.constant(0).values();
  const OnnxValue &a = node.input(1), &b = node.input(2);
  const Shape dims = broadcast_shape(node.input(0).dims, broadcast_shape(a.dims, b.dims));
  require_size(dims);
  const auto from_tensor = [&](const OnnxValue& value) {
    if (value.dims == dims) return value;
    if (!value.is_constant()) return expanded(value, dims, builder);
    const Tensor ones = Tensor::of(dims, std::vector<double>(elements(dims), 1), false);
    const std::vector<std::optional<OnnxValue>> factors = {value, OnnxValue{dims, ones}};
    onnx::NodeProto product;
    product.set_op_type("Mul");
    return OnnxValue{dims, fold({product, 13, factors})[0]};
  };
  const OnnxValue mask = from_tensor({node.input(0).dims, node.constant(0)});
  const std::vector<double> chosen = mask.constant->values();
  Move move{dims, {}, 0};
  const auto count = static_cast<std::uint32_t>(elements(dims));
  for (std::uint32_t e = 0; e < count; ++e) move.from.push_back(chosen[e] != 0 ? e : count + e);
  return {builder.moved(move, {from_tensor(a), from_tensor(b)})};
}

}  // namespace

OnnxValue scale_and_shift(OnnxValue value, const Tensor* scale, bool divides, const Tensor* shift, bool subtracts,
                          NetworkBuilder& builder) {
  Shape dims = value.dims;
  for (const Tensor* one : {scale, shift}) {
    if (one != nullptr) dims = broadcast_shape(dims, one->dims);
  }
  if (scale == nullptr && shift != nullptr && dims == value.dims && becomes_bias(value, *shift, subtracts, builder)) {
    value.producer.clear();
    return value;
  }
  value = expanded(value, dims, builder);
  value.producer.clear();
  if (scale != nullptr) {
    const Placement place = placement_of(scale->dims, dims);
    OperatorWeights weights;
    weights.values = placed(*scale, place, builder);
    for (double& number : weights.values) number = divides ? 1 / number : number;
    const Scaling kind{place.size, place.inner};
    if (place.size == 1 && is_permutation(value)) {
      value.sources = {builder.add(kind, value.sources, std::move(weights))};
    } else {
      const std::string from = whole(value, builder);
      value = {dims, {}, {builder.add(kind, {from}, std::move(weights))}};
    }
  }
  if (shift != nullptr) {
    const Placement place = placement_of(shift->dims, dims);
    OperatorWeights weights;
    weights.bias = placed(*shift, place, builder);
    for (double& number : weights.bias) number = subtracts ? -number : number;
    const std::string from = whole(value, builder);
    value = {dims, {}, {builder.add(Shifting{place.size, place.inner}, {from}, std::move(weights))}};
  }
  return value;
}

OnnxValue combine_pair(OnnxValue a, OnnxValue b, PairRule rule, NetworkBuilder& builder) {
  const Shape dims = broadcast_shape(a.dims, b.dims);
  const OperatorKind kind = rule == PairRule::sum && a.dims == b.dims ? OperatorKind(Add{}) : Pairwise{rule};
  a.producer.clear();
  if (a.dims == b.dims) {
    const bool is_alike =
        a.map && b.map && (a.map == b.map || *a.map == *b.map) && is_permutation(a) && b.sources.size() == 1;
    if (is_alike) {
      OnnxValue other{b.dims, {}, b.sources};
      const std::string from = builder.source(other, builder.shape_of(a.sources[0]));
      a.sources = {builder.add(kind, {a.sources[0], from})};
      return a;
    }
    const OnnxValue& still = a.map ? b : a;
    const Shape shape =
        still.map || still.sources.size() != 1 ? sample_shape(dims) : builder.shape_of(still.sources[0]);
    const std::string left = builder.source(a, shape);
    const std::string right = builder.source(b, shape);
    return {dims, {}, {builder.add(kind, {left, right})}};
  }
  const auto aligned = [&](OnnxValue& value) {
    Shape shape(dims.size() - value.rank(), 1);
    shape.insert(shape.end(), value.dims.begin(), value.dims.end());
    if (dims.size() > 1 && dims[0] == 1) shape.erase(shape.begin());
    return builder.source(value, shape);
  };
  const std::string left = aligned(a);
  const std::string right = aligned(b);
  return {dims, {}, {builder.add(kind, {left, right})}};
}

const LoweringTable& arithmetic_lowerings() {
  static const LoweringTable table = {{"Add", arithmetic<Arithmetic::add>},
                                      {"Sum", arithmetic<Arithmetic::add>},
                                      {"Sub", arithmetic<Arithmetic::sub>},
                                      {"Mul", arithmetic<Arithmetic::mul>},
                                      {"Div", arithmetic<Arithmetic::div>},
                                      {"Min", arithmetic<Arithmetic::min>},
                                      {"Max", arithmetic<Arithmetic::max>},
                                      {"Mean", mean_of},
                                      {"Where", choose}};
  return table;
}

}  // namespace upsweep

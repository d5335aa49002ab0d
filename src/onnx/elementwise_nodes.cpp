#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "importer.hpp"

namespace upsweep {
namespace {

using Values = std::vector<OnnxValue>;

/// A shape without axes of one element in front.
Shape trimmed(Shape dims) {
  const auto first = std::ranges::find_if(dims, [](std::uint64_t size) { return size != 1; });
  dims.erase(dims.begin(), first == dims.end() && !dims.empty() ? first - 1 : first);
  return dims;
}

/// A shape without the batch.
Shape sample_shape(Shape dims) {
  if (dims.size() > 1 && dims[0] == 1) dims.erase(dims.begin());
  if (dims.empty()) dims = {1};
  return dims;
}

/// The whole value, moved if it must be.
std::string whole(OnnxValue& value, NetworkBuilder& builder) {
  if (!value.map && value.sources.size() == 1) return value.sources[0];
  return builder.source(value, sample_shape(value.dims));
}

OnnxValue expanded(OnnxValue value, const Shape& dims, NetworkBuilder& builder) {
  if (value.dims == dims) return value;
  std::vector<std::uint32_t> from;
  for (std::size_t e = 0; e < elements(dims); ++e) {
    std::size_t at = 0;
    std::size_t step = 1;
    for (std::size_t back = 1, rest = e; back <= value.rank(); rest /= dims[dims.size() - back], ++back) {
      const std::uint64_t size = value.dims[value.rank() - back];
      if (size != 1) at += rest % dims[dims.size() - back] * step;
      step *= size;
    }
    from.push_back(static_cast<std::uint32_t>(at));
  }
  return builder.moved({dims, std::move(from), 0}, {std::move(value)});
}

/// Where the numbers of a constant stand: element i of an activation of `dims` has number (i / inner) mod size.
struct Placement {
  std::uint64_t size = 1;
  std::uint64_t inner = 1;
  std::vector<std::uint32_t> order = {};  ///< of the numbers in the tensor; empty: as they stand
};

Placement placement_of(const Shape& constant, const Shape& dims) {
  Placement place;
  const Shape mine = trimmed(constant);
  std::size_t last = mine.size();
  while (last > 0 && mine[last - 1] == 1) --last;
  bool fits = true;
  for (std::size_t back = 1; back <= mine.size(); ++back) {
    const std::uint64_t whole = dims[dims.size() - back];
    if (mine.size() - back >= last) {
      place.inner *= whole;
    } else {
      fits = fits && mine[mine.size() - back] == whole;
      place.size *= whole;
    }
  }
  if (fits) return place;
  place = {elements(dims), 1, {}};
  for (std::size_t e = 0; e < place.size; ++e) {
    std::size_t at = 0;
    std::size_t step = 1;
    for (std::size_t back = 1, rest = e; back <= mine.size(); rest /= dims[dims.size() - back], ++back) {
      if (mine[mine.size() - back] != 1) at += rest % dims[dims.size() - back] * step;
      step *= mine[mine.size() - back];
    }
    place.order.push_back(static_cast<std::uint32_t>(at));
  }
  return place;
}

std::vector<double> placed(const Tensor& tensor, const Placement& place, NetworkBuilder& builder) {
  std::vector<double> values = builder.numbers_of(tensor);
  if (values.empty() || place.order.empty()) return values;
  std::vector<double> sorted;
  for (const std::uint32_t from : place.order) sorted.push_back(values[from]);
  return sorted;
}

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

template <class Kind>
Values apply(OnnxNode& node, NetworkBuilder& builder) {
  return {apply_function(node.input(0), Kind{}, builder)};
}

template <Function function>
Values apply_named(OnnxNode& node, NetworkBuilder& builder) {
  Activation kind{function};
  if (function == Function::hardsigmoid) {
    kind.alpha = node.number("alpha", 0.2);
    kind.beta = node.number("beta", 0.5);
  }
  if (function == Function::celu) kind.alpha = node.number("alpha", 1);
  if (function == Function::clip) {
    kind.alpha = std::max(-1e300, node.number("min", 1, -1e300));
    kind.beta = std::min(1e300, node.number("max", 2, 1e300));
  }
  return {apply_function(node.input(0), kind, builder)};
}

Values apply_leaky(OnnxNode& node, NetworkBuilder& builder) {
  return {apply_function(node.input(0), LeakyRelu{node.number("alpha", 0.01)}, builder)};
}

Values apply_elu(OnnxNode& node, NetworkBuilder& builder) {
  return {apply_function(node.input(0), Elu{node.number("alpha", 1)}, builder)};
}

Values apply_gelu(OnnxNode& node, NetworkBuilder& builder) {
  return {apply_function(node.input(0), Gelu{node.text("approximate", "none") == "tanh"}, builder)};
}

Values apply_prelu(OnnxNode& node, NetworkBuilder& builder) {
  OnnxValue value = node.input(0);
  const Tensor& slope = node.constant(1);
  const Placement place = placement_of(slope.dims, value.dims);
  const std::string from = builder.source(value, sample_shape(value.dims));
  OperatorWeights weights;
  weights.values = placed(slope, place, builder);
  return {{value.dims, {}, {builder.add(Scaling{place.size, place.inner, false, true}, {from}, std::move(weights))}}};
}

Values apply_pow(OnnxNode& node, NetworkBuilder& builder) {
  const std::vector<double> exponent = node.constant(1).values();
  if (exponent.size() != 1) throw std::invalid_argument("exponents of several numbers, accepted is one");
  if (exponent[0] == 1) return {node.input(0)};
  return {apply_function(node.input(0), Activation{Function::power, exponent[0]}, builder)};
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
  const std::vector<double> bound = constant.values();
  if (bound.size() != 1) throw std::invalid_argument("bounds of several numbers, accepted is one");
  Activation clip{Function::clip, -1e300, 1e300};
  (rule == Arithmetic::min ? clip.beta : clip.alpha) = bound[0];
  return apply_function(value, clip, builder);
}

template <Arithmetic rule>
Values arithmetic(OnnxNode& node, NetworkBuilder& builder) {
  OnnxValue result = node.input(0);
  for (std::size_t k = 1; k < node.inputs.size(); ++k) {
    const OnnxValue& next = node.input(k);
    if (result.is_constant() || next.is_constant()) {
      if (result.is_constant() && next.is_constant())
        throw std::invalid_argument("several constants among activations, accepted are those at the end");
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

OnnxValue apply_function(OnnxValue value, const OperatorKind& kind, NetworkBuilder& builder) {
  value.producer.clear();
  if (value.sources.size() == 1 && is_permutation(value)) {
    value.sources = {builder.add(kind, value.sources)};
    return value;
  }
  const std::string from = whole(value, builder);
  return {value.dims, {}, {builder.add(kind, {from})}};
}

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

const LoweringTable& elementwise_lowerings() {
  static const LoweringTable table = {{"Relu", apply<Relu>},
                                      {"Sigmoid", apply<Sigmoid>},
                                      {"Tanh", apply<Tanh>},
                                      {"LeakyRelu", apply_leaky},
                                      {"Elu", apply_elu},
                                      {"Gelu", apply_gelu},
                                      {"PRelu", apply_prelu},
                                      {"Selu", apply_named<Function::selu>},
                                      {"Celu", apply_named<Function::celu>},
                                      {"HardSigmoid", apply_named<Function::hardsigmoid>},
                                      {"HardSwish", apply_named<Function::hardswish>},
                                      {"Softplus", apply_named<Function::softplus>},
                                      {"Softsign", apply_named<Function::softsign>},
                                      {"Erf", apply_named<Function::error>},
                                      {"Mish", apply_named<Function::mish>},
                                      {"Exp", apply_named<Function::exponential>},
                                      {"Log", apply_named<Function::logarithm>},
                                      {"Sqrt", apply_named<Function::square_root>},
                                      {"Reciprocal", apply_named<Function::reciprocal>},
                                      {"Neg", apply_named<Function::negative>},
                                      {"Abs", apply_named<Function::absolute>},
                                      {"Sin", apply_named<Function::sine>},
                                      {"Cos", apply_named<Function::cosine>},
                                      {"Clip", apply_named<Function::clip>},
                                      {"Pow", apply_pow},
                                      {"Add", arithmetic<Arithmetic::add>},
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

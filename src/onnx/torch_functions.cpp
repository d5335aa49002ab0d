#include <cmath>

#include "torch_call.hpp"

namespace upsweep {
namespace {

using Type = TorchType;

/// A node without settings of one activation.
template <const char* type>
OnnxValue plain(TorchCall& call) {
  return call.node(type);
}

template <Function function>
OnnxValue named(TorchCall& call) {
  return call.apply(Activation{function});
}

/// Two activations, or one and a number.
template <const char* type>
OnnxValue arithmetic_of(TorchCall& call) {
  if (call.has("other") == (call.inputs.size() > 1))
    throw std::invalid_argument("it has neither or both of two inputs and `other`, accepted is one of them");
  if (!call.has("other")) return call.node(type);
  OnnxValue other{{}, Tensor::of({}, {call.number("other", 0)}, false)};
  return call.node(type, {}, {call.input(), other});
}

constexpr char kAdd[] = "Add";
constexpr char kSub[] = "Sub";
constexpr char kMul[] = "Mul";
constexpr char kDiv[] = "Div";
constexpr char kMin[] = "Min";
constexpr char kMax[] = "Max";
constexpr char kIdentity[] = "Identity";

OnnxValue clamp(TorchCall& call, const char* least, const char* most, double low, double high) {
  return call.apply(Activation{Function::clip, call.number(least, low), call.number(most, high)});
}

/// Half of an axis times the sigmoid of the other half.
OnnxValue gated_linear_unit(TorchCall& call) {
  const std::int64_t axis = call.has("dim") ? call.axis("dim") : static_cast<std::int64_t>(call.input().rank()) - 1;
  const std::uint64_t size = call.input().dims[static_cast<std::size_t>(axis)];
  if (size % 2 != 0) throw std::invalid_argument("an axis of an odd size, accepted are two halves");
  const auto half = [&](std::uint64_t first, std::uint64_t last) {
    const auto one = [](auto value) { return constant_value({static_cast<double>(value)}, true); };
    return call.node("Slice", {}, {call.input(), one(first), one(last), one(axis)});
  };
  const OnnxValue value = half(0, size / 2);
  const OnnxValue gate = apply_function(half(size / 2, size), Sigmoid{}, call.builder);
  return call.node("Mul", {}, {value, gate});
}

OnnxValue parametric_relu(TorchCall& call) {
  const auto count = static_cast<std::uint64_t>(call.size("num_parameters", 1));
  const std::vector<double> slopes(count, call.number("init", 0.25));
  Shape dims = {count};
  if (count > 1) dims.resize(call.input().rank() - 1, 1);
  return call.node("PRelu", {}, {call.input(), OnnxValue{dims, Tensor::of(dims, slopes, false)}});
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a table, a line for each row
std::vector<TorchOperator> torch_functions() {
  const std::vector<TorchArgument> other = {{"other", Type::number}};
  return {
      {"abs", {}, named<Function::absolute>},
      {"add", other, arithmetic_of<kAdd>, 1, 2},
      {"celu",
       {{"alpha", Type::number}},
       [](TorchCall& call) {
         return call.apply(Activation{Function::celu, call.number("alpha", 1)});
       }},
      {"clamp",
       {{"min", Type::number}, {"max", Type::number}},
       [](TorchCall& call) { return clamp(call, "min", "max", -1e300, 1e300); }},
      {"cos", {}, named<Function::cosine>},
      {"div", other, arithmetic_of<kDiv>, 1, 2},
      {"erf", {}, named<Function::error>},
      {"exp", {}, named<Function::exponential>},
      {"glu", {{"dim", Type::integer}}, gated_linear_unit},
      {"hardsigmoid",
       {},
       [](TorchCall& call) {
         return call.apply(Activation{Function::hardsigmoid, 1.0 / 6, 0.5});
       }},
      {"hardswish", {}, named<Function::hardswish>},
      {"hardtanh",
       {{"min_val", Type::number}, {"max_val", Type::number}},
       [](TorchCall& call) { return clamp(call, "min_val", "max_val", -1, 1); }},
      {"identity", {}, plain<kIdentity>},
      {"log", {}, named<Function::logarithm>},
      {"maximum", other, arithmetic_of<kMax>, 1, 2},
      {"minimum", other, arithmetic_of<kMin>, 1, 2},
      {"mish", {}, named<Function::mish>},
      {"mul", other, arithmetic_of<kMul>, 1, 2},
      {"neg", {}, named<Function::negative>},
      {"pow",
       {{"exponent", Type::number, true}},
       [](TorchCall& call) {
         return call.apply(Activation{Function::power, call.number("exponent", 1)});
       }},
      {"prelu", {{"num_parameters", Type::integer}, {"init", Type::number}}, parametric_relu},
      {"reciprocal", {}, named<Function::reciprocal>},
      {"relu6",
       {},
       [](TorchCall& call) {
         return call.apply(Activation{Function::clip, 0, 6});
       }},
      {"rsqrt",
       {},
       [](TorchCall& call) {
         return call.apply(Activation{Function::power, -0.5});
       }},
      {"selu", {}, named<Function::selu>},
      {"sign", {}, named<Function::sign>},
      {"sin", {}, named<Function::sine>},
      {"softplus",
       {{"beta", Type::number}},
       [](TorchCall& call) {
         return call.apply(Activation{Function::softplus, call.number("beta", 1)});
       }},
      {"softsign", {}, named<Function::softsign>},
      {"sqrt", {}, named<Function::square_root>},
      {"square",
       {},
       [](TorchCall& call) {
         return call.apply(Activation{Function::power, 2});
       }},
      {"sub", other, arithmetic_of<kSub>, 1, 2},
  };
}

}  // namespace upsweep

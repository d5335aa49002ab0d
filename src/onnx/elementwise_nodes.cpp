#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "placement.hpp"

namespace upsweep {
namespace {

using Values = std::vector<OnnxValue>;

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
  if (function == Function::selu) {
    const bool is_usual = std::fabs(node.number("alpha", 1.6732632) - 1.6732632) < 1e-6 &&
                          std::fabs(node.number("gamma", 1.0507010) - 1.0507010) < 1e-6;
    if (!is_usual) throw std::invalid_argument("an alpha or gamma of its own, accepted are the standard's");
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

/// xᵏ, or bˣ = exp(x · ln b).
Values apply_pow(OnnxNode& node, NetworkBuilder& builder) {
  if (node.input(0).is_constant()) {
    const std::vector<double> base = node.constant(0).values();
    if (base.size() != 1 || !(base[0] > 0)) throw std::invalid_argument("a base that is not one positive number");
    const Tensor factor = Tensor::of({}, {std::log(base[0])}, false);
    const OnnxValue exponent = scale_and_shift(node.input(1), &factor, false, nullptr, false, builder);
    return {apply_function(exponent, Activation{Function::exponential}, builder)};
  }
  const std::vector<double> exponent = node.constant(1).values();
  if (exponent.size() != 1) throw std::invalid_argument("exponents of several numbers, accepted is one");
  if (exponent[0] == 1) return {node.input(0)};
  return {apply_function(node.input(0), Activation{Function::power, exponent[0]}, builder)};
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
                                      {"Sign", apply_named<Function::sign>},
                                      {"Sin", apply_named<Function::sine>},
                                      {"Cos", apply_named<Function::cosine>},
                                      {"Clip", apply_named<Function::clip>},
                                      {"Pow", apply_pow}};
  return table;
}

}  // namespace upsweep

#include <fmt/format.h>

#include <stdexcept>

#include "torch_call.hpp"

namespace upsweep {
namespace {

using Type = TorchType;

const std::vector<TorchArgument>& reduced_axes() {
  static const std::vector<TorchArgument> arguments = {{"dim", Type::integers}, {"keepdim", Type::flag}};
  return arguments;
}

OnnxValue reduce(TorchCall& call, const char* type) {
  return call.node(type, {{"axes", call.axes("dim")}, {"keepdims", std::int64_t{call.flag("keepdim", false)}}});
}

template <const char* type>
OnnxValue reduction_of(TorchCall& call) {
  return reduce(call, type);
}

constexpr char kMean[] = "ReduceMean";
constexpr char kSum[] = "ReduceSum";
constexpr char kProd[] = "ReduceProd";
constexpr char kLargest[] = "ReduceMax";
constexpr char kLeast[] = "ReduceMin";
constexpr char kSoftmax[] = "Softmax";
constexpr char kLogSoftmax[] = "LogSoftmax";

OnnxValue norm_of(TorchCall& call) {
  const std::int64_t p = call.integer("p", 2);
  if (p != 1 && p != 2) throw std::invalid_argument(fmt::format("its p is {}, accepted are 1 and 2", p));
  return reduce(call, p == 1 ? "ReduceL1" : "ReduceL2");
}

template <const char* type>
OnnxValue softmax_of(TorchCall& call) {
  return call.node(type, {{"axis", call.axis("dim")}});
}

/// The last axes of the input, as `normalized_shape` names them.
Shape normalised_shape(const TorchCall& call) {
  Shape shape;
  for (const std::int64_t size : call.integers("normalized_shape")) shape.push_back(static_cast<std::uint64_t>(size));
  const Shape& dims = call.inputs[0].dims;
  if (shape.size() < dims.size() && std::equal(shape.rbegin(), shape.rend(), dims.rbegin())) return shape;
  throw std::invalid_argument(fmt::format("its normalized_shape is {}, accepted are the last sizes of {}",
                                          to_string(shape), to_string({dims.begin() + 1, dims.end()})));
}

OnnxValue layer_norm_of(TorchCall& call) {
  const Shape shape = normalised_shape(call);
  std::vector<std::optional<OnnxValue>> values = {call.input()};
  if (call.flag("elementwise_affine", true)) values.insert(values.end(), {weight_value(shape), weight_value(shape)});
  return call.node("LayerNormalization",
                   {{"axis", -static_cast<std::int64_t>(shape.size())}, {"epsilon", call.number("eps", 1e-5)}},
                   std::move(values));
}

/// x / sqrt(mean(x²) + eps), times numbers of the axes.
OnnxValue rms_norm_of(TorchCall& call) {
  const Shape shape = normalised_shape(call);
  std::vector<std::int64_t> axes;
  for (std::size_t a = call.input().rank() - shape.size(); a < call.input().rank(); ++a)
    axes.push_back(static_cast<std::int64_t>(a));
  const std::string name = call.builder.name_node(call.builder.node_name() + ".scale");
  const OnnxValue squares = call.apply(Activation{Function::power, 2});
  const OnnxValue means = call.node("ReduceMean", {{"axes", axes}}, {squares});
  const OnnxValue eps{{}, Tensor::of({}, {call.number("eps", 1.1920929e-7)}, false)};
  const OnnxValue roots =
      apply_function(call.node("Add", {}, {means, eps}), Activation{Function::power, -0.5}, call.builder);
  const bool is_affine = call.flag("elementwise_affine", true);
  if (!is_affine) call.builder.name_node(name);
  OnnxValue result = call.node("Mul", {}, {call.input(), roots});
  if (!is_affine) return result;
  call.builder.name_node(name);
  return call.node("Mul", {}, {result, weight_value(shape)});
}

OnnxValue channel_norm_of(TorchCall& call, std::uint64_t groups, bool is_affine) {
  if (call.input().rank() < 2) throw std::invalid_argument("an input without channels");
  const std::uint64_t channels = call.input().dims[1];
  std::vector<std::optional<OnnxValue>> values = {call.input()};
  if (is_affine) values.insert(values.end(), {weight_value({channels}), weight_value({channels})});
  return call.node("GroupNormalization",
                   {{"num_groups", static_cast<std::int64_t>(groups)}, {"epsilon", call.number("eps", 1e-5)}},
                   std::move(values));
}

OnnxValue batch_norm_of(TorchCall& call) {
  const std::uint64_t channels = call.input().dims[1];
  const OnnxValue one = weight_value({channels});
  return call.node("BatchNormalization", {{"epsilon", call.number("eps", 1e-5)}}, {call.input(), one, one, one, one});
}

/// [steps, features] to [steps, hidden], or twice as many with `bidirectional`.
OnnxValue recurrent_of(TorchCall& call, const char* type, std::uint64_t gates) {
  if (call.input().rank() != 3) {
    throw std::invalid_argument(
        fmt::format("an input of {} axes, accepted is [steps, features]", call.input().rank() - 1));
  }
  const auto hidden = static_cast<std::uint64_t>(call.size("hidden_size", 0));
  const bool both = call.flag("bidirectional", false);
  const std::uint64_t directions = both ? 2 : 1;
  std::vector<NodeAttribute> attributes = {{"hidden_size", static_cast<std::int64_t>(hidden)},
                                           {"direction", std::string(both ? "bidirectional" : "forward")},
                                           {"linear_before_reset", std::int64_t{1}}};
  if (call.has("nonlinearity")) {
    const std::string function = call.text("nonlinearity", "tanh");
    if (function != "tanh" && function != "relu")
      throw std::invalid_argument(fmt::format("its nonlinearity is '{}', accepted are tanh and relu", function));
    attributes.emplace_back("activations", std::vector<std::string>(directions, function == "relu" ? "Relu" : "Tanh"));
  }
  const OnnxValue steps = call.node("Transpose", {{"perm", std::vector<std::int64_t>{1, 0, 2}}}, {call.input()});
  std::vector<std::optional<OnnxValue>> values = {steps, weight_value({directions, gates * hidden, steps.dims[2]}),
                                                  weight_value({directions, gates * hidden, hidden})};
  if (call.flag("bias", true)) values.emplace_back(weight_value({directions, 2 * gates * hidden}));
  const OnnxValue states = call.node(type, attributes, std::move(values));
  const OnnxValue sorted = call.node("Transpose", {{"perm", std::vector<std::int64_t>{2, 0, 1, 3}}}, {states});
  const OnnxValue shape = constant_value({1, static_cast<double>(steps.dims[0]), -1}, true);
  return call.node("Reshape", {}, {sorted, shape});
}

}  // namespace

std::vector<TorchOperator> torch_groups() {
  const std::vector<TorchArgument> one_axis = {{"dim", Type::integer, true}};
  const std::vector<TorchArgument> layer = {
      {"normalized_shape", Type::integers, true}, {"eps", Type::number}, {"elementwise_affine", Type::flag}};
  const std::vector<TorchArgument> recurrent = {
      {"hidden_size", Type::integer, true}, {"bias", Type::flag}, {"bidirectional", Type::flag}};
  std::vector<TorchArgument> rnn = recurrent;
  rnn.push_back({"nonlinearity", Type::text});
  return {
      {"amax", reduced_axes(), reduction_of<kLargest>},
      {"amin", reduced_axes(), reduction_of<kLeast>},
      {"batchnorm1d", {{"eps", Type::number}}, batch_norm_of},
      {"group_norm",
       {{"num_groups", Type::integer, true}, {"eps", Type::number}, {"affine", Type::flag}},
       [](TorchCall& call) {
         return channel_norm_of(call, static_cast<std::uint64_t>(call.size("num_groups", 0)),
                                call.flag("affine", true));
       }},
      {"gru", recurrent, [](TorchCall& call) { return recurrent_of(call, "GRU", 3); }},
      {"instance_norm",
       {{"eps", Type::number}, {"affine", Type::flag}},
       [](TorchCall& call) { return channel_norm_of(call, call.input().dims[1], call.flag("affine", false)); }},
      {"layer_norm", layer, layer_norm_of},
      {"log_softmax", one_axis, softmax_of<kLogSoftmax>},
      {"lstm", recurrent, [](TorchCall& call) { return recurrent_of(call, "LSTM", 4); }},
      {"mean", reduced_axes(), reduction_of<kMean>},
      {"norm", {{"p", Type::integer}, {"dim", Type::integers}, {"keepdim", Type::flag}}, norm_of},
      {"prod", reduced_axes(), reduction_of<kProd>},
      {"rms_norm", layer, rms_norm_of},
      {"rnn", rnn, [](TorchCall& call) { return recurrent_of(call, "RNN", 1); }},
      {"softmax", one_axis, softmax_of<kSoftmax>},
      {"sum", reduced_axes(), reduction_of<kSum>},
  };
}

}  // namespace upsweep

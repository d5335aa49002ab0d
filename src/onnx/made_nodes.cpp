#include "made_nodes.hpp"

#include <fmt/format.h>

namespace upsweep {
namespace {

/// The opset in whose terms nodes are made here.
constexpr std::int64_t kOpset = 17;

void set_attribute(onnx::NodeProto& node, const NodeAttribute& stated) {
  auto* attribute = node.add_attribute();
  attribute->set_name(stated.first);
  std::visit(Overload{[&](std::int64_t value) { attribute->set_i(value); },
                      [&](double value) { attribute->set_f(static_cast<float>(value)); },
                      [&](const std::string& value) { attribute->set_s(value); },
                      [&](const std::vector<std::int64_t>& values) {
                        for (const std::int64_t value : values) attribute->add_ints(value);
                      },
                      [&](const std::vector<std::string>& values) {
                        for (const std::string& value : values) attribute->add_strings(value);
                      }},
             stated.second);
}

onnx::NodeProto proto_of(const char* type, const std::vector<NodeAttribute>& attributes, std::size_t inputs) {
  onnx::NodeProto proto;
  proto.set_op_type(type);
  for (std::size_t k = 0; k < inputs; ++k) proto.add_input(fmt::format("{}", k + 1));
  proto.add_output("output");
  for (const NodeAttribute& attribute : attributes) set_attribute(proto, attribute);
  return proto;
}

}  // namespace

OnnxValue made_node(const char* type, const std::vector<NodeAttribute>& attributes,
                    std::vector<std::optional<OnnxValue>> inputs, NetworkBuilder& builder) {
  const onnx::NodeProto proto = proto_of(type, attributes, inputs.size());
  OnnxNode node{proto, kOpset, std::move(inputs)};
  return lower_node(node, builder, {{}, false}).outputs[0];
}

OnnxValue folded_node(const char* type, const std::vector<NodeAttribute>& attributes,
                      std::vector<std::optional<OnnxValue>> inputs) {
  const onnx::NodeProto proto = proto_of(type, attributes, inputs.size());
  Tensor tensor = fold({proto, kOpset, std::move(inputs)})[0];
  return {tensor.dims, tensor};
}

OnnxValue constant_value(std::vector<double> values, bool is_integer) {
  const Shape dims = {values.size()};
  return {dims, Tensor::of(dims, std::move(values), is_integer)};
}

}  // namespace upsweep

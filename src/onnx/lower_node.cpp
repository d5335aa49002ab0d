#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "importer.hpp"

namespace upsweep {
namespace {

std::array<const LoweringTable*, 9> tables() {
  return {&elementwise_lowerings(), &group_lowerings(),     &window_lowerings(),
          &product_lowerings(),     &recurrent_lowerings(), &einsum_lowerings(),
          &arithmetic_lowerings(),  &pool_lowerings(),      &norm_lowerings()};
}

/// The lowering of a type of node, or null where it is not modelled.
Lowering find_lowering(const std::string& type) {
  for (const LoweringTable* table : tables()) {
    if (const auto found = table->find(type); found != table->end()) return found->second;
  }
  return nullptr;
}

/// Resize by nearest moves elements; other modes combine them.
bool is_moved(const OnnxNode& node) {
  const bool is_resize = node.type() == "Resize" || node.type() == "Upsample";
  return is_move(node.type()) && !(is_resize && node.text("mode", "nearest") != "nearest");
}

std::vector<OnnxValue> move(const OnnxNode& node, NetworkBuilder& builder) {
  if (node.type() == "Identity" || node.type() == "Dropout" || node.type() == "Cast") return {node.input(0)};
  std::vector<OnnxValue> inputs;
  for (const std::size_t k : moved_inputs(node)) inputs.push_back(node.input(k));
  std::vector<OnnxValue> outputs;
  for (const Move& one : moves_of(node)) outputs.push_back(builder.moved(one, inputs));
  return outputs;
}

}  // namespace

std::vector<std::string> lowered_types() {
  std::vector<std::string> types;
  for (const LoweringTable* table : tables()) {
    for (const auto& [type, lowering] : *table) {
      if (type.find(' ') == std::string::npos) types.push_back(type);
    }
  }
  std::ranges::sort(types);
  return types;
}

Tensor constant_of(const onnx::NodeProto& node, const std::shared_ptr<const std::string>& folder) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == "value") return tensor_of(attribute.t(), folder);
    if (attribute.name() == "value_float") return Tensor::of({}, {static_cast<double>(attribute.f())}, false);
    if (attribute.name() == "value_int") return Tensor::of({}, {static_cast<double>(attribute.i())}, true);
    if (attribute.name() == "value_ints" || attribute.name() == "value_floats") {
      const bool is_integer = attribute.name() == "value_ints";
      std::vector<double> values(attribute.ints().begin(), attribute.ints().end());
      if (!is_integer) values.assign(attribute.floats().begin(), attribute.floats().end());
      const Shape dims = {values.size()};
      return Tensor::of(dims, std::move(values), is_integer);
    }
  }
  throw std::invalid_argument("a constant without dense numbers");
}

LoweredNode lower_node(OnnxNode& node, NetworkBuilder& builder, const LoweringOptions& options) {
  const std::string& type = node.type();
  if (!node.proto.domain().empty() && node.proto.domain() != "ai.onnx") {
    throw std::invalid_argument(
        fmt::format("domain '{}' is not modelled, accepted are the standard's nodes", node.proto.domain()));
  }
  if (type == "If" || type == "Loop" || type == "Scan")
    throw std::invalid_argument(fmt::format("{} is control flow, accepted are nodes without graphs inside", type));
  LoweredNode result;
  if (type == "Constant") {
    Tensor constant = constant_of(node.proto, options.folder);
    Shape dims = constant.dims;
    result.outputs.push_back({std::move(dims), std::move(constant)});
    return result;
  }
  const bool is_constant =
      std::ranges::all_of(node.inputs, [](const auto& input) { return !input || input->is_constant(); });
  if (type == "Shape" || type == "Size" || is_constant) {
    for (Tensor& tensor : fold(node)) {
      Shape dims = tensor.dims;
      result.outputs.push_back({std::move(dims), std::move(tensor)});
    }
    return result;
  }
  if (is_moved(node)) return {move(node, builder)};
  const bool keeps_norm = type == "BatchNormalization" && !options.fold_norms;
  const Lowering lowering = find_lowering(keeps_norm ? "BatchNormalization without folding" : type);
  if (lowering == nullptr) {
    throw std::invalid_argument(
        fmt::format("{} is not modelled, accepted are {}; {}, which move elements; and what is constant", type,
                    fmt::join(lowered_types(), ", "), fmt::join(moved_types(), ", ")));
  }
  const std::size_t before = builder.network().specs.size();
  result.outputs = lowering(node, builder);
  result.is_counted = builder.network().specs.size() > before;
  return result;
}

}  // namespace upsweep

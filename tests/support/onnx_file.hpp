#pragma once

#include <onnx/onnx_pb.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::testing {

/// Builds small ONNX files.
class OnnxFile {
 public:
  explicit OnnxFile(std::int64_t opset = 13) {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(opset);
  }

  onnx::GraphProto& graph() { return *model_.mutable_graph(); }
  onnx::ModelProto& model() { return model_; }

  /// A graph input; sizes of -1 are dynamic.
  OnnxFile& input(const std::string& name, const std::vector<std::int64_t>& dims) {
    auto* info = graph().add_input();
    info->set_name(name);
    auto* type = info->mutable_type()->mutable_tensor_type();
    type->set_elem_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t size : dims) {
      auto* axis = type->mutable_shape()->add_dim();
      size < 0 ? axis->set_dim_param("n") : axis->set_dim_value(size);
    }
    return *this;
  }
  OnnxFile& output(const std::string& name) {
    graph().add_output()->set_name(name);
    return *this;
  }
  /// A tensor with numbers; without, 0.01 · (1, 2, ...).
  OnnxFile& floats(const std::string& name, const std::vector<std::int64_t>& dims,
                   std::optional<std::vector<float>> values = {}) {
    auto* tensor = add_tensor(name, dims, onnx::TensorProto::FLOAT);
    std::int64_t count = 1;
    for (const std::int64_t size : dims) count *= size;
    for (std::int64_t i = 0; i < count; ++i)
      tensor->add_float_data(values ? (*values)[static_cast<std::size_t>(i)] : 0.01F * static_cast<float>(i + 1));
    return *this;
  }
  OnnxFile& integers(const std::string& name, const std::vector<std::int64_t>& values) {
    auto* tensor = add_tensor(name, {static_cast<std::int64_t>(values.size())}, onnx::TensorProto::INT64);
    for (const std::int64_t value : values) tensor->add_int64_data(value);
    return *this;
  }
  onnx::TensorProto* add_tensor(const std::string& name, const std::vector<std::int64_t>& dims, int type) {
    auto* tensor = graph().add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(type);
    for (const std::int64_t size : dims) tensor->add_dims(size);
    return tensor;
  }
  /// A node of one output, named as it.
  onnx::NodeProto& node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output) {
    auto* node = graph().add_node();
    node->set_op_type(type);
    node->set_name(output);
    for (const std::string& input : inputs) node->add_input(input);
    node->add_output(output);
    return *node;
  }
  void save(const std::string& path) const {
    std::ofstream out(path, std::ios::binary);
    model_.SerializeToOstream(&out);
  }

 private:
  onnx::ModelProto model_;
};

inline void set(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INT);
  attribute->set_i(value);
}
inline void set(onnx::NodeProto& node, const std::string& name, const std::vector<std::int64_t>& values) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) attribute->add_ints(value);
}

}  // namespace upsweep::testing

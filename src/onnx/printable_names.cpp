#include "printable_names.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace upsweep {
namespace {

/// Bytes of the character that begins with `lead`; 0 where none does.
std::size_t length_of_character(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

bool is_utf8(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = length_of_character(static_cast<unsigned char>(text[at]));
    if (length == 0 || at + length > text.size()) return false;
    const auto follows = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; };
    const char* const next = text.data() + at + 1;
    if (!std::all_of(next, next + length - 1, follows)) return false;
    at += length;
  }
  return true;
}

void make_printable(std::string& name) {
  const bool is_text = is_utf8(name);
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !is_text)) c = '?';
  }
}

}  // namespace

void make_names_printable(onnx::GraphProto& graph) {
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    make_printable(*node.mutable_name());
    make_printable(*node.mutable_op_type());
    make_printable(*node.mutable_domain());
    for (std::string& input : *node.mutable_input()) make_printable(input);
    for (std::string& output : *node.mutable_output()) make_printable(output);
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) make_printable(*attribute.mutable_name());
  }
  for (onnx::TensorProto& tensor : *graph.mutable_initializer()) make_printable(*tensor.mutable_name());
  for (auto* values : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()}) {
    for (onnx::ValueInfoProto& value : *values) make_printable(*value.mutable_name());
  }
}

}  // namespace upsweep

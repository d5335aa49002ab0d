#include <array>

#include "importer.hpp"
#include "path_steps.hpp"

namespace upsweep {
namespace {

/// Whether the document is a mapping with a key.
template <const char* key>
bool has_key(const ModelSource& source) {
  const YamlDocument& document = source.document;
  return document.root->kind == YamlNode::Kind::mapping && value_place(*document.root, key).has_value();
}

constexpr char kChain[] = "chain";
constexpr char kRecurrent[] = "recurrent";
constexpr char kLayers[] = "layers";

}  // namespace

std::span<const Importer> importers() {
  static const std::array<Importer, 5> all = {{
      {0, "a network of operators", [](const ModelSource& source) { return source.onnx.has_value(); },
       [](const ModelSource& source, Numbers numbers) -> AnyModel {
         return load_onnx(source.document.file, *source.onnx, numbers);
       }},
      {2, "a synthetic chain", has_key<kChain>,
       [](const ModelSource& source, Numbers) -> AnyModel { return read_chain(source.document); }},
      {1, "a recurrent model", has_key<kRecurrent>,
       [](const ModelSource& source, Numbers) -> AnyModel { return load_recurrent(source.document, Layers::any); }},
      {3, "a layers file", has_key<kLayers>,
       [](const ModelSource& source, Numbers) -> AnyModel { return load_layers(source.document); }},
      {0, "a network of operators", [](const ModelSource&) { return true; },
       [](const ModelSource& source, Numbers numbers) -> AnyModel {
         return load_network(source.document, numbers, source.masks);
       }},
  }};
  return all;
}

}  // namespace upsweep

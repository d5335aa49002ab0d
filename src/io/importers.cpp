#include <array>

#include "importer.hpp"
#include "path_steps.hpp"

namespace upsweep {
namespace {

/// Whether the document is a mapping with a key.
template <const char* key>
bool has_key(const YamlDocument& document) {
  return document.root->kind == YamlNode::Kind::mapping && value_place(*document.root, key).has_value();
}

constexpr char kChain[] = "chain";
constexpr char kRecurrent[] = "recurrent";
constexpr char kLayers[] = "layers";

}  // namespace

std::span<const Importer> importers() {
  static const std::array<Importer, 4> all = {{
      {2, "a synthetic chain", has_key<kChain>,
       [](const YamlDocument& document, Numbers) -> AnyModel { return read_chain(document); }},
      {1, "a recurrent model", has_key<kRecurrent>,
       [](const YamlDocument& document, Numbers) -> AnyModel { return load_recurrent(document, Layers::any); }},
      {3, "a layers file", has_key<kLayers>,
       [](const YamlDocument& document, Numbers) -> AnyModel { return load_layers(document); }},
      {0, "a network of operators", [](const YamlDocument&) { return true; },
       [](const YamlDocument& document, Numbers numbers) -> AnyModel { return load_network(document, numbers); }},
  }};
  return all;
}

}  // namespace upsweep

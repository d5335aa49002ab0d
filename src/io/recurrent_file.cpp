#include "upsweep/io/recurrent_file.hpp"

#include <fmt/format.h>

#include "content_hash.hpp"
#include "upsweep/io/yaml.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 39U;
constexpr std::uint64_t kMostExtent = 65'536;  // of inputs, hidden states, classes
constexpr std::uint64_t kMostBatch = 1'000'000;

/// One of two words. Throws InputError.
bool is_second(const YamlDocument& document, const YamlNode& node, const std::string& what, const char* first,
               const char* second) {
  const std::string text = yaml_text(document, node, what);
  if (text != first && text != second)
    throw document.error(node, fmt::format("{} is '{}', accepted are {}, {}", what, text, first, second));
  return text == second;
}

std::uint64_t extent(YamlMap& map, const char* key, std::uint64_t least, std::uint64_t most) {
  return yaml_integer(map.document(), map.require(key), map.name(key), least, most);
}

void read_cell(const YamlDocument& document, const YamlNode& node, RecurrentModel& model) {
  YamlMap map(document, node, "recurrent");
  const bool is_gru = is_second(document, map.require("cell"), map.name("cell"), "rnn", "gru");
  model.shape.kind = is_gru ? CellKind::gru : CellKind::rnn;
  model.shape.input = extent(map, "input_size", 1, kMostExtent);
  model.shape.hidden = extent(map, "hidden_size", 1, kMostExtent);
  model.steps = extent(map, "steps", 2, kMostSteps);
  if (const YamlNode* batch = map.find("batch"))
    model.batch = yaml_integer(document, *batch, map.name("batch"), 1, kMostBatch);
  if (const YamlNode* nonlinearity = map.find("nonlinearity")) {
    if (is_gru) {
      throw document.error(*nonlinearity, map.name("nonlinearity") +
                                              " of a gru, accepted is that of an rnn: the gates "
                                              "of a gru have their own");
    }
    const bool is_relu = is_second(document, *nonlinearity, map.name("nonlinearity"), "tanh", "relu");
    model.shape.nonlinearity = is_relu ? Nonlinearity::relu : Nonlinearity::tanh;
  }
  if (const YamlNode* fused = map.find("fused")) {
    model.is_fused = yaml_boolean(document, *fused, map.name("fused"));
    if (is_gru && !model.is_fused) {
      throw document.error(*fused,
                           map.name("fused") + " is false of a gru, accepted is true: its step is one Jacobian");
    }
  }
  map.finish();
}

RecurrentModel read_recurrent(const YamlDocument& document) {
  RecurrentModel model;
  model.file = document.file;
  YamlMap map(document, *document.root, "a recurrent model file");
  model.name = yaml_text(document, map.require("name"), map.name("name"));
  if (const YamlNode* dtype = map.find("dtype"))
    model.value_bytes = is_second(document, *dtype, map.name("dtype"), "fp32", "fp64") ? 8 : 4;
  read_cell(document, map.require("recurrent"), model);
  YamlMap head(document, map.require("head"), "head");
  model.shape.classes = extent(head, "out_features", 1, kMostExtent);
  head.finish();
  if (const YamlNode* weights = map.find("weights")) {
    YamlMap seeds(document, *weights, "weights");
    model.seed = yaml_integer(document, seeds.require("seed"), seeds.name("seed"));
    seeds.finish();
  }
  map.finish();
  ContentHash hash;
  hash.add("recurrent", fmt::format("{} {} input {} hidden {} classes {} steps {} batch {} fused {} bytes {} seed {}",
                                    to_string(model.shape.kind), to_string(model.shape.nonlinearity), model.shape.input,
                                    model.shape.hidden, model.shape.classes, model.steps, model.batch, model.is_fused,
                                    model.value_bytes, model.seed));
  model.content_hash = hash.text();
  return model;
}

}  // namespace

bool is_recurrent_file(const std::string& path) {
  const YamlDocument document = read_yaml(path);
  const YamlNode& root = *document.root;
  if (root.kind != YamlNode::Kind::mapping) return false;
  for (std::size_t i = 0; i + 1 < root.children.size(); i += 2) {
    if (root.children[i]->text == "recurrent") return true;
  }
  return false;
}

RecurrentModel load_recurrent(const std::string& path) { return read_recurrent(read_yaml(path)); }

RecurrentModel load_recurrent(std::istream& in, const std::string& path) {
  return read_recurrent(parse_yaml(in, path));
}

}  // namespace upsweep

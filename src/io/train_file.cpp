#include "upsweep/io/train_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "upsweep/io/content_hash.hpp"
#include "upsweep/io/model.hpp"
#include "upsweep/io/text_file.hpp"
#include "upsweep/io/yaml.hpp"
#include "upsweep/learning/network_backward.hpp"
#include "upsweep/recurrent/backward_method.hpp"
#include "yaml_choice.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kMostSamples = std::uint64_t{1} << 32U;

/// The one key of a mapping such as {adam: {...}}, one of some names, and its value.
std::pair<std::string, const YamlNode*> only_entry(const YamlDocument& document, const YamlNode& node,
                                                   const std::string& what, const std::vector<std::string>& names) {
  if (node.kind != YamlNode::Kind::mapping || node.children.size() != 2) {
    throw document.error(
        node,
        fmt::format("{} is {}{}, accepted is a mapping of one key: {}", what, describe(node),
                    node.kind == YamlNode::Kind::mapping ? fmt::format(" of {} keys", node.children.size() / 2) : "",
                    fmt::join(names, ", ")));
  }
  return {names[yaml_choice(document, *node.children[0], what, names)], node.children[1].get()};
}

/// {samples: N, seed: S} as a BitstreamData or one like it.
template <class Data>
Data read_seeded(const YamlDocument& document, const YamlNode& node, const std::string& what) {
  YamlMap map(document, node, what);
  Data data;
  data.samples = map.integer("samples", 1, kMostSamples);
  data.seed = map.integer("seed");
  map.finish();
  return data;
}

FeatureData read_features(const YamlDocument& document, const YamlNode& node) {
  YamlMap map(document, node, "features");
  FeatureData data;
  data.inputs = map.text("inputs");
  data.labels = map.text("labels");
  data.is_normalized = map.find_boolean("normalize").value_or(data.is_normalized);
  map.finish();
  return data;
}

TrainData read_images(const YamlDocument& document, const YamlNode& node) {
  const auto [kind, value] = only_entry(document, node, "images", {"cifar10", "synthetic"});
  if (kind == "cifar10") return CifarData{beside(document.file, yaml_text(document, *value, "cifar10 of images"))};
  return read_seeded<SyntheticImageData>(document, *value, "synthetic of images");
}

TrainData read_data(const YamlDocument& document, const YamlNode& node, bool is_recurrent) {
  if (!is_recurrent)
    return read_images(document,
                       *only_entry(document, node, "data of train with a network of operators", {"images"}).second);
  const auto [kind, value] = only_entry(document, node, "data of train with a recurrent model",
                                        {"bitstream", "features", "synthetic_features"});
  if (kind == "bitstream") return read_seeded<BitstreamData>(document, *value, "bitstream");
  if (kind == "features") return read_features(document, *value);
  return read_seeded<SyntheticFeatureData>(document, *value, "synthetic_features");
}

OptimizerSettings read_optimizer(const YamlDocument& document, const YamlNode& node) {
  const auto [kind, value] = only_entry(document, node, "optimizer of train", {"sgd", "adam"});
  YamlMap map(document, *value, kind);
  const auto number = [&](const char* key, double& setting) { setting = map.find_number(key).value_or(setting); };
  const double rate = map.number("learning_rate");
  OptimizerSettings settings;
  if (kind == "sgd") {
    SgdSettings sgd{rate};
    number("momentum", sgd.momentum);
    settings = sgd;
  } else {
    AdamSettings adam{rate};
    number("beta1", adam.beta1);
    number("beta2", adam.beta2);
    number("epsilon", adam.epsilon);
    settings = adam;
  }
  map.finish();
  document.at(
      *value, [&] { require_valid(settings); }, kind + ": ");
  return settings;
}

/// Canonical names.
std::vector<std::string> read_backward(const YamlDocument& document, const YamlNode& node, bool is_recurrent) {
  std::vector<std::string> names;
  for (const auto& child : yaml_list(document, node, "backward of train", "backward pass, the first the reference")) {
    const std::string text = yaml_text(document, *child, "an entry of backward");
    const std::string name = document.at(
        *child, [&] { return is_recurrent ? to_string(parse_backward_method(text)) : network_backward_name(text); },
        "backward of train: ");
    if (std::ranges::find(names, name) != names.end())
      throw document.error(*child, fmt::format("backward of train has '{}' twice, accepted is each once", name));
    names.push_back(name);
  }
  return names;
}

/// An optional integer and its line.
std::optional<std::uint64_t> read_extent(YamlMap& map, const char* key, std::uint64_t most, int& line) {
  const YamlNode* node = map.find(key);
  if (node == nullptr) return std::nullopt;
  line = node->line;
  return yaml_integer(map.document(), *node, map.name(key), 1, most);
}

/// The mapping under `train`.
void read_settings(const YamlDocument& document, const YamlNode& node, TrainSpec& spec) {
  YamlMap map(document, node, "train");
  spec.lines.train = node.line;
  const YamlNode& data = map.require("data");
  spec.lines.data = data.line;
  spec.data = read_data(document, data, spec.is_recurrent);
  const YamlNode& optimizer = map.require("optimizer");
  spec.lines.optimizer = optimizer.line;
  spec.optimizer = read_optimizer(document, optimizer);
  spec.batch = read_extent(map, "batch", TrainLimits::kBatch, spec.lines.batch);
  if (spec.is_recurrent) {
    spec.steps = read_extent(map, "steps", TrainLimits::kSteps, spec.lines.steps);
  } else if (!spec.batch) {
    throw document.error(node, "train has no key 'batch', accepted with a network of operators is a mapping with it");
  }
  spec.iterations = map.integer("iterations", 1, TrainLimits::kIterations);
  const YamlNode& backward = map.require("backward");
  spec.lines.backward = backward.line;
  spec.backward = read_backward(document, backward, spec.is_recurrent);
  if (const YamlNode* backend = map.find("backend")) {
    spec.lines.backend = backend->line;
    spec.backend = yaml_text(document, *backend, map.name("backend"));
  }
  spec.shuffle_seed = map.find_integer("shuffle_seed").value_or(spec.shuffle_seed);
  map.finish();
}

}  // namespace

TrainSpec load_train(const YamlDocument& document) {
  TrainSpec spec;
  spec.file = document.file;
  // On its own, so that the key is not among those that are accepted.
  if (const YamlNode* kind = YamlMap(document, *document.root, "a train file").find("kind")) {
    throw document.error(*kind,
                         "a key 'kind' as in training files, which `upsweep training` runs; accepted is a train "
                         "file: a mapping with the keys name, model, train");
  }
  YamlMap map(document, *document.root, "a train file");
  spec.name = map.text("name");
  spec.note = map.find_text("note").value_or(spec.note);
  const YamlNode& train = map.require("train");
  const YamlNode& model = map.require("model");
  spec.lines.model = model.line;
  spec.model_file = beside(document.file, yaml_text(document, model, map.name("model")));
  map.finish();
  spec.is_recurrent = document.at<InputError>(
      model, [&] { return ModelFile(spec.model_file).holds<RecurrentModel>(); }, map.name("model") + ": ");
  read_settings(document, train, spec);
  ContentHash hash;
  add_content(train, hash);
  spec.content_hash = hash.text();
  return spec;
}

}  // namespace upsweep

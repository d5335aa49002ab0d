#include "upsweep/io/layers_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "operator_reader.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/io/content_hash.hpp"
#include "upsweep/io/yaml.hpp"
#include "yaml_choice.hpp"

namespace upsweep {
namespace {

// Sizes stay far from the limits of 64 bits; what their products exceed is found by checked arithmetic.
constexpr std::uint64_t kMaxSize = 0x7fffffff;
constexpr std::uint64_t kMaxLayers = 10'000;

/// Reads one layer: the parts in order, each operator's input from the one before.
class LayerReader {
 public:
  LayerReader(const YamlDocument& document, const YamlNode& node, std::size_t position)
      : document_(document), map_(document, node, fmt::format("layer {}", position)) {}

  /// The layer, under its name without number.
  LayerWork read() {
    work_.name = map_.text("name");
    what_ = fmt::format("layer '{}'", work_.name);
    if (const YamlNode* repeat = map_.find("repeat"))
      repeat_ = yaml_integer(document_, *repeat, "repeat of " + what_, 1, kMaxLayers);
    const YamlNode* output = map_.find("output");
    const YamlNode& parts = map_.require("parts");
    map_.finish();
    for (const auto& part : yaml_list(document_, parts, "parts of " + what_, "part")) read_part(*part);
    if (work_.parts.empty())
      throw document_.error(parts, fmt::format("parts of {} are views alone, accepted is at least one other", what_));
    read_output(output);
    return std::move(work_);
  }

  /// Layers of this kind; nothing where it has no key `repeat`.
  [[nodiscard]] std::optional<std::uint64_t> repeat() const { return repeat_; }

 private:
  void read_part(const YamlNode& item) {
    const auto [kind, settings] = read_kind_entry(document_, item, "a part of " + what_);
    try {
      if (kind.text == "matmul" || kind.text == "elementwise") {
        shape_.reset();
        read_plain(item, kind.text, settings);
      } else {
        read_operator(item, kind, settings);
      }
    } catch (const CountOverflow& error) {
      throw document_.error(item,
                            fmt::format("{} of {}: {}, accepted are smaller sizes", kind.text, what_, error.what()));
    }
  }

  void read_plain(const YamlNode& item, const std::string& kind, const YamlNode* settings) {
    YamlMap map(document_, settings == nullptr ? item : *settings, fmt::format("{} of {}", kind, what_));
    work_.parts.push_back(kind == "matmul" ? matmul_work(read_matmul(map)) : elementwise_work(read_elementwise(map)));
  }

  Matmul read_matmul(YamlMap& map) const {
    Matmul matmul;
    matmul.m = size(map, "m", std::nullopt, 1);
    matmul.k = size(map, "k", std::nullopt, 1);
    matmul.n = size(map, "n", std::nullopt, 1);
    matmul.count = size(map, "count", 1, 1);
    matmul.weights = boolean(map, "weights", true);
    matmul.bias = boolean(map, "bias", false);
    map.finish();
    if (matmul.bias && !matmul.weights) {
      throw document_.error(
          *map.find("bias"),
          fmt::format("{} is true without weights, accepted is a bias with weights", map.name("bias")));
    }
    return matmul;
  }

  ElementwiseWork read_elementwise(YamlMap& map) const {
    ElementwiseWork work;
    work.elements = size(map, "elements", std::nullopt, 1);
    work.flops_per_element = size(map, "flops_per_element", 1, 0);
    work.weights = size(map, "weights", 0, 0);
    map.finish();
    return work;
  }

  /// An integer; required without a `fallback`.
  std::uint64_t size(YamlMap& map, const char* key, std::optional<std::uint64_t> fallback, std::uint64_t least) const {
    const YamlNode* node = fallback ? map.find(key) : &map.require(key);
    return node == nullptr ? *fallback : yaml_integer(document_, *node, map.name(key), least, kMaxSize);
  }

  bool boolean(YamlMap& map, const char* key, bool fallback) const {
    const YamlNode* node = map.find(key);
    return node == nullptr ? fallback : yaml_boolean(document_, *node, map.name(key));
  }

  void read_operator(const YamlNode& item, const YamlNode& kind, const YamlNode* settings) {
    std::vector<std::string> known = {"matmul", "elementwise"};
    std::ranges::copy(operator_kinds(), std::back_inserter(known));
    yaml_choice(document_, kind, "a part of " + what_, known);
    const std::string what = fmt::format("{} of {}", kind.text, what_);
    std::optional<YamlMap> map;
    if (settings != nullptr) map.emplace(document_, *settings, what);
    if (const YamlNode* input = map ? map->find("input") : nullptr)
      shape_ = read_shape(document_, *input, "input of " + what, kMaxSize);
    if (!shape_) {
      throw document_.error(item, fmt::format("{} has no key 'input' and the part before is no operator, accepted is "
                                              "input: [channels, height, width] or [features]",
                                              what));
    }
    IndexArrays arrays(std::filesystem::path(document_.file).parent_path());
    const OperatorEntry entry = read_operator_settings(document_, item, kind, map ? &*map : nullptr, what, arrays);
    if (map) map->finish();
    if (is_join(entry.spec.kind)) {
      throw document_.error(item, fmt::format("{} reads several outputs, accepted for its work is elementwise: "
                                              "{{elements: N}}",
                                              what));
    }
    if (entry.stated_input && *entry.stated_input != shape_->front()) {
      throw document_.error(item, fmt::format("{}: it states {} inputs, its input has shape {}", what,
                                              *entry.stated_input, to_string(*shape_)));
    }
    add_operator({what, entry.spec.kind, *shape_, {}}, item);
  }

  void add_operator(Operator op, const YamlNode& item) {
    op.out_shape = document_.at(
        item, [&] { return infer_shape(op.kind, op.in_shape); }, op.name + ": ");
    shape_ = op.out_shape;
    if (!is_view(op.kind)) work_.parts.push_back(operator_work(op));
  }

  void read_output(const YamlNode* output) {
    if (output != nullptr) {
      work_.output = yaml_integer(document_, *output, "output of " + what_, 1, kMaxSize);
    } else if (shape_) {
      work_.output = elements(*shape_);
    } else {
      throw document_.error(map_.node(), fmt::format("{} has no key 'output' and its last part is no operator, "
                                                     "accepted is output: elements per sample",
                                                     what_));
    }
  }

  const YamlDocument& document_;
  YamlMap map_;
  std::string what_;
  LayerWork work_;
  std::optional<std::uint64_t> repeat_;
  std::optional<Shape> shape_;  // of the output of the part before, where that is an operator
};

unsigned read_layers_value_bytes(const YamlDocument& document, const YamlNode* node) {
  if (node == nullptr) return 4;
  const std::string dtype = yaml_text(document, *node, "dtype");
  if (dtype == "fp32") return 4;
  throw document.error(
      *node, fmt::format("dtype is {}, accepted is fp32, the type of the machines' dense rates", describe(*node)));
}

/// Adds the layers of one entry to the model.
class LayersReader {
 public:
  LayersReader(const YamlDocument& document, LayersModel& model) : document_(document), model_(model) {}

  void read(const YamlNode& list) {
    const auto& layers = yaml_list(document_, list, "layers", "layer");
    for (std::size_t i = 0; i < layers.size(); ++i) {
      LayerReader reader(document_, *layers[i], i + 1);
      const LayerWork layer = reader.read();
      const auto repeat = reader.repeat();
      for (std::uint64_t r = 1; r <= repeat.value_or(1); ++r) {
        LayerWork copy = layer;
        if (repeat) copy.name += fmt::format(".{}", r);
        add(std::move(copy), *layers[i]);
      }
    }
  }

 private:
  void add(LayerWork layer, const YamlNode& node) {
    const auto [before, is_new] = line_of_.emplace(layer.name, node.line);
    if (!is_new) {
      throw document_.error(node, fmt::format("layer '{}' has the name of the layer in line {}, accepted is a name of "
                                              "its own",
                                              layer.name, before->second));
    }
    if (model_.layers.size() == kMaxLayers) {
      throw document_.error(node,
                            fmt::format("there are more than {} layers, accepted are at most as many", kMaxLayers));
    }
    model_.layers.push_back(std::move(layer));
    model_.lines.push_back(node.line);
  }

  const YamlDocument& document_;
  LayersModel& model_;
  std::unordered_map<std::string, int> line_of_;
};

std::string hash_of(const LayersModel& model) {
  ContentHash hash;
  hash.add("value_bytes", std::to_string(model.value_bytes));
  for (const LayerWork& layer : model.layers) {
    hash.add(layer.name, std::to_string(layer.output));
    for (const PartWork& part : layer.parts) {
      std::string text = std::to_string(part.weights);
      for (const KernelWork& kernel : {part.forward, part.output_gradient, part.weight_gradient})
        text += fmt::format(" {} {} {}", kernel.flops, kernel.elements, kernel.weights);
      hash.add("part", text);
    }
  }
  return hash.text();
}

}  // namespace

LayersModel load_layers(const YamlDocument& document) {
  YamlMap map(document, *document.root, "the layers file");
  LayersModel model;
  model.file = document.file;
  model.name = map.name_or_stem();
  model.source = map.text("source");
  model.value_bytes = read_layers_value_bytes(document, map.find("dtype"));
  const YamlNode& list = map.require("layers");
  map.finish();
  LayersReader(document, model).read(list);
  model.content_hash = hash_of(model);
  return model;
}

}  // namespace upsweep

#include "operator_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace upsweep {
namespace {

// Sizes stay far from the limits of 64 bits, so that sums of a few of them cannot wrap around.
constexpr std::uint64_t kMaxOperatorSize = 0x7fffffff;

/// Typed access to the settings of one operator.
class Settings {
 public:
  Settings(YamlMap* map, const YamlDocument& document, const YamlNode& entry, std::string what)
      : map_(map), document_(document), entry_(entry), what_(std::move(what)) {}

  const YamlNode* find(const std::string& key) { return map_ == nullptr ? nullptr : map_->find(key); }

  const YamlNode& require(const std::string& key) {
    if (map_ != nullptr) return map_->require(key);
    throw document_.error(
        entry_, fmt::format("{} has no key '{}', found are none, accepted is a mapping with that key", what_, key));
  }

  [[nodiscard]] std::uint64_t size(const std::string& key, const YamlNode& node, std::uint64_t least) const {
    return yaml_integer(document_, node, fmt::format("{} of {}", key, what_), least, kMaxOperatorSize);
  }
  std::uint64_t required_size(const std::string& key) { return size(key, require(key), 1); }
  std::uint64_t size_or(const std::string& key, std::uint64_t fallback) {
    const YamlNode* node = find(key);
    return node == nullptr ? fallback : size(key, *node, 1);
  }
  std::optional<std::uint64_t> optional_size(const std::string& key) {
    const YamlNode* node = find(key);
    if (node == nullptr || node->kind == YamlNode::Kind::null) return std::nullopt;
    return size(key, *node, 1);
  }

  [[nodiscard]] PerAxis pair(const std::string& key, const YamlNode& node, std::uint64_t least) const {
    if (node.kind == YamlNode::Kind::scalar) {
      const std::uint64_t both = size(key, node, least);
      return {both, both};
    }
    if (node.kind == YamlNode::Kind::sequence && node.children.size() == 2) {
      return {size(key, *node.children[0], least), size(key, *node.children[1], least)};
    }
    throw document_.error(node, fmt::format("{} of {} is {}, accepted is an integer of at least {}, or [y, x]", key,
                                            what_, describe(node), least));
  }
  PerAxis required_pair(const std::string& key) { return pair(key, require(key), 1); }
  PerAxis pair_or(const std::string& key, PerAxis fallback, std::uint64_t least) {
    const YamlNode* node = find(key);
    return node == nullptr ? fallback : pair(key, *node, least);
  }

  double number_or(const std::string& key, double fallback, double least = -1e300, double most = 1e300) {
    const YamlNode* node = find(key);
    if (node == nullptr) return fallback;
    const double value = yaml_number(document_, *node, fmt::format("{} of {}", key, what_));
    if (value < least || value > most) {
      throw document_.error(*node, fmt::format("{} of {} is {}, accepted is a number from {} to {}", key, what_,
                                               describe(*node), least, most));
    }
    return value;
  }
  bool boolean_or(const std::string& key, bool fallback) {
    const YamlNode* node = find(key);
    return node == nullptr ? fallback : yaml_boolean(document_, *node, fmt::format("{} of {}", key, what_));
  }
  /// A key of which only one value is modelled.
  void only(const std::string& key, const std::string& accepted, const std::string& why) {
    const YamlNode* node = find(key);
    if (node != nullptr && (node->kind != YamlNode::Kind::scalar || node->text != accepted)) {
      throw document_.error(
          *node, fmt::format("{} of {} is {}, accepted is {}: {}", key, what_, describe(*node), accepted, why));
    }
  }
  std::string one_of(const std::string& key, const std::string& fallback, const std::vector<std::string>& accepted) {
    const YamlNode* node = find(key);
    if (node == nullptr) return fallback;
    if (node->kind != YamlNode::Kind::scalar ||
        std::find(accepted.begin(), accepted.end(), node->text) == accepted.end()) {
      throw document_.error(*node, fmt::format("{} of {} is {}, accepted is {}", key, what_, describe(*node),
                                               fmt::join(accepted, " or ")));
    }
    return node->text;
  }
  /// inplace changes where PyTorch writes, not what it computes.
  void accept_inplace() { static_cast<void>(boolean_or("inplace", false)); }

 private:
  YamlMap* map_;
  const YamlDocument& document_;
  const YamlNode& entry_;
  std::string what_;
};

using Read = std::function<OperatorKind(Settings&, OperatorEntry&)>;

OperatorKind read_conv2d(Settings& in, OperatorEntry& entry) {
  Conv2d conv;
  entry.stated_input = in.optional_size("in_channels");
  conv.out_channels = in.required_size("out_channels");
  conv.kernel = in.required_pair("kernel");
  conv.stride = in.pair_or("stride", {1, 1}, 1);
  conv.padding = in.pair_or("padding", {0, 0}, 0);
  conv.dilation = in.pair_or("dilation", {1, 1}, 1);
  conv.groups = in.size_or("groups", 1);
  conv.bias = in.boolean_or("bias", true);
  in.only("padding_mode", "zeros", "other modes copy inputs into the padding, which is not modelled");
  return conv;
}

OperatorKind read_linear(Settings& in, OperatorEntry& entry) {
  Linear linear;
  entry.stated_input = in.optional_size("in_features");
  linear.out_features = in.required_size("out_features");
  linear.bias = in.boolean_or("bias", true);
  return linear;
}

OperatorKind read_maxpool2d(Settings& in, OperatorEntry&) {
  MaxPool2d pool;
  pool.kernel = in.required_pair("kernel");
  pool.stride = in.pair_or("stride", pool.kernel, 1);
  pool.padding = in.pair_or("padding", {0, 0}, 0);
  pool.dilation = in.pair_or("dilation", {1, 1}, 1);
  pool.ceil_mode = in.boolean_or("ceil_mode", false);
  return pool;
}

OperatorKind read_avgpool2d(Settings& in, OperatorEntry&) {
  AvgPool2d pool;
  pool.kernel = in.required_pair("kernel");
  pool.stride = in.pair_or("stride", pool.kernel, 1);
  pool.padding = in.pair_or("padding", {0, 0}, 0);
  pool.ceil_mode = in.boolean_or("ceil_mode", false);
  pool.count_include_pad = in.boolean_or("count_include_pad", true);
  pool.divisor_override = in.optional_size("divisor_override");
  return pool;
}

OperatorKind read_batchnorm2d(Settings& in, OperatorEntry& entry) {
  BatchNorm2d norm;
  entry.stated_input = in.optional_size("num_features");
  norm.eps = in.number_or("eps", norm.eps, 0);
  norm.affine = in.boolean_or("affine", true);
  static_cast<void>(in.number_or("momentum", 0.1));  // of training only
  in.only("track_running_stats", "true", "batch statistics would make the Jacobian dense, which is not modelled");
  return norm;
}

OperatorKind read_flatten(Settings& in, OperatorEntry&) {
  in.only("start_dim", "1", "one sample is flattened as a whole");
  in.only("end_dim", "-1", "one sample is flattened as a whole");
  return Flatten{};
}

template <class Kind>
OperatorKind read_plain(Settings& in, OperatorEntry&) {
  in.accept_inplace();
  return Kind{};
}

const std::vector<std::pair<std::string, Read>>& readers() {
  static const std::vector<std::pair<std::string, Read>> table = {
      {"conv2d", read_conv2d},
      {"linear", read_linear},
      {"relu", read_plain<Relu>},
      {"leaky_relu",
       [](Settings& in, OperatorEntry&) {
         in.accept_inplace();
         return LeakyRelu{in.number_or("negative_slope", LeakyRelu{}.negative_slope)};
       }},
      {"elu",
       [](Settings& in, OperatorEntry&) {
         in.accept_inplace();
         return Elu{in.number_or("alpha", Elu{}.alpha)};
       }},
      {"gelu",
       [](Settings& in, OperatorEntry&) {
         return Gelu{in.one_of("approximate", "none", {"none", "tanh"}) == "tanh"};
       }},
      {"silu", read_plain<Silu>},
      {"tanh", [](Settings&, OperatorEntry&) { return Tanh{}; }},
      {"sigmoid", [](Settings&, OperatorEntry&) { return Sigmoid{}; }},
      {"maxpool2d", read_maxpool2d},
      {"avgpool2d", read_avgpool2d},
      {"adaptive_avgpool2d",
       [](Settings& in, OperatorEntry&) { return AdaptiveAvgPool2d{in.required_pair("output_size")}; }},
      {"batchnorm2d", read_batchnorm2d},
      {"flatten", read_flatten},
      {"dropout",
       [](Settings& in, OperatorEntry&) {
         in.accept_inplace();
         return Dropout{in.number_or("p", Dropout{}.p, 0, 1)};
       }},
      {"add", [](Settings&, OperatorEntry&) { return Add{}; }},
      {"concat", [](Settings&, OperatorEntry&) { return Concat{}; }},
  };
  return table;
}

const Read& reader_of(const YamlDocument& document, const YamlNode& kind) {
  for (const auto& [name, read] : readers()) {
    if (name == kind.text) return read;
  }
  throw document.error(kind, fmt::format("the operator {} is not modelled, accepted are {}", describe(kind),
                                         fmt::join(operator_kinds(), ", ")));
}

/// The name of an operator; arrays are files of this name, so it must not lead out of their folder.
std::string read_name(const YamlDocument& document, const YamlNode& node, const std::string& kind) {
  std::string name = yaml_text(document, node, "name of a " + kind);
  if (name.find_first_of("/\\") != std::string::npos) {
    throw document.error(node,
                         fmt::format("name of a {} is {}, accepted is text without / and \\", kind, describe(node)));
  }
  return name;
}

OperatorEntry read_operator(const YamlDocument& document, const YamlNode& item, std::size_t position) {
  const bool is_name = item.kind == YamlNode::Kind::scalar;
  if (!is_name && (item.kind != YamlNode::Kind::mapping || item.children.size() != 2)) {
    throw document.error(
        item, fmt::format("operator {} is {}, accepted is 'kind' or 'kind: {{settings}}'", position, describe(item)));
  }
  const YamlNode& kind = is_name ? item : *item.children[0];
  const YamlNode* settings = is_name ? nullptr : item.children[1].get();
  const Read& read = reader_of(document, kind);

  OperatorEntry entry;
  entry.line = item.line;
  entry.spec.name = fmt::format("{}{}", kind.text, position);
  if (settings == nullptr || settings->kind == YamlNode::Kind::null) {
    Settings none(nullptr, document, item, fmt::format("{} '{}'", kind.text, entry.spec.name));
    entry.spec.kind = read(none, entry);
    return entry;
  }
  if (settings->kind == YamlNode::Kind::mapping) {
    for (std::size_t i = 0; i < settings->children.size(); i += 2) {
      if (settings->children[i]->text == "name")
        entry.spec.name = read_name(document, *settings->children[i + 1], kind.text);
    }
  }
  const std::string what = fmt::format("{} '{}'", kind.text, entry.spec.name);
  YamlMap map(document, *settings, what);
  static_cast<void>(map.find("name"));
  if (const YamlNode* inputs = map.find("inputs"); inputs != nullptr) {
    if (inputs->kind != YamlNode::Kind::sequence) {
      throw document.error(
          *inputs, fmt::format("inputs of {} is {}, accepted is a list of operator names", what, describe(*inputs)));
    }
    entry.spec.inputs.emplace();
    for (const auto& input : inputs->children)
      entry.spec.inputs->push_back(yaml_text(document, *input, "inputs of " + what));
  }
  Settings in(&map, document, item, what);
  entry.spec.kind = read(in, entry);
  map.finish();
  return entry;
}

}  // namespace

std::vector<std::string> operator_kinds() {
  std::vector<std::string> kinds;
  for (const auto& [name, read] : readers()) kinds.push_back(name);
  return kinds;
}

OperatorEntry read_operator_settings(const YamlDocument& document, const YamlNode& item, const YamlNode& kind,
                                     YamlMap* map, const std::string& what) {
  OperatorEntry entry;
  entry.line = item.line;
  Settings in(map, document, item, what);
  entry.spec.kind = reader_of(document, kind)(in, entry);
  return entry;
}

std::vector<OperatorEntry> read_operators(const YamlDocument& document, const YamlNode& list) {
  if (list.kind != YamlNode::Kind::sequence || list.children.empty()) {
    throw document.error(list,
                         fmt::format("operators is {}, accepted is a list of at least one operator", describe(list)));
  }
  std::vector<OperatorEntry> entries;
  entries.reserve(list.children.size());
  for (std::size_t i = 0; i < list.children.size(); ++i)
    entries.push_back(read_operator(document, *list.children[i], i + 1));
  return entries;
}

}  // namespace upsweep

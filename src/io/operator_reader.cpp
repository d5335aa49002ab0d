#include "operator_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "torch_reader.hpp"
#include "upsweep/base/edit_distance.hpp"

namespace upsweep {
namespace {

/// Reads the settings that an operator names, from the mapping if there is one; see settings.hpp.
class SettingsReader {
 public:
  SettingsReader(YamlMap* map, const YamlDocument& document, const YamlNode& entry, std::string what,
                 IndexArrays& arrays)
      : map_(map), document_(document), entry_(entry), what_(std::move(what)), arrays_(arrays) {}

  void required(const char* key, auto& field) {
    const YamlNode* node = find(key);
    if (node == nullptr && map_ != nullptr) static_cast<void>(map_->require(key));  // throws
    if (node == nullptr) {
      throw document_.error(
          entry_, fmt::format("{} has no key '{}', found are none, accepted is a mapping with that key", what_, key));
    }
    read(key, *node, field, AtLeast{});
  }
  void setting(const char* key, auto& field) { read_found(key, field, AtLeast{}); }
  void setting(const char* key, auto& field, const auto& bounds) { read_found(key, field, bounds); }
  void setting(const char* key, double& field) { read_found(key, field, Between{}); }
  void setting_or(const char* key, PerAxis& field, const PerAxis& fallback) {
    field = fallback;
    setting(key, field);
  }
  template <class Field>
  void choice(const char* key, Field& field, std::initializer_list<const char*> texts) {
    const YamlNode* node = find(key);
    if (node == nullptr) return;
    const auto* found = std::find(texts.begin(), texts.end(), node->text);
    if (node->kind != YamlNode::Kind::scalar || found == texts.end())
      throw refused(key, *node, fmt::format("{}", fmt::join(texts, " or ")));
    field = static_cast<Field>(found - texts.begin());
  }
  void ignored(const char* key, auto fallback, const auto&... bounds) { setting(key, fallback, bounds...); }
  void only(const char* key, const std::string& accepted, const char* why) {
    const YamlNode* node = find(key);
    if (node != nullptr && (node->kind != YamlNode::Kind::scalar || node->text != accepted))
      throw refused(key, *node, fmt::format("{}: {}", accepted, why));
  }
  void input_size(const char* key) { setting(key, stated_input_); }

  [[nodiscard]] const std::optional<std::uint64_t>& stated_input() const { return stated_input_; }

 private:
  /// PyTorch's name of a kernel is taken, too.
  const YamlNode* find(const char* key) {
    if (map_ == nullptr) return nullptr;
    const YamlNode* found = map_->find(key);
    if (found != nullptr || std::string_view(key) != "kernel") return found;
    return map_->find("kernel_size");
  }

  void read_found(const char* key, auto& field, const auto& bounds) {
    if (const YamlNode* node = find(key); node != nullptr) read(key, *node, field, bounds);
  }
  void read(const char* key, const YamlNode& node, std::uint64_t& field, const AtLeast& least) const {
    field = yaml_integer(document_, node, name(key), least.size, kMaxSetting);
  }
  void read(const char* key, const YamlNode& node, std::optional<std::uint64_t>& field, const AtLeast& least) const {
    if (node.kind == YamlNode::Kind::null) return field.reset();
    read(key, node, field.emplace(), least);
  }
  void read(const char* key, const YamlNode& node, PerAxis& field, const AtLeast& least) const {
    const bool is_pair = node.kind == YamlNode::Kind::sequence && node.children.size() == 2;
    if (!is_pair && node.kind != YamlNode::Kind::scalar)
      throw refused(key, node, fmt::format("an integer of at least {}, or [y, x]", least.size));
    read(key, is_pair ? *node.children[0] : node, field.y, least);
    read(key, is_pair ? *node.children[1] : node, field.x, least);
  }
  void read(const char* key, const YamlNode& node, Shape& field, const AtLeast& least) const {
    field = numbers_of(key, node, least.size, kMaxElements);
  }
  /// A list, a .npy file, or {file, array}.
  void read(const char* key, const YamlNode& node, IndexList& field, const AtLeast&) const {
    if (node.kind == YamlNode::Kind::scalar) {
      const std::string file = yaml_text(document_, node, name(key));
      field = document_.at<InputError>(node, [&] { return arrays_.read(file, ""); });
      return;
    }
    if (node.kind == YamlNode::Kind::mapping) {
      YamlMap map(document_, node, name(key));
      const std::string file = map.text("file");
      const std::string array = map.text("array");
      map.finish();
      field = document_.at<InputError>(node, [&] { return arrays_.read(file, array); });
      return;
    }
    std::vector<std::uint32_t> numbers;
    for (const std::uint64_t number : numbers_of(key, node, 0, kMaxElements))
      numbers.push_back(static_cast<std::uint32_t>(number));
    field.numbers = std::make_shared<const std::vector<std::uint32_t>>(std::move(numbers));
  }
  [[nodiscard]] std::vector<std::uint64_t> numbers_of(const char* key, const YamlNode& node, std::uint64_t least,
                                                      std::uint64_t most) const {
    if (node.kind != YamlNode::Kind::sequence || node.children.empty()) throw refused(key, node, "a list of integers");
    std::vector<std::uint64_t> numbers;
    for (const auto& number : node.children)
      numbers.push_back(yaml_integer(document_, *number, name(key), least, most));
    return numbers;
  }
  void read(const char* key, const YamlNode& node, double& field, const Between& bounds) const {
    field = yaml_number(document_, node, name(key));
    if (field < bounds.least || field > bounds.most)
      throw refused(key, node, fmt::format("a number from {} to {}", bounds.least, bounds.most));
  }
  void read(const char* key, const YamlNode& node, bool& field, const AtLeast&) const {
    field = yaml_boolean(document_, node, name(key));
  }

  [[nodiscard]] std::string name(const char* key) const { return fmt::format("{} of {}", key, what_); }
  [[nodiscard]] InputError refused(const char* key, const YamlNode& node, const std::string& accepted) const {
    return document_.error(node, fmt::format("{} is {}, accepted is {}", name(key), describe(node), accepted));
  }

  YamlMap* map_;
  const YamlDocument& document_;
  const YamlNode& entry_;
  std::string what_;
  IndexArrays& arrays_;
  std::optional<std::uint64_t> stated_input_;
};

/// PyTorch's names of kinds that have another here.
std::string kind_text_of(const std::string& text) {
  static const std::map<std::string, std::string> names = {{"max_pool2d", "maxpool2d"},
                                                           {"avg_pool2d", "avgpool2d"},
                                                           {"adaptive_avg_pool2d", "adaptive_avgpool2d"},
                                                           {"batch_norm2d", "batchnorm2d"}};
  const auto found = names.find(text);
  return found == names.end() ? text : found->second;
}

OperatorKind kind_of(const YamlDocument& document, const YamlNode& kind, bool with_torch = false) {
  if (const std::optional<OperatorKind> found = find_kind(kind_text_of(kind.text))) return *found;
  std::vector<std::string> names = operator_kinds();
  for (const TorchOperator& one : torch_operators()) {
    if (with_torch && !find_kind(one.name)) names.emplace_back(one.name);
  }
  throw document.error(
      kind, fmt::format("the operator {} is not modelled{}", describe(kind), accepted_text(kind.text, names)));
}

/// The operator under PyTorch's name, or null for one of the kinds. Where there are both, PyTorch's is the one with
/// settings that the kind does not have.
const TorchOperator* torch_of(const KindEntry& parts) {
  const TorchOperator* torch = find_torch_operator(parts.kind.text);
  if (torch == nullptr || !find_kind(parts.kind.text)) return torch;
  if (parts.settings == nullptr || parts.settings->kind != YamlNode::Kind::mapping) return nullptr;
  for (std::size_t i = 0; i < parts.settings->children.size(); i += 2) {
    const auto names_it = [&](const TorchArgument& one) { return parts.settings->children[i]->text == one.key; };
    if (std::ranges::any_of(torch->arguments, names_it)) return torch;
  }
  return nullptr;
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

OperatorEntry read_operator(const YamlDocument& document, const YamlNode& item, std::size_t position,
                            IndexArrays& arrays) {
  const KindEntry parts = read_kind_entry(document, item, fmt::format("operator {}", position));
  const YamlNode& kind = parts.kind;
  const YamlNode* settings = parts.settings;
  const TorchOperator* torch = torch_of(parts);
  if (torch == nullptr) static_cast<void>(kind_of(document, kind, true));  // an unknown one is the first error

  std::string name = fmt::format("{}{}", kind.text, position);
  const auto read = [&](YamlMap* map) {
    const std::string what = fmt::format("{} '{}'", kind.text, name);
    OperatorEntry entry;
    if (torch == nullptr) {
      entry = read_operator_settings(document, item, kind, map, what, arrays);
    } else {
      entry.torch = torch;
      entry.arguments = read_torch_arguments(*torch, map, document, item, what);
      entry.line = item.line;
    }
    entry.spec.name = name;
    return entry;
  };
  if (settings == nullptr) return read(nullptr);
  if (settings->kind == YamlNode::Kind::mapping) {
    for (std::size_t i = 0; i < settings->children.size(); i += 2) {
      if (settings->children[i]->text == "name") name = read_name(document, *settings->children[i + 1], kind.text);
    }
  }
  const std::string what = fmt::format("{} '{}'", kind.text, name);
  YamlMap map(document, *settings, what);
  static_cast<void>(map.find("name"));
  std::optional<std::vector<std::string>> input_names;
  if (const YamlNode* inputs = map.find("inputs"); inputs != nullptr) {
    if (inputs->kind != YamlNode::Kind::sequence) {
      throw document.error(
          *inputs, fmt::format("inputs of {} is {}, accepted is a list of operator names", what, describe(*inputs)));
    }
    input_names.emplace();
    for (const auto& input : inputs->children) input_names->push_back(yaml_text(document, *input, "inputs of " + what));
  }
  OperatorEntry entry = read(&map);
  entry.spec.inputs = std::move(input_names);
  map.finish();
  return entry;
}

}  // namespace

KindEntry read_kind_entry(const YamlDocument& document, const YamlNode& item, const std::string& what) {
  if (item.kind == YamlNode::Kind::scalar) return {item, nullptr};
  if (item.kind != YamlNode::Kind::mapping || item.children.size() != 2) {
    throw document.error(item,
                         fmt::format("{} is {}, accepted is 'kind' or 'kind: {{settings}}'", what, describe(item)));
  }
  const YamlNode* settings = item.children[1].get();
  return {*item.children[0], settings->kind == YamlNode::Kind::null ? nullptr : settings};
}

Shape read_shape(const YamlDocument& document, const YamlNode& node, const std::string& what, std::uint64_t most,
                 bool any_rank) {
  constexpr std::size_t kMostAxes = 8;
  const std::size_t axes = node.kind == YamlNode::Kind::sequence ? node.children.size() : 0;
  if (any_rank ? axes == 0 || axes > kMostAxes : axes != 1 && axes != 3) {
    throw document.error(node, fmt::format("{} is {}, accepted is [channels, height, width] or [features]{}", what,
                                           describe(node), any_rank ? ", or up to 8 sizes" : ""));
  }
  Shape shape;
  for (const auto& axis : node.children) shape.push_back(yaml_integer(document, *axis, "a size of " + what, 1, most));
  return shape;
}

OperatorEntry read_operator_settings(const YamlDocument& document, const YamlNode& item, const YamlNode& kind,
                                     YamlMap* map, const std::string& what, IndexArrays& arrays) {
  OperatorEntry entry;
  entry.line = item.line;
  entry.spec.kind = kind_of(document, kind);
  SettingsReader in(map, document, item, what, arrays);
  std::visit([&](auto& settings) { settings.settings(settings, in); }, entry.spec.kind);
  entry.stated_input = in.stated_input();
  return entry;
}

std::vector<OperatorEntry> read_operators(const YamlDocument& document, const YamlNode& list) {
  std::vector<OperatorEntry> entries;
  IndexArrays arrays(std::filesystem::path(document.file).parent_path());
  for (const auto& item : yaml_list(document, list, "operators", "operator"))
    entries.push_back(read_operator(document, *item, entries.size() + 1, arrays));
  return entries;
}

}  // namespace upsweep

#include "yaml_edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "path_steps.hpp"
#include "quantity.hpp"
#include "upsweep/io/yaml_path.hpp"

namespace upsweep {
namespace {

using NodePtr = std::shared_ptr<const YamlNode>;

/// The units that a key's end is one of; empty where it is none.
std::span<const Unit> units_with(std::string_view name) {
  for (const std::span<const Unit> units :
       {std::span<const Unit>(kTimeUnits), std::span<const Unit>(kBandwidthUnits), std::span<const Unit>(kMemoryUnits),
        std::span<const Unit>(kComputeUnits), std::span<const Unit>(kFrequencyUnits),
        std::span<const Unit>(kCycleUnits)}) {
    if (std::any_of(units.begin(), units.end(), [&](const Unit& unit) { return unit.name == name; })) return units;
  }
  return {};
}

/// Where a mapping has the quantity of `key` in another unit, the place of its value.
std::optional<std::size_t> same_quantity(const YamlNode& mapping, std::string_view key) {
  const std::optional<QuantityKey> quantity = quantity_key(key);
  if (!quantity) return std::nullopt;
  for (std::size_t i = 0; i + 1 < mapping.children.size(); i += 2) {
    const std::string_view other = mapping.children[i]->text;
    if (!other.starts_with(quantity->name)) continue;
    const std::string_view unit = other.substr(quantity->name.size());
    if (std::any_of(quantity->units.begin(), quantity->units.end(), [&](const Unit& u) { return u.name == unit; }))
      return i + 1;
  }
  return std::nullopt;
}

NodePtr scalar_node(std::string text, int line) {
  auto node = std::make_shared<YamlNode>();
  node->kind = YamlNode::Kind::scalar;
  node->line = line;
  node->text = std::move(text);
  return node;
}

NodePtr mapping_node(NodePtr key, NodePtr value) {
  auto node = std::make_shared<YamlNode>();
  node->kind = YamlNode::Kind::mapping;
  node->line = key->line;
  node->children = {std::move(key), std::move(value)};
  return node;
}

NodePtr empty_mapping(int line) {
  auto node = std::make_shared<YamlNode>();
  node->kind = YamlNode::Kind::mapping;
  node->line = line;
  return node;
}

/// Copies the nodes on a path; each function returns null where nothing was edited below its node.
class PathEdit {
 public:
  PathEdit(const ScalarEdit& edit, OtherUnit other_unit) : edit_(edit), other_unit_(other_unit) {}

  [[nodiscard]] NodePtr below(const NodePtr& node, std::string_view path) const {
    if (path.empty()) return replaced(*node);
    const PathStep step = first_step(path);
    switch (node->kind) {
      case YamlNode::Kind::mapping:
        return step.is_key ? in_mapping(*node, step) : nullptr;
      case YamlNode::Kind::sequence:
        return step.is_key ? in_operators(*node, path) : in_list(*node, step);
      case YamlNode::Kind::null:
        return step.is_key && step.rest.empty() ? in_mapping(*empty_mapping(node->line), step) : nullptr;
      case YamlNode::Kind::scalar:
        return nullptr;
    }
    return nullptr;
  }

 private:
  [[nodiscard]] NodePtr replaced(const YamlNode& node) const {
    if (const YamlNode* value = quantity_value(node)) {
      NodePtr number = replaced(*value);
      return number == nullptr ? nullptr : with_child(node, *value_place(node, "value"), std::move(number));
    }
    std::optional<std::string> text = edit_(&node);
    return text ? scalar_node(*std::move(text), node.line) : nullptr;
  }

  static NodePtr with_child(const YamlNode& node, std::size_t place, NodePtr child) {
    auto copy = std::make_shared<YamlNode>(node);
    copy->children[place] = std::move(child);
    return copy;
  }

  [[nodiscard]] NodePtr in_mapping(const YamlNode& node, const PathStep& step) const {
    if (const auto place = value_place(node, step.key)) {
      NodePtr value = below(node.children[*place], step.rest);
      return value == nullptr ? nullptr : with_child(node, *place, std::move(value));
    }
    if (!step.rest.empty()) return nullptr;
    if (other_unit_ != OtherUnit::beside) {
      if (const auto place = same_quantity(node, step.key)) return in_other_unit(node, step.key, *place);
    }
    std::optional<std::string> text = edit_(nullptr);
    if (!text) return nullptr;
    auto copy = std::make_shared<YamlNode>(node);
    copy->children.push_back(scalar_node(std::string(step.key), node.line));
    copy->children.push_back(scalar_node(*std::move(text), node.line));
    return copy;
  }

  [[nodiscard]] NodePtr in_other_unit(const YamlNode& node, std::string_view key, std::size_t place) const {
    NodePtr value = replaced(*node.children[place]);
    if (value == nullptr) return nullptr;
    auto copy = std::make_shared<YamlNode>(node);
    copy->children[place] = std::move(value);
    if (other_unit_ == OtherUnit::replaced)
      copy->children[place - 1] = scalar_node(std::string(key), node.children[place - 1]->line);
    return copy;
  }

  [[nodiscard]] NodePtr in_list(const YamlNode& list, const PathStep& step) const {
    if (!step.is_all) {
      if (step.index >= list.children.size()) return nullptr;
      NodePtr item = in_item(list.children[step.index], step.rest);
      return item == nullptr ? nullptr : with_child(list, step.index, std::move(item));
    }
    std::shared_ptr<YamlNode> copy;
    for (std::size_t i = 0; i < list.children.size(); ++i) {
      NodePtr item = in_item(list.children[i], step.rest);
      if (item == nullptr) continue;
      if (copy == nullptr) copy = std::make_shared<YamlNode>(list);
      copy->children[i] = std::move(item);
    }
    return copy;
  }

  /// An item of a list, which may be an operator without settings: `- relu`.
  [[nodiscard]] NodePtr in_item(const NodePtr& item, std::string_view path) const {
    if (item->kind != YamlNode::Kind::scalar || path.empty()) return below(item, path);
    const PathStep step = first_step(path);
    return step.is_key && step.key == item->text && !step.rest.empty() ? in_settings(item, nullptr, step.rest)
                                                                       : nullptr;
  }

  [[nodiscard]] NodePtr in_operators(const YamlNode& list, std::string_view path) const {
    const auto found = operator_at(list, path);
    if (!found || found->rest.empty()) return nullptr;
    const NodePtr& item = list.children[found->index];
    const bool is_bare = item->kind == YamlNode::Kind::scalar;
    NodePtr changed =
        in_settings(is_bare ? item : item->children[0], is_bare ? nullptr : item->children[1], found->rest);
    return changed == nullptr ? nullptr : with_child(list, found->index, std::move(changed));
  }

  /// An operator `kind: settings` with its settings edited; null settings: it has none yet.
  [[nodiscard]] NodePtr in_settings(const NodePtr& kind, const NodePtr& settings, std::string_view path) const {
    NodePtr changed = below(settings == nullptr ? empty_mapping(kind->line) : settings, path);
    return changed == nullptr ? nullptr : mapping_node(kind, std::move(changed));
  }

  const ScalarEdit& edit_;
  OtherUnit other_unit_;
};

}  // namespace

std::optional<QuantityKey> quantity_key(std::string_view key) {
  const std::size_t split = key.rfind('_');
  if (split == std::string_view::npos) return std::nullopt;
  const std::span<const Unit> units = units_with(key.substr(split + 1));
  if (units.empty()) return std::nullopt;
  return QuantityKey{key.substr(0, split + 1), units};
}

std::optional<YamlDocument> yaml_edited(const YamlDocument& document, std::string_view path, const ScalarEdit& edit,
                                        OtherUnit other_unit) {
  check_path(path);
  NodePtr root = PathEdit(edit, other_unit).below(document.root, path);
  if (root == nullptr) return std::nullopt;
  return YamlDocument{document.file, std::move(root)};
}

std::invalid_argument no_such_path(const YamlDocument& document, const std::string& path) {
  const std::string nearest = nearest_path(document, path);
  return std::invalid_argument(
      nearest.empty() ? fmt::format("path '{}' does not exist, and {} has none", path, document.file)
                      : fmt::format("path '{}' does not exist, the nearest that does is '{}'", path, nearest));
}

}  // namespace upsweep

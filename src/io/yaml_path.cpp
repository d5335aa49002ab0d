#include "upsweep/io/yaml_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "path_steps.hpp"
#include "upsweep/base/edit_distance.hpp"
#include "yaml_edit.hpp"

namespace upsweep {
namespace {

// A suggestion out of this many is as good.
constexpr std::size_t kMostPaths = 5000;

void collect(const YamlNode& node, std::string_view path, std::vector<const YamlNode*>& found) {
  if (path.empty()) {
    const YamlNode* value = quantity_value(node);
    found.push_back(value == nullptr ? &node : value);
    return;
  }
  const PathStep step = first_step(path);
  if (node.kind == YamlNode::Kind::mapping && step.is_key) {
    if (const auto place = value_place(node, step.key)) collect(*node.children[*place], step.rest, found);
  } else if (node.kind == YamlNode::Kind::sequence && step.is_key) {
    const auto named = operator_at(node, path);
    if (!named || named->rest.empty()) return;
    const YamlNode& item = *node.children[named->index];
    if (item.kind == YamlNode::Kind::mapping) collect(*item.children[1], named->rest, found);
  } else if (node.kind == YamlNode::Kind::sequence) {
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      if (step.is_all || step.index == i) collect(*node.children[i], step.rest, found);
    }
  }
}

/// All paths of a document, each once.
class PathList {
 public:
  /// `all_items`: elements of lists as [*] and not one by one.
  explicit PathList(bool all_items) : all_items_(all_items) {}

  void add(const YamlNode& node, const std::string& path) {
    if (paths_.size() >= kMostPaths) return;
    if (node.kind == YamlNode::Kind::mapping && quantity_value(node) == nullptr) {
      for (std::size_t i = 0; i + 1 < node.children.size(); i += 2)
        add(*node.children[i + 1], path.empty() ? node.children[i]->text : path + '.' + node.children[i]->text);
    } else if (node.kind == YamlNode::Kind::sequence) {
      add_list(node, path);
    } else if (!path.empty() && seen_.insert(path).second) {
      paths_.push_back(path);
    }
  }

  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }

 private:
  void add_list(const YamlNode& list, const std::string& path) {
    const bool is_plain = std::all_of(list.children.begin(), list.children.end(), [](const auto& item) {
      return item->kind == YamlNode::Kind::scalar || item->kind == YamlNode::Kind::null;
    });
    if (is_plain && !path.empty() && seen_.insert(path).second) paths_.push_back(path);
    for (std::size_t i = 0; i < list.children.size() && paths_.size() < kMostPaths; ++i) {
      add(*list.children[i], all_items_ ? path + "[*]" : fmt::format("{}[{}]", path, i));
      if (is_plain) continue;
      const std::string name = operator_name(list, i);
      const YamlNode& item = *list.children[i];
      if (!name.empty() && item.kind == YamlNode::Kind::mapping)
        add(*item.children[1], fmt::format("{}.{}", path, name));
    }
  }

  bool all_items_;
  std::vector<std::string> paths_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

YamlDocument yaml_with(const YamlDocument& document, const std::string& path, const std::string& text) {
  auto edited = yaml_edited(
      document, path, [&](const YamlNode*) { return std::optional<std::string>(text); }, OtherUnit::beside);
  if (!edited) throw no_such_path(document, path);
  return *std::move(edited);
}

std::vector<const YamlNode*> yaml_at(const YamlDocument& document, const std::string& path) {
  check_path(path);
  std::vector<const YamlNode*> found;
  collect(*document.root, path, found);
  return found;
}

std::string nearest_path(const YamlDocument& document, const std::string& path) {
  PathList list(path.find("[*]") != std::string::npos);
  list.add(*document.root, "");
  return list.paths().empty() ? "" : nearest_name(path, list.paths());
}

}  // namespace upsweep

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "path_steps.hpp"
#include "study_readers.hpp"
#include "upsweep/io/study_file.hpp"
#include "upsweep/io/yaml_path.hpp"
#include "yaml_edit.hpp"

namespace upsweep {
namespace {

/// Finds the fields that a path leads to, there or to be made, each by the one path that all spellings come to:
/// elements of lists by their position, quantities by their base unit.
class FieldWalk {
 public:
  FieldWalk(const YamlDocument& document, const PathTarget& target) : is_machine_(target.is_machine) {
    const std::string path = is_machine_ ? machine_path(target.below) : target.below;
    check_path(path);
    below(*document.root, path, "");
  }

  [[nodiscard]] const std::vector<std::string>& fields() const { return fields_; }

 private:
  void below(const YamlNode& node, std::string_view path, const std::string& so_far) {
    if (path.empty()) {
      fields_.push_back(so_far);
      return;
    }
    const PathStep step = first_step(path);
    switch (node.kind) {
      case YamlNode::Kind::mapping:
      case YamlNode::Kind::null:
        if (step.is_key) in_mapping(node, step, so_far);
        return;
      case YamlNode::Kind::sequence:
        if (step.is_key) {
          in_operators(node, path, so_far);
        } else {
          in_list(node, step, so_far);
        }
        return;
      case YamlNode::Kind::scalar:
        return;
    }
  }

  void in_mapping(const YamlNode& node, const PathStep& step, const std::string& so_far) {
    const bool is_quantity = quantity_value(node) != nullptr && step.key == "value";
    const std::string field = is_quantity ? so_far : fmt::format("{}.{}", so_far, name_of(step.key));
    if (const auto place = value_place(node, step.key)) {
      below(*node.children[*place], step.rest, field);
    } else if (step.rest.empty()) {
      fields_.push_back(field);
    }
  }

  void in_list(const YamlNode& list, const PathStep& step, const std::string& so_far) {
    for (std::size_t i = 0; i < list.children.size(); ++i) {
      if (!step.is_all && step.index != i) continue;
      const YamlNode& item = *list.children[i];
      const std::string field = fmt::format("{}[{}]", so_far, i);
      if (item.kind != YamlNode::Kind::scalar || step.rest.empty()) {
        below(item, step.rest, field);
        continue;
      }
      const PathStep kind = first_step(step.rest);  // of an operator without settings: `- relu`
      if (kind.is_key && kind.key == item.text && !kind.rest.empty())
        below(YamlNode{}, kind.rest, fmt::format("{}.{}", field, item.text));
    }
  }

  void in_operators(const YamlNode& list, std::string_view path, const std::string& so_far) {
    const auto found = operator_at(list, path);
    if (!found || found->rest.empty()) return;
    const YamlNode& item = *list.children[found->index];
    const bool is_bare = item.kind == YamlNode::Kind::scalar;
    const std::string& kind = is_bare ? item.text : item.children[0]->text;
    below(is_bare ? YamlNode{} : *item.children[1], found->rest, fmt::format("{}[{}].{}", so_far, found->index, kind));
  }

  [[nodiscard]] std::string name_of(std::string_view key) const {
    const auto quantity = is_machine_ ? quantity_key(key) : std::nullopt;
    return quantity ? fmt::format("{}{}", quantity->name, quantity->units.front().name) : std::string(key);
  }

  bool is_machine_;
  std::vector<std::string> fields_;
};

/// The fields of a path in all documents that points are made of.
std::vector<std::string> fields_of(const StudyDocuments& documents, const std::string& path) {
  std::vector<std::string> fields;
  const PathTarget target = path_target(path);
  if (target.below.empty()) return fields;
  const std::vector<YamlDocument>& all = target.is_model ? documents.models : documents.machines;
  // An axis over whole documents leaves nothing of the base.
  for (std::size_t i = all.size() > 1 ? 1 : 0; i < all.size(); ++i) {
    const FieldWalk walk(all[i], target);
    for (const std::string& field : walk.fields())
      fields.push_back(fmt::format("{} {}{}", target.is_model ? "model" : "machine", i, field));
  }
  return fields;
}

bool is_whole(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return true;
    case YamlNode::Kind::scalar: {
      const std::string_view digits = std::string_view(node.text).substr(node.text.starts_with('-') ? 1 : 0);
      return !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    }
    case YamlNode::Kind::sequence:
      return std::all_of(node.children.begin(), node.children.end(), [](const auto& item) { return is_whole(*item); });
    case YamlNode::Kind::mapping:
      return false;
  }
  return false;
}

/// Whether the last key of a machine's path ends in a unit; of "memory_GiB.value" the one before.
bool has_unit(std::string_view path) {
  constexpr std::string_view kValue = ".value";
  if (path.ends_with(kValue)) path.remove_suffix(kValue.size());
  return quantity_key(path.substr(path.find_last_of(".]") + 1)).has_value();
}

}  // namespace

PathTarget path_target(const std::string& path) {
  for (const std::string_view root : {"model", "machine"}) {
    if (!path.starts_with(root)) continue;
    const std::string_view rest = std::string_view(path).substr(root.size());
    if (!rest.empty() && rest.front() != '.') continue;
    return {root == "model", root == "machine", std::string(rest.empty() ? rest : rest.substr(1))};
  }
  return {};
}

std::optional<std::string> AxisFields::add(const std::string& path) {
  std::optional<std::string> other = other_path(path);
  for (std::string& field : fields_of(documents_, path)) paths_.emplace(std::move(field), path);
  return other;
}

std::optional<std::string> AxisFields::other_path(const std::string& path) const {
  const auto other_at = [&](const auto& found) { return found != paths_.end() && found->second != path; };
  for (const std::string& field : fields_of(documents_, path)) {
    for (std::size_t end = field.find_first_of(".["); end != std::string::npos;) {
      end = field.find_first_of(".[", end + 1);
      const auto found = paths_.find(field.substr(0, end));
      if (other_at(found)) return found->second;
    }
    for (const char next : {'.', '['}) {
      const std::string start = field + next;
      const auto found = paths_.lower_bound(start);
      if (other_at(found) && found->first.starts_with(start)) return found->second;
    }
  }
  return std::nullopt;
}

bool is_count(const StudyFile& study, const AxisColumn& column) {
  if (column.is_factor) return false;
  const std::string path = plain_path(column.path);
  const PathTarget target = path_target(path);
  if (!target.is_model && !target.is_machine) return path == "workers" || path == "batch";
  if (target.below.empty() || (target.is_machine && has_unit(target.below))) return false;
  if (target.is_machine && !study.machine) return true;
  const std::vector<const YamlNode*> nodes = yaml_at(target.is_model ? study.model : *study.machine, target.below);
  return std::all_of(nodes.begin(), nodes.end(), [](const YamlNode* node) { return is_whole(*node); });
}

}  // namespace upsweep

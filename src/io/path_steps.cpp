#include "path_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace upsweep {
namespace {

[[noreturn]] void refuse(std::string_view path, std::size_t place, const char* why) {
  throw std::invalid_argument(
      fmt::format("'{}' is no path, {} at character {}, accepted are keys joined by points, "
                  "with [i] or [*] for the elements of a list: 'operators[0].conv2d.kernel'",
                  path, why, place + 1));
}

/// Position behind the bracket that opens at `open`.
std::size_t close_bracket(std::string_view path, std::size_t open) {
  const std::size_t close = path.find(']', open);
  if (close == std::string_view::npos) refuse(path, open, "a bracket is not closed");
  const std::string_view inside = path.substr(open + 1, close - open - 1);
  const bool is_number = !inside.empty() && inside.size() < 10 &&
                         std::all_of(inside.begin(), inside.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number && inside != "*") refuse(path, open, "brackets hold neither a position from 0 nor *");
  return close + 1;
}

std::string_view without_point(std::string_view rest) { return rest.starts_with('.') ? rest.substr(1) : rest; }

}  // namespace

void check_path(std::string_view path) {
  if (path.empty()) refuse(path, 0, "nothing is there");
  for (std::size_t i = 0; i < path.size();) {
    if (path[i] == '[') {
      i = close_bracket(path, i);
    } else {
      const std::size_t end = std::min(path.find_first_of(".[", i), path.size());
      if (end == i) refuse(path, i, "a key is empty");
      if (path.substr(i, end - i).find(']') != std::string_view::npos) refuse(path, i, "a bracket is not opened");
      i = end;
    }
    if (i == path.size() || path[i] == '[') continue;
    if (path[i] != '.') refuse(path, i, "a point is missing");
    ++i;
    if (i == path.size() || path[i] == '[') refuse(path, i - 1, "a key is empty");
  }
}

PathStep first_step(std::string_view path) {
  PathStep step;
  if (path.front() == '[') {
    const std::size_t close = path.find(']');
    step.is_all = path[1] == '*';
    if (!step.is_all) std::from_chars(path.data() + 1, path.data() + close, step.index);
    step.rest = without_point(path.substr(close + 1));
    return step;
  }
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  step.is_key = true;
  step.key = path.substr(0, end);
  step.rest = without_point(path.substr(end));
  return step;
}

std::optional<std::size_t> value_place(const YamlNode& mapping, std::string_view key) {
  for (std::size_t i = 0; i + 1 < mapping.children.size(); i += 2) {
    if (mapping.children[i]->text == key) return i + 1;
  }
  return std::nullopt;
}

const YamlNode* quantity_value(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::mapping || node.children.size() != 4) return nullptr;
  const auto value = value_place(node, "value");
  return value && value_place(node, "source") ? node.children[*value].get() : nullptr;
}

std::string operator_name(const YamlNode& list, std::size_t index) {
  const YamlNode& item = *list.children[index];
  if (item.kind == YamlNode::Kind::scalar) return fmt::format("{}{}", item.text, index + 1);
  if (item.kind != YamlNode::Kind::mapping || item.children.size() != 2) return {};
  const YamlNode& settings = *item.children[1];
  if (settings.kind == YamlNode::Kind::mapping) {
    if (const auto name = value_place(settings, "name")) return settings.children[*name]->text;
  } else if (settings.kind != YamlNode::Kind::null) {
    return {};
  }
  return fmt::format("{}{}", item.children[0]->text, index + 1);
}

std::optional<NamedOperator> operator_at(const YamlNode& list, std::string_view path) {
  std::optional<NamedOperator> found;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < list.children.size(); ++i) {
    const std::string name = operator_name(list, i);
    if (name.size() <= longest || !path.starts_with(name)) continue;
    const std::string_view rest = path.substr(name.size());
    if (!rest.empty() && rest.front() != '.' && rest.front() != '[') continue;
    longest = name.size();
    found = NamedOperator{i, without_point(rest)};
  }
  return found;
}

}  // namespace upsweep

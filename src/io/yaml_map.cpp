#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "quoted.hpp"
#include "upsweep/base/edit_distance.hpp"
#include "upsweep/io/yaml.hpp"

namespace upsweep {
namespace {

/// What a file with these keys at its top is and who takes it, where that is clear and something else than `wanted`.
std::string kind_of_file(const std::vector<std::string>& keys, const std::string& wanted) {
  struct Kind {
    const char* key;
    const char* word;  ///< of what asks for such a file
    const char* text;
  };
  constexpr std::array kKinds = {Kind{"rates", "machine", "a machine file, which `machine` takes"},
                                 Kind{"bandwidth_GBps", "link", "a link file, which `link` of a training file takes"},
                                 Kind{"axes", "study", "a study file, which `study` takes"},
                                 Kind{"train", "train file", "a train file, which `train` takes"},
                                 Kind{"policies", "training", "a training file, which `training` takes"},
                                 Kind{"operators", "model", "a model file, which `profile` and `search` take"},
                                 Kind{"recurrent", "model", "a model file, which `profile` and `search` take"}};
  for (const Kind& kind : kKinds) {
    if (std::ranges::find(keys, kind.key) == keys.end()) continue;
    return wanted.find(kind.word) == std::string::npos ? fmt::format(" (the file looks like {})", kind.text) : "";
  }
  return "";
}

}  // namespace

YamlMap::YamlMap(const YamlDocument& document, const YamlNode& node, std::string what)
    : document_(document), node_(node), what_(std::move(what)) {
  if (node.kind != YamlNode::Kind::mapping)
    throw document.error(node, fmt::format("{} is {}, accepted is a mapping of keys to values", what_, describe(node)));
}

const YamlNode* YamlMap::find(const std::string& key) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.push_back(key);
  for (std::size_t i = 0; i < node_.children.size(); i += 2) {
    if (node_.children[i]->text == key) return node_.children[i + 1].get();
  }
  return nullptr;
}

const YamlNode& YamlMap::require(const std::string& key) {
  const YamlNode* value = find(key);
  if (value != nullptr) return *value;
  std::vector<std::string> found;
  std::string hint;
  for (std::size_t i = 0; i < node_.children.size(); i += 2) {
    found.push_back(excerpt(node_.children[i]->text));
    if (std::ranges::find(asked_, found.back()) != asked_.end()) continue;
    // With a unit behind it, too.
    const bool has_end = found.back().starts_with(key + '_');
    const std::string near = has_end ? fmt::format(": did you mean {}?", key) : hint_of(found.back(), {key});
    if (!near.empty()) hint = fmt::format(", but '{}'{}", found.back(), near);
  }
  if (&node_ == document_.root.get()) {
    if (const std::string kind = kind_of_file(found, what_); !kind.empty()) hint = kind;
  }
  throw document_.error(
      node_, fmt::format("{} has no key '{}'{}, found are {}, accepted is a mapping with that key", what_, key, hint,
                         found.empty() ? "none" : fmt::format("{}", fmt::join(found, ", "))));
}

std::optional<std::string> YamlMap::find_text(const std::string& key) {
  return find(key) != nullptr ? std::optional(text(key)) : std::nullopt;
}

std::optional<double> YamlMap::find_number(const std::string& key) {
  return find(key) != nullptr ? std::optional(number(key)) : std::nullopt;
}

std::optional<bool> YamlMap::find_boolean(const std::string& key) {
  const YamlNode* node = find(key);
  return node != nullptr ? std::optional(yaml_boolean(document_, *node, name(key))) : std::nullopt;
}

std::optional<std::uint64_t> YamlMap::find_integer(const std::string& key, std::uint64_t least, std::uint64_t most) {
  return find(key) != nullptr ? std::optional(integer(key, least, most)) : std::nullopt;
}

std::string YamlMap::name_or_stem() {
  return find_text("name").value_or(std::filesystem::path(document_.file).stem().string());
}

void YamlMap::finish() const {
  for (std::size_t i = 0; i < node_.children.size(); i += 2) {
    const YamlNode& key = *node_.children[i];
    if (std::find(asked_.begin(), asked_.end(), key.text) != asked_.end()) continue;
    throw document_.error(
        key, fmt::format("unknown key '{}' in {}{}", excerpt(key.text), what_, accepted_text(key.text, asked_)));
  }
}

}  // namespace upsweep

#include "quantity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace upsweep {
namespace {

/// "bandwidth_Bps, bandwidth_KBps, ...".
std::string accepted_keys(const std::string& name, std::span<const Unit> units) {
  std::vector<std::string> keys;
  for (const Unit& unit : units) keys.push_back(name + '_' + unit.name);
  return fmt::format("{}", fmt::join(keys, ", "));
}

/// The unit that a key gives to the quantity, empty where it has none; nothing where it is a key of something else.
std::optional<std::string> unit_in(const std::string& key, const std::string& name) {
  if (key == name) return "";
  if (!key.starts_with(name + '_')) return std::nullopt;
  const std::string unit = key.substr(name.size() + 1);
  // No unit has an underscore: "team" is not the name in "team_step_s".
  if (unit.find('_') != std::string::npos) return std::nullopt;
  return unit;
}

}  // namespace

QuantityReader::QuantityReader(YamlMap& map, std::string where, std::map<std::string, std::string>& sources)
    : map_(map), where_(std::move(where)), sources_(sources) {}

std::optional<double> QuantityReader::find(const std::string& name, std::span<const Unit> units, Accepted accepted) {
  const auto& children = map_.node().children;
  const YamlNode* key = nullptr;
  const YamlNode* value = nullptr;
  const Unit* unit = nullptr;
  for (std::size_t i = 0; i < children.size(); i += 2) {
    const auto suffix = unit_in(children[i]->text, name);
    if (!suffix) continue;
    const auto known = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == *suffix; });
    if (known == units.end()) {
      throw map_.document().error(
          *children[i], fmt::format("{} has {} unit, accepted are {}", map_.name("key " + describe(*children[i])),
                                    suffix->empty() ? "no" : "an unknown", accepted_keys(name, units)));
    }
    if (key != nullptr) {
      throw map_.document().error(*children[i], fmt::format("{} is the same quantity as {}, accepted is one of them",
                                                            map_.name(children[i]->text), key->text));
    }
    key = children[i].get();
    value = children[i + 1].get();
    unit = &*known;
  }
  // Marks the key as known; where there is none, its plainest form stands for it in lists of accepted keys.
  static_cast<void>(map_.find(key == nullptr ? name + '_' + units.front().name : key->text));
  if (key == nullptr) return std::nullopt;
  const YamlNode& number = number_of(key->text, name, *value);
  const double base = yaml_number(map_.document(), number, map_.name(key->text)) * unit->factor / unit->divisor;
  if (base < accepted.least || base > accepted.most) {
    throw map_.document().error(
        number, fmt::format("{} is {}, accepted is {}", map_.name(key->text), describe(number), accepted.text));
  }
  return base;
}

double QuantityReader::require(const std::string& name, std::span<const Unit> units, Accepted accepted) {
  const auto value = find(name, units, accepted);
  if (!value) throw missing(name, units);
  return *value;
}

std::optional<std::uint64_t> QuantityReader::find_count(const std::string& name, std::uint64_t least) {
  const YamlNode* node = map_.find(name);
  if (node == nullptr) return std::nullopt;
  return yaml_integer(map_.document(), number_of(name, name, *node), map_.name(name), least);
}

InputError QuantityReader::missing(const std::string& name, std::span<const Unit> units) const {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < map_.node().children.size(); i += 2) found.push_back(describe(*map_.node().children[i]));
  return map_.document().error(
      map_.node(),
      fmt::format("{} is missing, found are {}, accepted are {}", map_.name(name),
                  found.empty() ? "no keys" : fmt::format("{}", fmt::join(found, ", ")), accepted_keys(name, units)));
}

const YamlNode& QuantityReader::number_of(const std::string& key, const std::string& name, const YamlNode& node) {
  if (node.kind != YamlNode::Kind::mapping) return node;
  YamlMap map(map_.document(), node, map_.name(key));
  const YamlNode& value = map.require("value");
  const YamlNode& source = map.require("source");
  map.finish();
  sources_[where_.empty() ? name : where_ + '.' + name] =
      yaml_text(map_.document(), source, "source of " + map_.name(key));
  return value;
}

}  // namespace upsweep

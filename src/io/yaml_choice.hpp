#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

#include "upsweep/io/yaml.hpp"

namespace upsweep {

/// The place of a text of a file among the names that are accepted there. Throws InputError: "kind of x is 'dence': did
/// you mean dense?, accepted are dense, banded".
std::size_t yaml_choice(const YamlDocument& document, const YamlNode& node, const std::string& what,
                        const std::vector<std::string>& names);

/// The one of some values that is named there, by the names that to_string() gives them. Throws as the above.
template <class T>
[[nodiscard]] T yaml_value(const YamlDocument& document, const YamlNode& node, const std::string& what,
                           std::initializer_list<T> values) {
  std::vector<std::string> names;
  for (const T value : values) names.emplace_back(to_string(value));
  return values.begin()[yaml_choice(document, node, what, names)];
}

}  // namespace upsweep

#include "yaml_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upsweep/base/edit_distance.hpp"

namespace upsweep {

std::size_t yaml_choice(const YamlDocument& document, const YamlNode& node, const std::string& what,
                        const std::vector<std::string>& names) {
  const std::string text = yaml_text(document, node, what);
  const auto place = std::ranges::find(names, text);
  if (place == names.end())
    throw document.error(node, fmt::format("{} is {}{}", what, describe(node), accepted_text(text, names)));
  return static_cast<std::size_t>(place - names.begin());
}

}  // namespace upsweep

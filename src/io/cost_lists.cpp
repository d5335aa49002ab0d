#include "cost_lists.hpp"

#include <fmt/format.h>

namespace upsweep {

double read_number(const YamlDocument& document, const YamlNode& node, const std::string& what, NumberSign sign) {
  const double number = yaml_number(document, node, what);
  const bool is_wrong = sign == NumberSign::positive ? number <= 0 : sign == NumberSign::not_negative && number < 0;
  if (is_wrong) {
    throw document.error(node, fmt::format("{} is {}, accepted is a number {} 0", what, node.text,
                                           sign == NumberSign::positive ? "above" : "of at least"));
  }
  return number;
}

const std::vector<std::shared_ptr<const YamlNode>>& read_sequence(const YamlDocument& document, const YamlNode& node,
                                                                  const std::string& what) {
  if (node.kind != YamlNode::Kind::sequence)
    throw document.error(node, fmt::format("{} is {}, accepted is a list", what, describe(node)));
  return node.children;
}

std::vector<double> read_numbers(const YamlDocument& document, const YamlNode& node, const std::string& what,
                                 std::size_t count, NumberSign sign, bool ignores_first) {
  if (node.kind == YamlNode::Kind::scalar) return std::vector<double>(count, read_number(document, node, what, sign));
  const auto& entries = read_sequence(document, node, what + " (or one number for all)");
  if (entries.size() != count)
    throw document.error(node, fmt::format("{} has {} entries, accepted are {}", what, entries.size(), count));
  std::vector<double> numbers;
  numbers.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const NumberSign of_this = i == 0 && ignores_first ? NumberSign::any : sign;
    numbers.push_back(read_number(document, *entries[i], fmt::format("entry {} of {}", i + 1, what), of_this));
  }
  return numbers;
}

std::vector<double> read_list(YamlMap& map, const std::string& key, std::size_t count, NumberSign sign,
                              std::optional<double> otherwise, bool ignores_first) {
  const YamlNode* node = otherwise ? map.find(key) : &map.require(key);
  if (node == nullptr) return std::vector<double>(count, *otherwise);
  return read_numbers(map.document(), *node, map.name(key), count, sign, ignores_first);
}

}  // namespace upsweep

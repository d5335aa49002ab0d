#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/io/yaml.hpp"

namespace upsweep {

/// What numbers of a list may be.
enum class NumberSign : std::uint8_t { positive, not_negative, any };

/// A finite number of that sign. Throws InputError at the node.
[[nodiscard]] double read_number(const YamlDocument& document, const YamlNode& node, const std::string& what,
                                 NumberSign sign);

/// `count` numbers: a list of them, or one number for all. With `ignores_first` the first is not looked at but for
/// being a number, and may be anything finite. Throws InputError that names length, entry and number.
[[nodiscard]] std::vector<double> read_numbers(const YamlDocument& document, const YamlNode& node,
                                               const std::string& what, std::size_t count, NumberSign sign,
                                               bool ignores_first = false);

/// The list under a key, or `count` times `otherwise` where the key is missing; required without `otherwise`.
[[nodiscard]] std::vector<double> read_list(YamlMap& map, const std::string& key, std::size_t count, NumberSign sign,
                                            std::optional<double> otherwise = std::nullopt, bool ignores_first = false);

/// Children of a list. Throws InputError where the node is none.
[[nodiscard]] const std::vector<std::shared_ptr<const YamlNode>>& read_sequence(const YamlDocument& document,
                                                                                const YamlNode& node,
                                                                                const std::string& what);

}  // namespace upsweep

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "upsweep/io/yaml.hpp"

namespace upsweep {

/// A step of a path and what is left behind it.
struct PathStep {
  bool is_key = false;
  bool is_all = false;    ///< [*]
  std::string_view key;   ///< where is_key
  std::size_t index = 0;  ///< of [i]
  std::string_view rest;  ///< empty: this is the last step
};

/// Throws std::invalid_argument, in a sentence for users, for what is no path.
void check_path(std::string_view path);

/// The first step of a checked path that is not empty.
[[nodiscard]] PathStep first_step(std::string_view path);

/// Where the value of a key stands among the children of a mapping; nothing where it lacks the key.
[[nodiscard]] std::optional<std::size_t> value_place(const YamlNode& mapping, std::string_view key);

/// The number of a quantity `{value: 3, source: "..."}`; null where the node is none.
[[nodiscard]] const YamlNode* quantity_value(const YamlNode& node);

/// The name of an operator in a list of them, given or made from kind and position as its reader does; empty where the
/// item is no operator.
[[nodiscard]] std::string operator_name(const YamlNode& list, std::size_t index);

/// An operator that a path begins with, by its name, and what is left of the path.
struct NamedOperator {
  std::size_t index = 0;
  std::string_view rest;
};

/// The operator of a list with the longest name that the path begins with (names may have points in them).
[[nodiscard]] std::optional<NamedOperator> operator_at(const YamlNode& list, std::string_view path);

}  // namespace upsweep

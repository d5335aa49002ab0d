#pragma once

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "importer.hpp"

namespace upsweep {

/// An attribute of a node that is made here.
using NodeAttribute =
    std::pair<const char*,
              std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<std::string>>>;

/// What a node that no file has gives: its first output. Throws std::invalid_argument.
[[nodiscard]] OnnxValue made_node(const char* type, const std::vector<NodeAttribute>& attributes,
                                  std::vector<std::optional<OnnxValue>> inputs, NetworkBuilder& builder);

/// The same of constants alone.
[[nodiscard]] OnnxValue folded_node(const char* type, const std::vector<NodeAttribute>& attributes,
                                    std::vector<std::optional<OnnxValue>> inputs);

/// Numbers as a constant of one axis.
[[nodiscard]] OnnxValue constant_value(std::vector<double> values, bool is_integer = false);

}  // namespace upsweep

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "quantity.hpp"
#include "upsweep/io/yaml.hpp"

namespace upsweep {

/// The text of the scalar that comes in place of what stands at a path; null: its last key is not there yet. Nothing
/// leaves that place as it is.
using ScalarEdit = std::function<std::optional<std::string>(const YamlNode* there)>;

/// A key that ends in the name of a unit, in two.
struct QuantityKey {
  std::string_view name;        ///< with the underscore: "op_latency_" of "op_latency_us"
  std::span<const Unit> units;  ///< of what it measures, the base unit first
};

/// Nothing where a key does not end in a unit.
[[nodiscard]] std::optional<QuantityKey> quantity_key(std::string_view key);

/// What becomes of a quantity that stands under the last key of a path, but in another unit.
enum class OtherUnit : std::uint8_t {
  beside,    ///< it is another key
  replaced,  ///< it gets the path's unit with its new value
  kept,      ///< its own unit stays
};

/// yaml_with() by a function; nothing where no place was edited. Throws std::invalid_argument for bad syntax.
[[nodiscard]] std::optional<YamlDocument> yaml_edited(const YamlDocument& document, std::string_view path,
                                                      const ScalarEdit& edit, OtherUnit other_unit);

/// The error of a path without a place in the document.
[[nodiscard]] std::invalid_argument no_such_path(const YamlDocument& document, const std::string& path);

}  // namespace upsweep

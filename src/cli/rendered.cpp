#include "upsweep/cli/rendered.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace upsweep::cli {
namespace {

constexpr std::size_t kManyRows = 1000;

Json keys_of(const Json& object) {
  Json keys = Json::array();
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

/// Many objects of the same keys in the same order.
bool is_long_table(const Json& value) {
  if (!value.is_array() || value.size() < kManyRows || !value.front().is_object()) return false;
  const auto& first = value.front().get_ref<const Json::object_t&>();
  return std::ranges::all_of(value, [&](const Json& row) {
    return row.is_object() &&
           std::ranges::equal(row.get_ref<const Json::object_t&>(), first, {}, &Json::object_t::value_type::first,
                              &Json::object_t::value_type::first);
  });
}

Json packed_table(Json rows) {
  Json columns = keys_of(rows.front());
  for (Json& row : rows) {
    Json cells = Json::array();
    for (auto& [key, value] : row.get_ref<Json::object_t&>()) cells.push_back(std::move(value));
    row = std::move(cells);
  }
  return {{"columns", std::move(columns)}, {"cells", std::move(rows)}};
}

Json packed(Json json) {
  if (!json.is_object()) return json;
  for (auto& [key, value] : json.get_ref<Json::object_t&>())
    if (is_long_table(value)) value = packed_table(std::move(value));
  return json;
}

}  // namespace

std::string rendered(const Document& document, const std::string& format, const TextStyle& style) {
  if (format == "json") return document.json().dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
  if (format == "packed") return packed(document.json()).dump(-1, ' ', false, Json::error_handler_t::replace);
  return format == "csv" ? document.csv() : document.text(style);
}

}  // namespace upsweep::cli

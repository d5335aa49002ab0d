#include "coordinates.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace upsweep {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Passes over digits; how many there were.
std::size_t skip_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
  text.remove_prefix(count);
  return count;
}

/// Whether the text is a number as JSON writes it, which YAML is freer about.
bool is_json_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool starts_with_zero = text.starts_with('0');
  const std::size_t whole = skip_digits(text);
  if (whole == 0 || (starts_with_zero && whole > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (skip_digits(text) == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (skip_digits(text) == 0) return false;
  }
  return text.empty();
}

void append_value(std::string& out, const AxisValue& value) {
  if (!value.number || !std::isfinite(*value.number)) {
    out += quoted(value.text);
  } else if (is_json_number(value.text)) {
    out += value.text;
  } else {
    out += fmt::format("{}", *value.number);
  }
}

}  // namespace

PointValues::PointValues(const StudySpec& spec, const Grid& grid, std::uint64_t position,
                         const std::optional<Replaced>& replaced)
    : spec_(spec), grid_(grid), position_(position), replaced_(replaced) {
  if (!replaced) return;
  if (replaced->axis >= spec.axes.size() || spec.axes[replaced->axis].columns.size() != 1) {
    throw std::logic_error("a number may replace the value of an axis with one column only");
  }
  replacement_ = axis_value(replaced->value);
}

CoordinatesWriter::CoordinatesWriter(const StudySpec& spec) {
  for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
    const Axis& one = spec.axes[axis];
    for (std::size_t column = 0; column < one.columns.size(); ++column) {
      const std::string& key = one.columns.size() == 1 ? one.name : one.columns[column].path;
      entries_.push_back({quoted(key) + ':', {axis, column}});
    }
  }
}

std::string CoordinatesWriter::json(const PointValues& values) const {
  std::string out;
  out.reserve(32 * (entries_.size() + 1));
  out += '{';
  for (const Entry& entry : entries_) {
    if (out.size() > 1) out += ',';
    out += entry.key;
    append_value(out, values.of(entry.place));
  }
  out += '}';
  return out;
}

}  // namespace upsweep

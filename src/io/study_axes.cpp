#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "study_readers.hpp"

namespace upsweep {
namespace {

/// A column, its path's place, and whether its values are all different by the way they are made.
struct PlacedColumn {
  AxisColumn column;
  const YamlNode* path = nullptr;
  bool is_range = false;
};

const YamlNode& list_of(const YamlDocument& document, const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::sequence) {
    throw document.error(node, fmt::format("{} is {}, accepted is a list of at least one value", what, describe(node)));
  }
  if (node.children.empty()) {
    throw document.error(
        node, fmt::format("{} is empty, and so is the grid; accepted is a list of at least one value", what));
  }
  return node;
}

std::vector<AxisValue> read_values(const YamlDocument& document, const YamlNode& node, const std::string& what) {
  std::vector<AxisValue> values;
  for (const auto& item : list_of(document, node, what).children)
    values.push_back(scalar_value(document, *item, "a value of " + what));
  return values;
}

std::vector<AxisValue> read_factors(const YamlDocument& document, const YamlNode& node, const std::string& what) {
  std::vector<AxisValue> values = read_values(document, node, what);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].number.value_or(0) > 0) continue;
    throw document.error(*node.children[i], fmt::format("a value of {} is {}, accepted is a finite number above 0",
                                                        what, describe(*node.children[i])));
  }
  return values;
}

std::vector<AxisValue> read_range(const YamlDocument& document, const YamlNode& node, const std::string& what) {
  YamlMap map(document, node, what);
  const double from = map.number("from");
  const double to = map.number("to");
  const double step = map.find_number("step").value_or(1);
  map.finish();
  return document.at(node, [&] { return arithmetic_range(from, to, step); });
}

std::vector<AxisValue> read_geometric(const YamlDocument& document, const YamlNode& node, const std::string& what) {
  YamlMap map(document, node, what);
  const double from = map.number("from");
  const double to = map.number("to");
  const std::uint64_t count = map.integer("count");
  map.finish();
  return document.at(node, [&] { return geometric_range(from, to, count); });
}

/// `path` and one of values, range, geometric and factor; other keys of `map` are the caller's.
PlacedColumn read_column(YamlMap& map) {
  const YamlDocument& document = map.document();
  PlacedColumn placed;
  placed.path = &map.require("path");
  placed.column.path = plain_path(yaml_text(document, *placed.path, map.name("path")));
  const YamlNode* values = map.find("values");
  const YamlNode* range = map.find("range");
  const YamlNode* geometric = map.find("geometric");
  const YamlNode* factor = map.find("factor");
  map.finish();
  const auto given = [](const YamlNode* node) { return node == nullptr ? 0 : 1; };
  if (given(values) + given(range) + given(geometric) + given(factor) != 1) {
    throw document.error(map.node(), fmt::format("the axis over '{}' has {} values, range, geometric and factor, "
                                                 "accepted is one of them",
                                                 placed.column.path,
                                                 given(values) + given(range) + given(geometric) + given(factor) == 0
                                                     ? "none of"
                                                     : "more than one of"));
  }
  const auto name = [&](const char* key) { return fmt::format("{} of '{}'", key, placed.column.path); };
  placed.column.is_factor = factor != nullptr;
  placed.is_range = range != nullptr || geometric != nullptr;
  placed.column.values = values != nullptr   ? read_values(document, *values, name("values"))
                         : range != nullptr  ? read_range(document, *range, name("range"))
                         : factor != nullptr ? read_factors(document, *factor, name("factor"))
                                             : read_geometric(document, *geometric, name("geometric"));
  return placed;
}

std::vector<PlacedColumn> read_zip(const YamlDocument& document, const YamlNode& node, const std::string& axis) {
  const std::string what = "zip of " + axis;
  std::vector<PlacedColumn> columns;
  for (const auto& item : list_of(document, node, what).children) {
    YamlMap map(document, *item, fmt::format("column {} of {}", columns.size() + 1, what));
    columns.push_back(read_column(map));
    const AxisColumn& first = columns.front().column;
    const AxisColumn& last = columns.back().column;
    if (first.values.size() == last.values.size()) continue;
    throw document.error(*item, fmt::format("{} has {} values of '{}' and {} of '{}', accepted are equally many", what,
                                            first.values.size(), first.path, last.values.size(), last.path));
  }
  return columns;
}

/// What tells values apart: their numbers where they are numbers.
std::string identity(const AxisValue& value) {
  return value.number ? fmt::format("n{}", *value.number) : fmt::format("t{}", value.text);
}

void refuse_repeated(const YamlDocument& document, const YamlNode& node, const std::string& axis,
                     const std::vector<PlacedColumn>& columns) {
  if (std::any_of(columns.begin(), columns.end(), [](const PlacedColumn& c) { return c.is_range; })) return;
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < columns.front().column.values.size(); ++i) {
    std::string all;
    std::vector<std::string> texts;
    for (const PlacedColumn& placed : columns) {
      const std::string text = identity(placed.column.values[i]);
      all += fmt::format("{}:{}", text.size(), text);
      texts.push_back(placed.column.values[i].text);
    }
    if (seen.insert(all).second) continue;
    throw document.error(node,
                         fmt::format("{} has the value {} twice, accepted is once", axis, fmt::join(texts, ", ")));
  }
}

/// How many values the range of an axis has, before they are made; 1 of an axis without one, or with a wrong one.
double range_size(const YamlDocument& document, const YamlNode& axis) {
  const auto find = [](const YamlNode& map, std::string_view key) -> const YamlNode* {
    if (map.kind != YamlNode::Kind::mapping) return nullptr;
    for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
      if (map.children[i]->text == key) return map.children[i + 1].get();
    }
    return nullptr;
  };
  const YamlNode* range = find(axis, "range");
  const YamlNode* from = range == nullptr ? nullptr : find(*range, "from");
  const YamlNode* to = range == nullptr ? nullptr : find(*range, "to");
  if (from == nullptr || to == nullptr) return 1;
  try {
    const YamlNode* step = find(*range, "step");
    const double width = yaml_number(document, *to, "to") - yaml_number(document, *from, "from");
    return std::max(1.0, std::floor(width / (step == nullptr ? 1 : yaml_number(document, *step, "step"))) + 1);
  } catch (const InputError&) {
    return 1;  // whoever reads the axis says what is wrong
  }
}

/// Ranges of a hundred million values take minutes to make: a grid that is too large by their number alone is refused
/// first. Throws InputError.
void check_points(const YamlDocument& document, const YamlNode& list) {
  double points = 1;
  for (const auto& item : list.children) points *= range_size(document, *item);
  if (points <= static_cast<double>(kMostPoints)) return;
  throw document.error(
      list, fmt::format("a grid of {} points or more, accepted are at most {}", axis_value(points).text, kMostPoints));
}

PlacedAxis read_axis(const YamlDocument& document, const YamlNode& node, std::size_t number) {
  const std::string what = fmt::format("axis {}", number);
  YamlMap map(document, node, what);
  PlacedAxis placed;
  placed.axis.name = map.find_text("name").value_or(placed.axis.name);
  std::vector<PlacedColumn> columns;
  if (const YamlNode* zip = map.find("zip")) {
    map.finish();
    columns = read_zip(document, *zip, what);
  } else {
    columns.push_back(read_column(map));
  }
  refuse_repeated(document, node, what, columns);
  for (PlacedColumn& column : columns) {
    placed.axis.columns.push_back(std::move(column.column));
    placed.paths.push_back(column.path);
  }
  if (placed.axis.name.empty()) placed.axis.name = placed.axis.columns.front().path;
  return placed;
}

}  // namespace

std::string plain_path(const std::string& path) { return path == "machine.workers" ? "workers" : path; }

AxisValue scalar_value(const YamlDocument& document, const YamlNode& node, const std::string& what) {
  AxisValue value{yaml_text(document, node, what)};
  if (node.quoted) return value;
  double number = 0;
  // YAML writes ".nan" and ".inf"; from_chars() reads them without the point.
  const std::string_view text = value.text;
  const bool is_negative = text.starts_with('-');
  std::string_view plain = text.substr(is_negative ? 1 : 0);
  if (plain.starts_with('-')) return value;
  if (plain.starts_with('.') && plain.size() > 1 && (plain[1] < '0' || plain[1] > '9')) plain.remove_prefix(1);
  const auto [stop, error] = std::from_chars(plain.data(), plain.data() + plain.size(), number);
  if (stop != plain.data() + plain.size() || (error != std::errc() && error != std::errc::result_out_of_range))
    return value;
  if (error != std::errc() || !std::isfinite(number))
    throw document.error(node, fmt::format("{} is {}, accepted are finite numbers and texts", what, describe(node)));
  value.number = is_negative ? -number : number;
  // "1e6" is a whole number here, which readers of counts do not take it for.
  if (text.find_first_of("eE.") != std::string_view::npos) value.text = axis_value(*value.number).text;
  return value;
}

std::vector<PlacedAxis> read_axes(const YamlDocument& document, const YamlNode& list) {
  if (list.kind != YamlNode::Kind::sequence)
    throw document.error(list, fmt::format("axes is {}, accepted is a list of mappings", describe(list)));
  check_points(document, list);
  std::vector<PlacedAxis> axes;
  std::set<std::string> names;
  std::set<std::string> paths;
  for (const auto& item : list.children) {
    axes.push_back(read_axis(document, *item, axes.size() + 1));
    const PlacedAxis& placed = axes.back();
    for (std::size_t c = 0; c < placed.paths.size(); ++c) {
      if (paths.insert(placed.axis.columns[c].path).second) continue;
      throw document.error(*placed.paths[c], fmt::format("path '{}' stands in the axes for the second time, accepted "
                                                         "is once",
                                                         placed.axis.columns[c].path));
    }
    if (!names.insert(placed.axis.name).second) {
      throw document.error(*item, fmt::format("axis {} is the second one of the name '{}', accepted is once",
                                              axes.size(), placed.axis.name));
    }
  }
  return axes;
}

}  // namespace upsweep

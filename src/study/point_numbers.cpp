#include "point_numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "upsweep/io/text_file.hpp"
#include "upsweep/io/yaml_path.hpp"

namespace upsweep {
namespace {

std::optional<double> number_in(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

}  // namespace

std::string_view root_of(std::string_view path) {
  for (const std::string_view root : {std::string_view("model"), std::string_view("machine")}) {
    if (!path.starts_with(root)) continue;
    if (path.size() == root.size() || path[root.size()] == '.' || path[root.size()] == '[') return root;
  }
  return {};
}

std::string below_root(const std::string& path) {
  std::size_t begin = root_of(path).size();
  if (begin < path.size() && path[begin] == '.') ++begin;
  return path.substr(begin);
}

std::string setting_of(const std::string& path) {
  if (path == "machine.workers") return "workers";
  const std::vector<std::string>& names = setting_names();
  return std::find(names.begin(), names.end(), path) == names.end() ? std::string() : path;
}

PointNumbers::PointNumbers(const StudyFile& study) : study_(study) {
  const NumberAt note = [&](const std::string& path) {
    if (!sources_.contains(path)) sources_.emplace(path, source_of(path));
    return std::optional<double>(1);
  };
  for (const Constraint& constraint : study.spec.constraints) static_cast<void>(constraint.holds(note));
}

const Constraint* PointNumbers::broken(const PointValues& values, const PointDefaults& defaults) const {
  const NumberAt number_at = [&](const std::string& path) {
    const auto known = sources_.find(path);
    // A division by 0 may have hidden a path from the constructor.
    return known != sources_.end() ? number(known->second, values, defaults)
                                   : number(source_of(path), values, defaults);
  };
  for (const Constraint& constraint : study_.spec.constraints) {
    if (!constraint.holds(number_at)) return &constraint;
  }
  return nullptr;
}

PointNumbers::Source PointNumbers::source_of(const std::string& path) const {
  Source source;
  source.setting = setting_of(path);
  if (!source.setting.empty()) return source;
  const std::string_view root = root_of(path);
  for (std::size_t axis = 0; axis < study_.spec.axes.size(); ++axis) {
    const std::vector<AxisColumn>& columns = study_.spec.axes[axis].columns;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      if (columns[column].path == path) source.column = ColumnPlace{axis, column};
      if (!root.empty() && columns[column].path == root) source.file = ColumnPlace{axis, column};
    }
  }
  source.scalars = scalars_of(path, source.file);
  return source;
}

std::vector<PointNumbers::Scalar> PointNumbers::scalars_of(const std::string& path,
                                                           const std::optional<ColumnPlace>& file) const {
  const auto scalar_in = [&](const YamlDocument& document) {
    Scalar scalar;
    if (document.root == nullptr) return scalar;
    try {
      const std::vector<const YamlNode*> nodes = yaml_at(document, below_root(path));
      if (nodes.size() != 1 || nodes.front()->kind != YamlNode::Kind::scalar) return scalar;
      scalar.number = number_in(nodes.front()->text);
      const std::string& text = nodes.front()->text;
      scalar.is_whole = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    } catch (const std::invalid_argument&) {
      return scalar;  // a path that no document has: the constraint says that its number is missing
    }
    return scalar;
  };
  const std::string_view root = root_of(path);
  if (root.empty()) return {Scalar{}};
  if (!file) {
    const YamlDocument* base = root == "model" ? &study_.model : study_.machine ? &*study_.machine : nullptr;
    return {base == nullptr ? Scalar{} : scalar_in(*base)};
  }
  std::vector<Scalar> scalars;
  for (const AxisValue& value : study_.spec.axes[file->axis].columns[file->column].values) {
    try {
      scalars.push_back(scalar_in(read_yaml(beside(study_.file, value.text))));
    } catch (const InputError&) {
      scalars.emplace_back();  // the points with this file are invalid and say why
    }
  }
  return scalars;
}

std::optional<double> PointNumbers::number(const Source& source, const PointValues& values,
                                           const PointDefaults& defaults) {
  if (!source.setting.empty()) {
    const auto set = setting_number(defaults.settings, source.setting);
    return !set && source.setting == "batch" ? defaults.default_batch() : set;
  }
  const auto scalar = [&]() -> const Scalar& {
    return source.scalars[source.file ? values.place(source.file->axis) : 0];
  };
  if (!source.column) return scalar().number;
  const std::optional<double> value = values.of(*source.column).number;
  if (!values.column(*source.column).is_factor || !value) return value;
  const Scalar& base = scalar();
  if (!base.number) return std::nullopt;
  const double product = *base.number * *value;
  return base.is_whole && *base.number > 0 ? std::max(1.0, std::round(product)) : product;
}

}  // namespace upsweep

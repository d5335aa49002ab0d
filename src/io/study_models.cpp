#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "path_steps.hpp"
#include "quantity.hpp"
#include "study_readers.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/io/model.hpp"
#include "upsweep/io/preset_machines.hpp"
#include "upsweep/io/study_file.hpp"
#include "upsweep/io/text_file.hpp"
#include "yaml_edit.hpp"

namespace upsweep {
namespace {

// Beyond this a double does not hold every whole number.
constexpr double kMostWhole = 9007199254740992.0;

bool is_whole_text(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// What stands at a place, times a factor.
std::string multiplied(const YamlNode& there, const PathValue& value) {
  double number = 0;
  const char* end = there.text.data() + there.text.size();
  const auto [stop, error] = std::from_chars(there.text.data(), end, number);
  const bool is_number = there.kind == YamlNode::Kind::scalar && !there.quoted && error == std::errc() && stop == end;
  if (!is_number || !std::isfinite(number) || !value.value.number) {
    throw std::invalid_argument(fmt::format("'{}' times {} at '{}', accepted is a factor where a number stands",
                                            value.value.text, describe(there), value.path));
  }
  const double product = number * *value.value.number;
  if (!std::isfinite(product) || std::abs(product) > kMostWhole) {
    throw std::invalid_argument(fmt::format("'{}' times {} at '{}' is {:g}, accepted are products of at most 2^53",
                                            value.value.text, describe(there), value.path, product));
  }
  if (!is_whole_text(there.text) || number == 0) return axis_value(product).text;
  return axis_value(std::max(1.0, std::round(product))).text;
}

YamlDocument with_value(const YamlDocument& document, const PathValue& value, bool is_machine) {
  const ScalarEdit edit = [&value](const YamlNode* there) -> std::optional<std::string> {
    if (!value.is_factor) return value.value.text;
    if (there == nullptr) return std::nullopt;
    return multiplied(*there, value);
  };
  const OtherUnit other_unit = !is_machine       ? OtherUnit::beside
                               : value.is_factor ? OtherUnit::kept
                                                 : OtherUnit::replaced;
  auto edited = is_machine ? yaml_edited(document, machine_path(value.path), edit, other_unit)
                           : yaml_edited(document, value.path, edit, other_unit);
  if (!edited) throw no_such_path(document, value.path);
  return *std::move(edited);
}

/// A document with values, whole documents first. `base` may be null where one of them is whole.
YamlDocument with_values(const YamlDocument* base, std::span<const PathValue> values, const std::string& folder_of,
                         bool is_machine) {
  YamlDocument document;
  if (base != nullptr) document = *base;
  for (const PathValue& value : values) {
    if (!value.path.empty()) continue;
    try {
      document =
          is_machine ? machine_document(value.value.text, folder_of) : read_yaml(beside(folder_of, value.value.text));
    } catch (const std::invalid_argument& error) {
      throw InputError(fmt::format("{}: machine is '{}': {}", folder_of, value.value.text, error.what()));
    }
  }
  if (document.root == nullptr)
    throw InputError(fmt::format("{}: the study has no machine, accepted is `machine` of base", folder_of));
  try {
    for (const PathValue& value : values) {
      if (!value.path.empty()) document = with_value(document, value, is_machine);
    }
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", folder_of, error.what()));
  }
  return document;
}

}  // namespace

std::string machine_path(const std::string& path) {
  for (const auto& [alias, meant] :
       {std::pair("launch_latency_", "rates[*].op_latency_"), std::pair("level_latency_", "rates[*].level_latency_")}) {
    if (!path.starts_with(alias)) continue;
    const std::string unit = path.substr(std::string_view(alias).size());
    if (std::any_of(std::begin(kTimeUnits), std::end(kTimeUnits), [&](const Unit& u) { return u.name == unit; }))
      return meant + unit;
  }
  return path;
}

StudyModel model_with(const YamlDocument& base, std::span<const PathValue> values, const std::string& folder_of,
                      bool needs_numbers, SeededMasks* masks) {
  const YamlDocument document = with_values(&base, values, folder_of, false);
  const ModelFile file(document, masks);
  if (file.holds<RecurrentModel>()) return recurrent_chain(document);
  AnyModel model = file.load(needs_numbers ? Numbers::needed : Numbers::structure);
  if (ChainModel* chain = std::get_if<ChainModel>(&model)) return std::move(*chain);
  return require_network(std::move(model), "studies beside recurrent models and chains");
}

Machine machine_with(const YamlDocument* base, std::span<const PathValue> values, const std::string& folder_of) {
  return load_machine(with_values(base, values, folder_of, true));
}

}  // namespace upsweep

#include "setting_texts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

#include "upsweep/base/edit_distance.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::cli {
namespace {

std::string without_dashes(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

/// The option of a setting; throws UsageError that names the nearest.
const CLI::Option& setting_option(const std::string& name, const CLI::App& app) {
  const std::string asked = without_dashes(name);
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    std::string known = setting_name(*option);
    if (known.empty()) continue;
    if (known == asked) return *option;
    names.push_back(std::move(known));
  }
  throw UsageError(fmt::format("'{}' is no setting of {}, the nearest is `{}`", name, app.get_name(),
                               names.empty() ? "" : nearest_name(asked, names)));
}

[[noreturn]] void throw_wrong(const std::string& name, const Json& value) {
  throw UsageError(fmt::format("`{}` is {}, accepted is a text, a number, true, false or a list of them", name,
                               value.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

/// One value as a text of the command line.
std::string value_text(const std::string& name, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.dump();
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  throw_wrong(name, value);
}

/// "x=1x3x224x224" of {"x": [1, 3, 224, 224]}; all items of an object or a list.
std::vector<std::string> value_texts(const std::string& name, const Json& value) {
  std::vector<std::string> texts;
  if (value.is_object()) {
    for (const auto& [key, sizes] : value.items()) {
      if (sizes.is_object()) throw_wrong(name, sizes);
      texts.push_back(fmt::format("{}={}", key, fmt::join(value_texts(name, sizes), "x")));
    }
  } else if (value.is_array()) {
    for (const Json& item : value) texts.push_back(value_text(name, item));
  } else {
    texts.push_back(value_text(name, value));
  }
  return texts;
}

void add_texts(const std::string& name, const Json& value, const CLI::Option& option, std::vector<std::string>& to) {
  const std::string dashed = "--" + option.get_lnames().front();
  if (option.get_items_expected_max() == 0) {
    if (!value.is_boolean())
      throw UsageError(fmt::format("`{}` is {}, accepted are true and false", name, value.dump()));
    if (value.get<bool>()) to.push_back(dashed);
    return;
  }
  std::vector<std::string> texts = value_texts(name, value);
  if (option.get_items_expected_max() == 1) texts = {fmt::format("{}", fmt::join(texts, ","))};
  for (const std::string& text : texts) to.push_back(fmt::format("{}={}", dashed, text));
}

}  // namespace

std::string setting_name(const CLI::Option& option) {
  if (option.get_positional() || option.get_lnames().empty() || option.get_lnames().front() == "help") return "";
  return without_dashes(option.get_lnames().front());
}

std::vector<std::string> option_texts(const Json& settings, const CLI::App& app) {
  if (!settings.is_object()) throw UsageError("settings are no object, accepted is {\"NAME\": VALUE, ...}");
  std::vector<std::string> texts;
  for (const auto& [name, value] : settings.items()) {
    const CLI::Option& option = setting_option(name, app);
    if (!value.is_null()) add_texts(name, value, option, texts);
  }
  return texts;
}

std::string in_settings(const std::string& text, const CLI::App& app) {
  std::string shown;
  std::size_t begin = 0;
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", begin)) {
    std::size_t end = at + 2;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '-')) ++end;
    const CLI::Option* option = app.get_option_no_throw(text.substr(at, end - at));
    shown += text.substr(begin, at - begin);
    shown += option == nullptr ? text.substr(at, end - at) : fmt::format("`{}`", setting_name(*option));
    begin = end;
  }
  return shown + text.substr(begin);
}

}  // namespace upsweep::cli

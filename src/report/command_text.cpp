#include "upsweep/report/command_text.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "upsweep/document/json.hpp"

namespace upsweep {
namespace {

/// An argument as a shell reads it back.
std::string shell_quoted(const std::string& argument) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos) return argument;
  std::string quoted = "'";
  for (const char c : argument) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted += '\'';
}

}  // namespace

std::string command_text(const std::string& parameters, bool with_db) {
  const Json arguments = Json::parse(parameters, nullptr, false);
  if (!arguments.is_array()) return parameters;
  std::string line = "upsweep";
  bool is_file = false;  // of --db
  for (const Json& argument : arguments) {
    if (!argument.is_string()) return parameters;
    const auto& text = argument.get_ref<const std::string&>();
    const bool skips = !with_db && (is_file || text == "--db" || text.starts_with("--db="));
    is_file = !is_file && text == "--db";
    if (skips) continue;
    line += ' ';
    line += shell_quoted(text);
  }
  return line;
}

}  // namespace upsweep

#include "parse_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "options.hpp"
#include "upsweep/base/edit_distance.hpp"

namespace upsweep::cli {
namespace {

/// The subcommand of a subcommand that was named, else itself.
const CLI::App& innermost(const CLI::App& command) {
  const std::vector<CLI::App*> parsed = command.get_subcommands();
  return parsed.empty() ? command : innermost(*parsed.front());
}

/// Before the first ": ", where CLI11 names options.
std::string option_of(const std::string& text) { return text.substr(0, text.find(": ")); }

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : innermost(command).get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The first option among what no one takes, else the first argument.
std::string extras_text(const CLI::App& command) {
  const std::vector<std::string> extras = command.get_parent()->remaining(true);
  const auto option = std::ranges::find_if(extras, [](const std::string& text) { return text.starts_with('-'); });
  if (option != extras.end()) {
    return fmt::format("{0} is no option of upsweep {1}{2}, accepted are those that 'upsweep {1} --help' lists",
                       *option, command.get_name(),
                       hint_of(option->substr(0, option->find('=')), option_names(command)));
  }
  return fmt::format("'{}' is one argument too many, accepted is {}", extras.empty() ? "" : extras.front(),
                     usage_of(command));
}

/// "--pattern: foo not in {guaranteed,sample}" in our words; empty where that is not what CLI11 says.
std::string member_text(const std::string& text) {
  const std::string option = option_of(text);
  const std::string between = " not in {";
  const std::size_t at = text.rfind(between);
  if (at == std::string::npos || option.size() + 2 > at || !text.ends_with('}')) return "";
  const std::string found = text.substr(option.size() + 2, at - option.size() - 2);
  return fmt::format(
      "{} is '{}'{}", option, found,
      accepted_text(found, parse_list(text.substr(at + between.size(), text.size() - 1 - at - between.size()))));
}

/// An option without its value, or given too often.
std::string mismatch_text(const std::string& text, const CLI::App& command) {
  const std::string name = option_of(text);
  const CLI::Option* option = innermost(command).get_option_no_throw(name);
  if (option == nullptr) return "";
  if (option->count() > 1) return fmt::format("{} is given {} times, accepted is once", name, option->count());
  return fmt::format("{0} has no value, accepted is {0} {1}", name, option->get_type_name());
}

}  // namespace

std::string usage_of(const CLI::App& command) {
  const auto* const entry = std::ranges::find(kCommands, command.get_name(), &CommandEntry::name);
  return fmt::format("upsweep {} {} [OPTIONS]", entry->name, entry->arguments);
}

std::string examples_text(const CommandEntry& entry) {
  std::string text = "Examples:\n";
  std::istringstream lines(entry.examples);
  for (std::string line; std::getline(lines, line);) text += "  upsweep " + line + '\n';
  text.pop_back();
  return text;
}

std::string command_names(const char* between) {
  std::string names;
  for (const CommandEntry& entry : kCommands) names.append(names.empty() ? "" : between).append(entry.name);
  return names;
}

std::string unknown_command(const std::string& found) {
  std::vector<std::string> names;
  for (const CommandEntry& entry : kCommands) names.emplace_back(entry.name);
  return fmt::format("'{}' is no command{}", found, accepted_text(found, names));
}

std::string text_of(const CLI::ParseError& error, const CLI::App* command) {
  const std::string text = error.what();
  const bool is_value = dynamic_cast<const CLI::ValidationError*>(&error) != nullptr;
  if (command == nullptr && is_value) return member_text(text);
  if (command == nullptr) return fmt::format("no command is named, accepted are {}", command_names(", "));
  std::string mine;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    mine = extras_text(*command);
  } else if (is_value) {
    mine = member_text(text);
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    mine = mismatch_text(text, *command);
  }
  return mine.empty() ? fmt::format("{}, accepted is {}", text, usage_of(*command)) : mine;
}

}  // namespace upsweep::cli

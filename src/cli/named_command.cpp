#include "upsweep/cli/named_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "command.hpp"
#include "options.hpp"
#include "parse_errors.hpp"
#include "setting_texts.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/cli/build_facts.hpp"
#include "upsweep/store/waiting.hpp"

namespace upsweep::cli {
namespace {

const CommandEntry& entry_of(const std::string& name) {
  const auto* const entry = std::ranges::find(kCommands, name, &CommandEntry::name);
  if (entry != kCommands.end()) return *entry;
  throw UsageError(unknown_command(name));
}

/// What a command line would say.
std::vector<std::string> arguments_of(const NamedCommand& command, const CLI::App& app) {
  std::vector<std::string> arguments{command.name};
  // A file of that name, not an option.
  for (const std::string& input : command.inputs) {
    const bool is_nowhere = input == "-" && command.name == "new";
    arguments.push_back((input.starts_with('-') && !is_nowhere ? "./" : "") + input);
  }
  for (const std::string& option : option_texts(command.settings, app)) arguments.push_back(option);
  return arguments;
}

void parse(CLI::App& root, std::vector<std::string> arguments, const CLI::App& app) {
  std::ranges::reverse(arguments);
  try {
    root.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    throw UsageError(text_of(error, &app));
  }
}

Json settings_of(const CLI::App& app) {
  Json settings = Json::array();
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = setting_name(*option);
    if (name.empty()) continue;
    settings.push_back({{"name", name},
                        {"type", option->get_items_expected_max() == 0 ? "flag" : option->get_type_name()},
                        {"several", option->get_items_expected_max() > 1},
                        {"default", option->get_default_str()},
                        {"description", option->get_description()}});
  }
  return settings;
}

}  // namespace

Answer answer(const NamedCommand& command, const Watch& watch) {
  Answer answer;
  const WaitingStop stops_waiting(watch.stop);
  CLI::App root("", "upsweep");
  const CLI::App* app = nullptr;
  try {
    const CommandEntry& entry = entry_of(command.name);
    Invocation invocation{build_facts().version, {}};
    const Command declared = entry.declare(root, invocation);
    app = declared.app;
    invocation.arguments = arguments_of(command, *app);
    parse(root, invocation.arguments, *app);
    Watch told = watch;
    told.note = [&](const std::string& note) { watch.say(in_settings(with_options(note, *app), *app)); };
    const auto keep = [&](const std::string&, Document found, std::shared_ptr<const void> outcome) {
      answer.has_document = true;
      answer.document = std::move(found);
      answer.outcome = std::move(outcome);
    };
    answer.code = static_cast<ExitCode>(declared.run({told, keep, false}));
    if (answer.code == kInterrupted) answer.message = Interrupted().what();
  } catch (...) {
    const Failure failure = failure_of(std::current_exception());
    answer.code = failure.code;
    answer.message = app == nullptr ? failure.message : in_settings(with_options(failure.message, *app), *app);
  }
  return answer;
}

Json command_table() {
  const Invocation invocation{build_facts().version, {}};
  Json table = Json::array();
  for (const CommandEntry& entry : kCommands) {
    CLI::App root("", "upsweep");
    const CLI::App& app = *entry.declare(root, invocation).app;
    table.push_back({{"name", entry.name},
                     {"arguments", entry.arguments},
                     {"description", app.get_description()},
                     {"settings", settings_of(app)}});
  }
  return table;
}

}  // namespace upsweep::cli

#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace upsweep::cli {

/// What is wrong with a command line that CLI11 does not take, in the form of all errors: what was found, what is
/// accepted. `command`: the subcommand, null where none was named.
[[nodiscard]] std::string text_of(const CLI::ParseError& error, const CLI::App* command);

/// What is wrong with the name of a command.
[[nodiscard]] std::string unknown_command(const std::string& found);

/// "upsweep profile MODEL [OPTIONS]": how a command is called.
[[nodiscard]] std::string usage_of(const CLI::App& command);

/// "Examples:" and a line for each, below the options of the help.
[[nodiscard]] std::string examples_text(const CommandEntry& entry);

/// Names of all commands, with this between them.
[[nodiscard]] std::string command_names(const char* between);

}  // namespace upsweep::cli

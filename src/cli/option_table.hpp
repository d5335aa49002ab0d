#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace upsweep::cli {

// The tables of --help for completion and the manual page.

/// An option as others than --help show it.
struct OptionRow {
  std::string name;                 ///< "--workers"
  std::string type;                 ///< "P"; empty of a flag
  std::vector<std::string> values;  ///< all that are accepted, where they are few
  std::string text;                 ///< what it is for
  std::string preset;               ///< its default in words; empty without
};

/// The options of a command, in the order of its help.
[[nodiscard]] std::vector<OptionRow> option_rows(const CLI::App& command);

/// Subcommands, in the order of the help.
[[nodiscard]] std::vector<const CLI::App*> subcommands(const CLI::App& command);

/// A script that completes the program's commands, options and their values in a shell: "bash", "zsh" or "fish".
[[nodiscard]] std::string completion_script(const CLI::App& root, const std::string& shell);

/// The manual page upsweep(1), for man.
[[nodiscard]] std::string manual_page(const CLI::App& root);

}  // namespace upsweep::cli
